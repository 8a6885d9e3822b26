import assert from 'node:assert/strict';
import test from 'node:test';
import type { Job, Limit, Queue } from '../src/api/types.ts';
import { href, parseRoute } from '../src/shell/route.ts';
import { bytesOf, hexDump, unescapeHex } from '../src/views/dead/bytes.ts';
import { groupDead } from '../src/views/dead/groups.ts';
import { fill, inspect, linesOf } from '../src/views/enqueue/jobs_text.ts';
import { read } from '../src/views/enqueue/answer.ts';
import { filterOf } from '../src/views/jobs/filters.ts';
import { fromDraft, inForce, sliderMax, words } from '../src/views/limits/values.ts';
import { stuckItems, type Situation } from '../src/views/overview/stuck.ts';
import { listOf, termsOf, kNoTerms, whereOf } from '../src/views/replays/terms.ts';

test('an address keeps ids and accounts with any characters', () => {
  const path = ['jobs', 'mail', 'a/b ä', 'penstock.mail/0/14?x=1#y'];
  const route = parseRoute(href(path, { state: 'dead', type: '', error: 'a & b' }));
  assert.deepEqual(route, { path, query: { state: 'dead', error: 'a & b' } });
  assert.deepEqual(parseRoute('#/jobs/%zz'), { path: ['jobs', '%zz'], query: {} });
  assert.deepEqual(filterOf({ queue: 'mail', state: ' dead ', after: '7', type: '' }), { state: 'dead' });
});

const queue = (part: Partial<Queue>): Queue => ({
  queue: 'mail', partitions: 1, account_concurrency: 1, running: 0, ready_accounts: 0, jobs: 0, oldest_ready_ms: 0,
  overdue_ms: 0, phases: {}, item_ms: {}, ...part,
});
const calm: Situation = { queues: [queue({})], dead: [], pauses: [], breakers: [], limits: [], replays: [], workers: null };
const job = (id: string, reason: string, account = 'a') => ({ id, account, type: 't', reason, state: 'dead', created: '2026-01-01T00:00:00Z' }) as Job;

test('nothing is stuck when all is well, with an older worker too', () => {
  assert.deepEqual(stuckItems(calm), []);
  assert.deepEqual(stuckItems({ ...calm, queues: [] }), []);
});

test('what needs a person has the button that fixes it, and the worst is first', () => {
  const items = stuckItems({
    ...calm,
    queues: [queue({ waiting: { retrying: 3, unknown_type: 1 }, oldest_ready_ms: 400_000, counts: { bad: 2 } })],
    dead: [{ queue: 'mail', groups: groupDead([job('1', 'discarded: no such user 1234')]), more: false }],
    pauses: [{ queue: 'mail', type: null, account: 'acme', since: '', by: 'ada' }],
    limits: [{ name: 'crm', shared: true, configured: null, set: { slots: 0 } }, { name: 'ok', shared: true, configured: null, set: { slots: 1 } }],
  });
  assert.ok(items.findLastIndex((item) => item.bad) < items.findIndex((item) => !item.bad));
  const fix = (key: string) => items.find((item) => item.key.startsWith(key))?.fix;
  assert.deepEqual(fix('dead/'), { kind: 'retry', label: 'Retry these…', queue: 'mail', filter: { state: 'dead', type: 't', error: 'no such user' } });
  assert.equal(fix('pause/')?.kind, 'resume');
  assert.equal(fix('limit/crm')?.kind, 'reset');
  assert.equal(fix('retrying/')?.kind, 'retry');
  for (const key of ['slow/', 'unknown/', 'bad/']) assert.ok(items.some((item) => item.key.startsWith(key)), key);
  assert.equal(items.some((item) => item.key === 'limit/ok'), false);
});

test('many of a kind are summed up', () => {
  const pauses = Array.from({ length: 30 }, (_, n) => ({ queue: 'mail', type: null, account: `a${n}`, since: '', by: '' }));
  const items = stuckItems({ ...calm, pauses });
  assert.equal(items.length, 5);
  assert.match(items[4]!.title, /^26 more pauses$/);
});

test('dead jobs are one group if their errors differ only in numbers', () => {
  const groups = groupDead([
    job('1', 'attempts_exhausted: attempt 3 of 3 failed: order 48213 is gone'),
    job('2', 'attempts_exhausted: attempt 5 of 5 failed: order 48214 is gone', 'b'),
    job('3', 'discarded'),
  ]);
  assert.deepEqual(groups.map((group) => [group.count, group.accounts, group.error]), [[2, 2, 'order … is gone'], [1, 1, '']]);
});

