// Realistic figures for the fake worker, the same at every start.

let seed = 42;
export function chance() {
  seed = (seed * 1664525 + 1013904223) >>> 0;
  return seed / 2 ** 32;
}
export const pick = (list) => list[Math.floor(chance() * list.length)];
const iso = (ms) => new Date(ms).toISOString();

export const kAccounts = ['acme', 'globex', 'initech', 'umbrella', 'hooli', 'stark', 'wayne', 'soylent'];
const kTypes = { mail: ['webhook.send', 'campaign.send', 'crm.sync'], reports: ['report.build', 'report.send'] };
const kErrors = [
  'connect to crm.example.com:443: connection refused',
  'HTTP 503 from https://hooks.example.net/in: Service Unavailable',
  'order 48213 is not known to the warehouse',
  'timeout: no answer within 30 s',
];

function makeJob(queue, n, now) {
  const state = n % 97 === 5 ? 'dead' : n % 13 === 3 ? 'retrying' : n % 11 === 4 ? 'scheduled'
    : n % 7 === 2 ? 'waiting' : n % 101 === 1 ? 'running' : 'succeeded';
  const created = now - n * 4100;
  const error = kErrors[n % kErrors.length].replace('48213', String(40000 + n));
  const failed = state === 'retrying' || state === 'dead';
  const account = kAccounts[n % kAccounts.length];
  const whys = {
    waiting: n % 14 === 2 ? `waits for the limit "webhook/${account}": all 10 slots are in use` : `has been paused since ${iso(now - 3600000)} by ada`,
    scheduled: `waits for its time, ${iso(now + n * 9000)}`,
    retrying: `waits for its retry at ${iso(now + 45000)} (attempt 3): ${error}`,
  };
  return {
    id: n % 5 === 0 ? `penstock.${queue}/${n % 4}/${n}` : `order-${100000 + n}`,
    queue, type: kTypes[queue][n % kTypes[queue].length], account, state,
    attempt: failed ? 3 : 1, max_attempts: 8,
    run_at: iso(state === 'scheduled' ? now + n * 9000 : created), created: iso(created),
    started: ['running', 'succeeded', 'dead', 'retrying'].includes(state) ? iso(created + 900) : null,
    reason: state === 'dead' ? `attempts_exhausted: attempt 8 of 8 failed: ${error}` : state === 'retrying' ? error : null,
    why: whys[state] ?? null,
    ...(state === 'running' ? { progress: { n: 3200, total: 10000 } } : {}),
    args: { order: n, customer: account, big: 12345, html: '<img src=x onerror=alert(1)>', lines: [{ sku: 'A-1', n: 2 }] },
    headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
    cursor: state === 'running' ? { page: 32, last_id: 'c-9912' } : null,
    bulk: n % 6 === 1 ? 'spring' : null, priority: 0, weight: 1, expires_at: null,
    ended: state === 'succeeded' || state === 'dead' ? iso(created + 1400) : null, replay: null,
    blocked_by: state === 'waiting' ? [n % 14 === 2 ? { kind: 'limit', name: `webhook/${account}` } : { kind: 'pause', name: account }] : [],
    attempts: failed ? [1, 2, 3].map((attempt) => ({ attempt, at: iso(created + attempt * 60000), error })) : [],
  };
}

