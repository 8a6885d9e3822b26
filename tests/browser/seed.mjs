// Jobs in every state, sent through the worker's own interface.

import assert from 'node:assert/strict';

const kLines = [
  ...range(130, (n) => ({ type: 'noop.done', account: `done-${n % 5}`, id: `done-${n}`, args: { n } })),
  ...range(12, (n) => ({ type: 'fail.dead', account: 'dead-a', id: `dead-${n}`, args: { html: '<img src=x onerror=alert(1)>' } })),
  ...range(3, (n) => ({ type: 'fail.retrying', account: `retrying-${n}`, id: `retrying-${n}` })),
  { type: 'fail.breaker', account: 'breaker-a', id: 'breaker-0' },
  ...range(4, (n) => ({ type: 'sleep.long', account: 'busy', id: `busy-${n}` })),
  ...range(6, (n) => ({ type: 'limit.parked', account: `parked-${n}`, id: `parked-${n}` })),
  ...range(6, (n) => ({ type: 'noop.done', account: 'later', id: `later-${n}`, run_at: '2031-01-01T00:00:00Z' })),
  ...range(4, (n) => ({ type: 'noop.done', account: 'chunks', id: `launch/${n}`, run_at: '2031-01-01T00:00:00Z', bulk: { id: 'launch', index: n, size: 4 } })),
  { type: 'unknown.type', account: 'unknown', id: 'unknown-0' },
];

function range(n, make) {
  return Array.from({ length: n }, (_, index) => make(index));
}

export async function seed(url) {
  const response = await fetch(`${url}/v1/queues/mail/jobs`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson' },
    body: kLines.map((line) => JSON.stringify(line)).join('\n'),
  });
  assert.ok(response.ok, `${response.status} ${await response.text()}`);
  // Until the last of each kind is where its type takes it.
  const wanted = { 'dead-11': 'dead', 'done-129': 'succeeded', 'retrying-2': 'retrying', 'parked-5': 'waiting', 'unknown-0': 'waiting' };
  const end = Date.now() + 10_000;
  for (;;) {
    const states = await Promise.all(Object.keys(wanted).map(async (id) => {
      const answer = await fetch(`${url}/v1/queues/mail/jobs/${id}`);
      return answer.ok ? (await answer.json()).state : null;
    }));
    if (Object.values(wanted).every((state, index) => state === states[index])) return;
    assert.ok(Date.now() < end, `the jobs are ${states}, not ${Object.values(wanted)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
