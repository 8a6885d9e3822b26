// The answers of the fake worker: docs/http.md for one process, without Kafka and without running anything.

import { makeReplay, statusOf } from './data.mjs';

export class Problem extends Error {
  constructor(status, detail, member) {
    super(detail);
    this.status = status;
    this.member = member;
  }
}

const kDone = ['succeeded', 'dead', 'cancelled', 'expired', 'duplicate'];
const iso = () => new Date().toISOString();

function matches(job, f) {
  return (!f.state || job.state === f.state) && (!f.type || job.type === f.type) &&
    (!f.account || job.account === f.account) && (!f.bulk || job.bulk === f.bulk) &&
    (!f.error || (job.reason ?? '').includes(f.error)) && (!f.id || job.id.startsWith(f.id)) &&
    (!f.from || job.created >= f.from) && (!f.to || job.created < f.to);
}

// A short page at times, as a real worker gives, which has to look at several partitions.
function pageOf(rows, f, limit) {
  const from = Number(f.after ?? 0);
  const found = [];
  let at = from;
  for (; at < rows.length && found.length < limit && at - from < 5000; at++) if (matches(rows[at], f)) found.push(rows[at]);
  return { found, after: at < rows.length ? String(at) : null };
}

function listed({ args, headers, cursor, bulk, priority, weight, expires_at, ended, replay, blocked_by, attempts, ...job }) {
  return job;
}

function change(jobs, job, op, body) {
  if (op === 'delete') jobs.splice(jobs.indexOf(job), 1);
  else if (op === 'cancel' && !kDone.includes(job.state)) jobs.splice(jobs.indexOf(job), 1);
  else if (op === 'retry' && job.state !== 'running') Object.assign(job, { state: 'ready', attempt: 1, reason: null, why: null, attempts: [], blocked_by: [] });
  else if (op === 'reschedule' && !kDone.includes(job.state)) Object.assign(job, { state: 'scheduled', run_at: body.run_at ?? new Date(Date.now() + 300000).toISOString(), why: 'waits for its time' });
}

// A chunk that is no longer among the jobs was cancelled.
function countBulks(w, queue) {
  for (const bulk of w.bulks) {
    if (!bulk.counted || bulk.queue !== queue) continue;
    bulk.waiting = w.jobs.get(queue).filter((job) => job.bulk === bulk.id).length;
    bulk.cancelled = bulk.size - bulk.waiting;
    if (bulk.waiting === 0) bulk.done ??= iso();
  }
  return true;
}

// What becomes of a job: its type says so, as the handlers of tests/browser do.
function admit(w, queue, { bulk, ...job }, n) {
  if (bulk && !w.bulks.some((each) => each.id === bulk.id)) {
    w.bulks.push({ id: bulk.id, queue, account: job.account, size: bulk.size, admitted: bulk.size, waiting: 0, running: 0, succeeded: 0, dead: 0, cancelled: 0, expired: 0, first: iso(), last: iso(), done: null, estimated_end: null, counted: true });
  }
  const made = { args: {}, headers: {}, blocked_by: [], attempts: [], ...job, bulk: bulk?.id ?? null, id: job.id ?? `new-${Date.now()}-${n}`, queue, state: 'ready', attempt: 1, max_attempts: 8, run_at: job.run_at ?? iso(), created: iso(), started: null, ended: null, reason: null, why: null };
  const error = 'failed at random, as fail: asks';
  const failed = [{ attempt: 1, at: iso(), error }];
  if (job.run_at) return Object.assign(made, { state: 'scheduled', why: `waits for its time, ${job.run_at}` });
  if (job.type === 'noop.done') return Object.assign(made, { state: 'succeeded', started: iso(), ended: iso() });
  if (job.type === 'sleep.long') return Object.assign(made, n % 4 === 0 ? { state: 'running', started: iso() } : { state: 'waiting', why: 'waits for an earlier job of its account' });
  if (job.type === 'fail.dead') return Object.assign(made, { state: 'dead', reason: `attempts_exhausted: attempt 1 of 1 failed: ${error}`, attempts: failed, ended: iso() });
  if (job.type.startsWith('fail.')) return Object.assign(made, { state: 'retrying', attempt: 2, reason: error, attempts: failed, why: `waits for its retry: ${error}` });
  if (job.type === 'limit.parked') return Object.assign(made, { state: 'waiting', why: 'waits for the limit "parked": all 0 slots are in use', blocked_by: [{ kind: 'limit', name: 'parked' }] });
  if (job.type === 'unknown.type') return Object.assign(made, { state: 'waiting', why: 'no policy and no handler of this worker knows the type "unknown.type"', blocked_by: [{ kind: 'type', name: 'unknown.type' }] });
  return made;
}

