import assert from 'node:assert/strict';
import test from 'node:test';
import { ApiError, Client, messageOf, pathOf, queryText } from '../src/api/client.ts';
import { parseExact, printJson } from '../src/api/exact_json.ts';
import { Penstock } from '../src/api/penstock.ts';

type Sent = { url: string; init: RequestInit };

function clientOf(answer: (sent: Sent) => Response, token: string | null = null) {
  const sent: Sent[] = [];
  let refused = 0;
  const client = new Client({ token: () => token, refused: () => refused++ }, (async (url: string, init: RequestInit) => {
    sent.push({ url, init });
    return answer({ url, init });
  }) as typeof fetch);
  return { client, sent, refusals: () => refused };
}

const json = (value: unknown, status = 200) => new Response(JSON.stringify(value), { status });

test('every part of a path and every parameter is encoded', () => {
  assert.equal(pathOf('queues', 'a/b', 'jobs', 'penstock.mail/0/14?x'), 'v1/queues/a%2Fb/jobs/penstock.mail%2F0%2F14%3Fx');
  assert.equal(queryText({ account: 'a&b', type: '', after: null, limit: 0 }), '?account=a%26b&limit=0');
});

test('the token is sent with each request, and 401 asks for another', async () => {
  const { client, sent, refusals } = clientOf(() => json({ title: 'Unauthorized', status: 401 }, 401), 'secret');
  await assert.rejects(client.get('v1/queues'), (error: ApiError) => error.status === 401);
  assert.equal((sent[0]!.init.headers as Record<string, string>).authorization, 'Bearer secret');
  assert.equal(refusals(), 1);
});

test('a problem becomes an error with its detail, and a missing endpoint differs from a missing job', async () => {
  const job = clientOf(() => json({ detail: 'no job "x"', status: 404, member: 'id' }, 404));
  await assert.rejects(job.client.get('v1/x'), (error: ApiError) => !error.noSuchEndpoint && messageOf(error) === 'no job "x"');
  const none = clientOf(() => json({ detail: 'there is nothing at /v1/x', status: 404 }, 404));
  await assert.rejects(none.client.get('v1/x'), (error: ApiError) => error.noSuchEndpoint);
});

test('an answer that is not JSON, and no answer, are errors for a person', async () => {
  const proxy = clientOf(() => new Response('<h1>Bad Gateway</h1>', { status: 502 }));
  await assert.rejects(proxy.client.get('v1/x'), (error: unknown) => messageOf(error) === 'The worker answered 502.');
  const dead = clientOf(() => {
    throw new TypeError('fetch failed');
  });
  await assert.rejects(dead.client.get('v1/x'), (error: ApiError) => error.status === 0);
});

test('an action on everything says so, and an action with a filter does not', async () => {
  const { client, sent } = clientOf(() => json({ op: 'delete', matched: 0, sent: 0, after: null, sample: [], errors: [] }));
  const api = new Penstock(client);
  const options = { dryRun: true, limit: 10, after: null };
  await api.changeMany('mail', {}, { op: 'delete' }, options);
  await api.changeMany('mail', { state: 'dead', type: '' }, { op: 'delete' }, options);
  assert.deepEqual(JSON.parse(sent[0]!.init.body as string), { op: 'delete', dry_run: true, limit: 10, all: true });
  assert.deepEqual(JSON.parse(sent[1]!.init.body as string), { state: 'dead', op: 'delete', dry_run: true, limit: 10 });
});

test('numbers that JavaScript would round are shown as they were written, where the engine can', () => {
  const text = '{"id":12345678901234567890,"n":1.50,"k":7}';
  const printed = printJson(parseExact(text)).replace(/\s/g, '');
  assert.ok('rawJSON' in JSON ? printed === text : printed.includes('"k":7'));
});