export function makeWorld(jobsPerQueue) {
  const now = Date.now();
  const world = { started: now, jobs: new Map(), limits: [], pauses: [], replays: new Map(), dead: [] };
  for (const queue of Object.keys(kTypes)) {
    const jobs = [];
    for (let n = 0; n < (queue === 'mail' ? jobsPerQueue : Math.min(300, jobsPerQueue)); n++) jobs.push(makeJob(queue, n, now));
    world.jobs.set(queue, jobs);
  }
  world.jobs.get('mail').unshift({ ...makeJob('mail', 9, now), id: 'unknown-1', type: 'crm.snyc', state: 'waiting', blocked_by: [{ kind: 'type', name: 'crm.snyc' }], why: 'no policy and no handler of this worker knows the type "crm.snyc"' });
  world.limits = [
    { name: 'parked', shared: true, configured: { slots: 0 }, set: null, used: 0, waiting: 6 },
    { name: 'webhook/{account}', shared: false, configured: { slots: 10 }, set: null, used: 7, waiting: 0 },
    { name: 'crm/{args/region}', shared: true, configured: { slots: 10, rate: '100/s', burst: 20 }, set: { slots: 4 }, used: 4, waiting: 318 },
    { name: 'webhook/hooli', shared: null, configured: null, set: { slots: 0 }, used: 0, waiting: 42 },
  ];
  world.pauses = [{ queue: 'mail', type: null, account: 'initech', since: iso(now - 3600000), by: 'ada' }];
  world.breakers = [
    { queue: 'mail', type: 'crm.sync', account: 'globex', state: 'open', failures: 10, until: iso(now + 25000), error: kErrors[0] },
    { queue: 'mail', type: 'webhook.send', account: 'stark', state: 'half_open', failures: 12, until: null, error: kErrors[1] },
  ];
  world.bulks = [
    { id: 'spring', queue: 'mail', account: 'acme', size: 400, admitted: 400, waiting: 214, running: 6, succeeded: 171, dead: 9, cancelled: 0, expired: 0, first: iso(now - 900000), last: iso(now - 900), done: null, estimated_end: iso(now + 1100000) },
    { id: 'digest-2026-03', queue: 'mail', account: 'globex', size: 60, admitted: 60, waiting: 0, running: 0, succeeded: 58, dead: 1, cancelled: 1, expired: 0, first: iso(now - 7200000), last: iso(now - 5400000), done: iso(now - 5400000), estimated_end: null },
  ];
  world.replays.set('fix-1', makeReplay('fix-1', 'mail', 'running', now));
  world.replays.set('fix-0', { ...makeReplay('fix-0', 'mail', 'paused', now), reason: 'more than 1% of the copies of partition 3 are dead' });
  world.replays.set('march', { ...makeReplay('march', 'mail', 'finished', now), scanned: 90000, waiting: 0, running: 0, estimated_end: null });
  const dead = (n, reason, detail, extra) => ({ queue: 'mail', partition: n % 4, offset: 100 + n, at: iso(now - n * 61000), reason, detail, source: `penstock.mail/${n % 4}/${9000 + n}`, attempts: 0, account: pick(kAccounts), headers: [{ name: 'content-type', value: 'application/json' }], ...extra });
  world.dead = [
    dead(1, 'bad_field', '/run_att: no such member in a job record', { type: 'webhook.send', bytes: 38, value: '{"type":"webhook.send","run_att":1}' }),
    dead(2, 'bad_json', 'invalid UTF-8 at byte 2', { bytes: 6, value_hex: '\\x7b\\xff\\x00\\xfe\\x22\\x7d' }),
    dead(3, 'bad_key', 'there is no key', { account: undefined, bytes: 25, value: '{"type":"webhook.send"}' }),
  ];
  world.workers = ['w-1', 'w-2'].map((name, index) => ({
    id: `${name}-1f3a`, name, url: `http://10.0.0.${index + 1}:8080`, version: '0.9.0', started: iso(now - 86400000 * (index + 1)), ready: index === 0, reason: index === 0 ? null : '1 partition is restoring',
    queues: ['mail', 'reports'].map((queue) => ({ queue, partitions: [0, 1].map((p) => ({ partition: index * 2 + p, phase: index === 1 && p === 1 && queue === 'mail' ? 'restoring' : 'running', lease_ms: 12000 + p * 800, jobs: 1200 * (p + 1), state_bytes: 48_000_000 * (p + 1), restored: index === 1 && p === 1 && queue === 'mail' ? 61000 : null, restore_end: index === 1 && p === 1 && queue === 'mail' ? 98000 : null })) })),
  }));
  world.history = new Map(['mail', 'reports'].map((queue) => [queue, makeHistory(queue, now)]));
  world.schedules = [{ name: 'nightly-digest', queue: 'mail', type: 'campaign.send', cron: '0 3 * * *', next: iso(now + 3600000 * 5), paused: false }];
  return world;
}