export const kRoutes = [
  ['GET', '/v1/queues', (w) => ({ queues: [...w.jobs.keys()].map((name) => statusOf(w, name)) })],
  ['GET', '/v1/queues/:q', (w, p) => statusOf(w, p.q)],
  ['GET', '/v1/queues/:q/history', (w, p) => ({ step_ms: 10000, points: w.history.get(p.q) })],
  ['GET', '/v1/workers', (w) => ({ workers: w.workers, unanswered: [{ id: 'w-3-77c0', url: 'http://10.0.0.3:8080', reason: 'no answer within 2 s' }] })],
  ['GET', '/v1/queues/:q/jobs', (w, p, f) => {
    const page = pageOf(w.jobs.get(p.q), f, Number(f.limit ?? 100));
    return { jobs: page.found.map(listed), after: page.after, partitions_not_here: [] };
  }],
  ['POST', '/v1/queues/:q/jobs', (w, p, f, body) => {
    const jobs = Array.isArray(body) ? body : [body];
    const bad = jobs.findIndex((job) => !job.type || !job.account);
    if (bad >= 0) throw Object.assign(new Problem(422, `1 of ${jobs.length} jobs break a rule of the job record, so none was sent`, '/type'), { errors: [{ index: bad, member: '/type', detail: 'required' }] });
    const made = jobs.map((job, n) => admit(w, p.q, job, n));
    w.jobs.get(p.q).unshift(...made);
    return [202, { jobs: made.map((job, offset) => ({ id: job.id, account: job.account, partition: 0, offset })) }];
  }],
  ['POST', '/v1/queues/:q/jobs/actions', (w, p, f, body) => {
    const filters = ['state', 'type', 'account', 'bulk', 'error', 'id', 'from', 'to'];
    if ((body.op === 'cancel' || body.op === 'delete') && !body.all && !filters.some((name) => body[name])) throw new Problem(422, 'without a filter, `all` is needed', '/all');
    const jobs = w.jobs.get(p.q);
    const page = pageOf(jobs, body, Number(body.limit ?? 1000));
    const gone = body.op === 'delete' || body.op === 'cancel';
    if (!body.dry_run) page.found.forEach((job) => change(jobs, job, body.op, body));
    const after = page.after === null ? null : gone && !body.dry_run ? String(Number(page.after) - page.found.length) : page.after;
    return [body.dry_run ? 200 : 202, { op: body.op, matched: page.found.length, sent: body.dry_run ? 0 : page.found.length, after, sample: page.found.slice(0, 20).map(listed), errors: [] }];
  }],
  ['GET', '/v1/queues/:q/jobs/:id', (w, p, f) => jobOf(w, p, f)],
  ['DELETE', '/v1/queues/:q/jobs/:id', (w, p, f) => one(w, p, f, 'delete')],
  ['POST', '/v1/queues/:q/jobs/:id/:op', (w, p, f, body) => one(w, p, f, p.op, body)],
  ['GET', '/v1/queues/:q/accounts', (w, p, f) => {
    const rows = new Map();
    for (const job of w.jobs.get(p.q)) {
      if (kDone.includes(job.state)) continue;
      const row = rows.get(job.account) ?? { account: job.account, jobs: 0, running: 0 };
      if (job.state === 'running') row.running++;
      else row.jobs++;
      rows.set(job.account, row);
    }
    const key = f.by === 'running' ? 'running' : 'jobs';
    return { accounts: [...rows.values()].sort((a, b) => b[key] - a[key]).slice(0, Number(f.limit ?? 20)), complete: true, partitions_not_here: [] };
  }],
  ['GET', '/v1/queues/:q/bulks', (w, p, f) => countBulks(w, p.q) && ({ bulks: w.bulks.filter((bulk) => bulk.queue === p.q && (!f.account || bulk.account === f.account)), after: null, partitions_not_here: [] })],
  ['GET', '/v1/limits', (w) => ({ limits: w.limits })],
  ['PUT', '/v1/limits/:name', (w, p, f, body) => {
    let limit = w.limits.find((each) => each.name === p.name);
    if (!limit) w.limits.push((limit = { name: p.name, shared: null, configured: null, used: 0, waiting: 0 }));
    limit.set = body;
    return { name: p.name, set: body };
  }],
  ['DELETE', '/v1/limits/:name', (w, p) => {
    const limit = w.limits.find((each) => each.name === p.name);
    if (limit) limit.set = null;
    w.limits = w.limits.filter((each) => each.configured || each.set);
    return { name: p.name, set: null };
  }],
  ['GET', '/v1/pauses', (w) => ({ pauses: w.pauses })],
  ['POST', '/v1/queues/:q/pause', (w, p, f) => {
    w.pauses.push({ queue: p.q, type: f.type ?? null, account: f.account ?? null, since: iso(), by: f.by ?? '' });
    return { op: 'pause', queue: p.q };
  }],
  ['POST', '/v1/queues/:q/resume', (w, p, f) => {
    w.pauses = w.pauses.filter((each) => !(each.queue === p.q && each.type === (f.type ?? null) && each.account === (f.account ?? null)));
    return { op: 'resume', queue: p.q };
  }],
  ['GET', '/v1/breakers', (w) => ({ breakers: w.breakers })],
  ['GET', '/v1/schedules', (w) => ({ schedules: w.schedules })],
  ['GET', '/v1/queues/:q/replays', (w, p) => ({ replays: [...w.replays.values()].filter((each) => each.queue === p.q).map(({ partitions, ...each }) => each) })],
  ['POST', '/v1/queues/:q/replays', (w, p, f, body) => {
    if (f.dry_run) return { dry_run: true, records: 9000, scanned: 9000, matched: 312, copies: 300, removed: 0, left_out: { repeat: 12 }, types: { 'webhook.send': 300 }, accounts: { acme: 300 }, samples: [{ id: 'order-1', type: 'webhook.send', account: 'acme', args: '{"order":1}' }] };
    const { id, ...terms } = body;
    if (!id) throw new Problem(422, 'a replay needs a name', '/id');
    w.replays.set(id, { ...makeReplay(id, p.q, 'running', Date.now()), terms, started_by: f.by ?? '', started_at: iso(), scanned: 0, matched: 0, admitted: 0, waiting: 0, running: 0, ended: {} });
    return [201, w.replays.get(id)];
  }],
  ['GET', '/v1/queues/:q/replays/:id', (w, p) => replayOf(w, p)],
  ['DELETE', '/v1/queues/:q/replays/:id', (w, p) => {
    const replay = replayOf(w, p);
    w.replays.delete(p.id);
    return replay;
  }],
  ['POST', '/v1/queues/:q/replays/:id/:op', (w, p) => Object.assign(replayOf(w, p), { state: { pause: 'paused', resume: 'running', cancel: 'cancelled' }[p.op], reason: null })],
  ['GET', '/v1/queues/:q/dead', (w, p, f) => ({ dead: w.dead.filter((each) => each.queue === p.q && (!f.reason || f.reason.split(',').includes(each.reason))), after: null })],
  ['POST', '/v1/queues/:q/dead/resend', (w, p, f, body) => {
    const found = w.dead.filter((each) => each.queue === p.q && (!body.from || (each.at >= body.from && each.at < body.to)));
    return [body.dry_run ? 200 : 202, { listed: found.length, sent: 0, already: 0, left_out: 0, failed: { bad_field: found.length }, errors: found.map((each) => ({ partition: each.partition, offset: each.offset, reason: each.reason, detail: each.detail })), after: null }];
  }],
];

function jobOf(w, p, f) {
  const job = w.jobs.get(p.q).find((each) => each.id === p.id && (!f.account || each.account === f.account));
  if (!job) throw new Problem(404, `the queue "${p.q}" has no job "${p.id}"`, 'id');
  return job;
}

function one(w, p, f, op, body) {
  const job = jobOf(w, p, f);
  change(w.jobs.get(p.q), job, op, body ?? {});
  return [202, { id: p.id, account: job.account, partition: 0, offset: 1, op }];
}

function replayOf(w, p) {
  const replay = w.replays.get(p.id);
  if (!replay) throw new Problem(404, `the queue "${p.q}" has no replay "${p.id}"`, 'id');
  return replay;
}