test('the bytes of a record are shown whether they are text or not', () => {
  assert.deepEqual([...unescapeHex('\\x7b\\xffa"\\x00')], [0x7b, 0xff, 0x61, 0x22, 0]);
  assert.deepEqual([...unescapeHex('7bff00')], [0x7b, 0xff, 0]);
  assert.deepEqual([...bytesOf({ value: 'é' } as never)], [0xc3, 0xa9]);
  assert.match(hexDump(Uint8Array.of(0x7b, 0xff)), /^000000 {2}7b ff +\{\.$/);
});

test('pasted jobs are JSON or lines of JSON, and an error names its line', () => {
  assert.deepEqual(inspect('{"type":"a"}'), { jobs: 1, type: 'application/json', error: '' });
  assert.deepEqual(inspect('[{},{}]'), { jobs: 2, type: 'application/json', error: '' });
  assert.deepEqual(inspect('{}\n\n{}\n'), { jobs: 2, type: 'application/x-ndjson', error: '' });
  assert.match(inspect('{}\n{x}').error, /^Line 2: /);
  assert.match(inspect('{}\n7').error, /^Line 2 is not/);
  assert.match(inspect('[{},').error, /^Not JSON/);
});

test('the form makes as many jobs as it says, and leaves the digits of arguments alone', () => {
  assert.equal(fill('a-{n}-{n%10}', 23), 'a-23-3');
  const form = { type: 't', account: 'acct-{n%2}', id: 'x', args: '{"big":12345678901234567890,\n "n":{n}}', priority: '', copies: 2 };
  const lines = linesOf(form).split('\n');
  assert.deepEqual(lines, [
    '{"type":"t","account":"acct-1","id":"x-1","args":{"big":12345678901234567890, "n":1}}',
    '{"type":"t","account":"acct-0","id":"x-2","args":{"big":12345678901234567890, "n":2}}',
  ]);
});

test('the answers to an array and to lines are read alike', () => {
  assert.equal(read('q', 202, '{"jobs":[{"id":"1","account":"a"}]}').count, 1);
  const lines = read('q', 200, '{"id":"1","account":"a"}\n{"errors":[{"index":1,"member":"/ops","detail":"no such member"}]}\n');
  assert.deepEqual([lines.count, lines.errors.length], [1, 1]);
  assert.throws(() => read('q', 503, '{"status":503,"title":"Service Unavailable","detail":"Kafka does not answer"}'), /Kafka/);
});

const limit: Limit = { name: 'crm', shared: true, configured: { slots: 10, rate: '100/s', burst: 20 }, set: null };

test('only what was changed of a limit is set, so the rest stays with the config', () => {
  assert.deepEqual(fromDraft({ slots: '4', rate: '100/s' }, limit), { slots: 4 });
  assert.deepEqual(fromDraft({ slots: '10', rate: '5/s' }, limit), { rate: '5/s', burst: 20 });
  assert.deepEqual(fromDraft({ slots: '0', rate: '' }, limit), { slots: 0 });
  assert.equal(typeof fromDraft({ slots: '1.5', rate: '' }, limit), 'string');
  assert.equal(typeof fromDraft({ slots: '10', rate: '100/s' }, limit), 'string');
  const set = { ...limit, set: { slots: 4 } };
  assert.deepEqual(inForce(set), { slots: 4, rate: '100/s', burst: 20 });
  assert.deepEqual(fromDraft({ slots: '10', rate: '100/s' }, set), { slots: 10 });
  assert.equal(sliderMax(limit), 20);
  assert.equal(words({ slots: 1, rate: '5/s', burst: 2 }), '1 slot, 5/s, burst 2');
});

test('the terms of a replay have only what was given', () => {
  assert.deepEqual(termsOf(kNoTerms), {});
  assert.deepEqual(listOf(' a, b\nc '), ['a', 'b', 'c']);
  assert.deepEqual(whereOf('/region=eu\n/n=7'), { '/region': 'eu', '/n': 7 });
  assert.deepEqual(termsOf({ ...kNoTerms, types: 'a', dead: true, concurrency: '3' }), { types: ['a'], dead: true, concurrency: 3 });
});