export function makeReplay(id, queue, state, now) {
  return { id, queue, state, reason: null, started_at: iso(now - 600000), started_by: 'ada', terms: { from: iso(now - 86400000), types: ['webhook.send'], rate: '100/s' }, records: 90000, removed: 0, scanned: 41000, matched: 1200, left_out: { command: 12 }, admitted: 1188, sent: 0, waiting: 20, running: 4, ended: { succeeded: 1150, dead: 14 }, rate: 940, estimated_end: iso(now + 52000), partitions: [0, 1, 2, 3].map((partition) => ({ partition, from: 0, to: 22500, next: 10250, done: false })) };
}

function makeHistory(queue, now) {
  const scale = queue === 'mail' ? 1 : 0.1;
  return Array.from({ length: 360 }, (_, n) => {
    const wave = 1 + 0.4 * Math.sin(n / 40) + 0.15 * chance();
    const trouble = n > 270 && n < 330 ? 1 : 0;
    return { at: iso(now - (360 - n) * 10000), in: Math.round(4200 * wave * scale), out: Math.round(4200 * wave * scale * (trouble ? 0.7 : 1)), failed: Math.round((30 + trouble * 900 * chance()) * scale), running: Math.round(42 * wave * scale + trouble * 30), jobs: 5000, oldest_ready_ms: Math.round(trouble ? (n - 270) * 700 : 20 * chance()) };
  });
}

export function statusOf(world, queue) {
  const jobs = world.jobs.get(queue);
  const by = (state) => jobs.reduce((n, job) => n + (job.state === state), 0);
  const unknown = jobs.filter((job) => job.type === 'crm.snyc' && job.state === 'waiting').length;
  const waiting = by('waiting') - unknown;
  const retrying = jobs.filter((job) => job.state === 'retrying');
  const scale = queue === 'mail' ? 1 : 0.1;
  const paused = world.pauses.some((pause) => pause.queue === queue && !pause.type && !pause.account);
  const now = Date.now();
  return {
    queue, partitions: 4, account_concurrency: 1, running: by('running'), ready_accounts: 3, jobs: jobs.length,
    oldest_ready_ms: queue === 'mail' ? 41000 : 12, overdue_ms: 0,
    phases: { running: queue === 'mail' ? 3 : 4, restoring: queue === 'mail' ? 1 : 0, claiming: 0, leaving: 0, waiting: 0 }, item_ms: {}, partitions_not_here: [],
    counts: { admitted: 90000, succeeded: 88000, dead: by('dead'), cancelled: 12, duplicate: 300, expired: 0, started: 91000, failed: 900, snoozed: 3, bad: queue === 'mail' ? world.dead.length : 0 },
    rates: { in: (410 + 40 * chance()) * scale, out: (390 + 40 * chance()) * scale, failed: queue === 'mail' ? 2.4 : 0 },
    waiting: { scheduled: by('scheduled'), retrying: by('retrying'), limit: Math.floor(waiting * 0.6), paused: Math.ceil(waiting * 0.4), unknown_type: unknown, ready: 5 },
    states: { dead: by('dead'), retrying: by('retrying'), running: by('running'), succeeded: by('succeeded') },
    failures: [...new Map(retrying.map((job) => [job.type + job.reason.replace(/\d{4,}/, ''), { type: job.type, error: job.reason, count: 1 + retrying.filter((o) => o.type === job.type).length, last: iso(now - 4000), id: job.id, account: job.account }])).values()].slice(0, 6),
    types: [...new Set(jobs.map((job) => job.type))].sort(), paused,
  };
}
