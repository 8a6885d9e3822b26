import assert from 'node:assert/strict';
import test from 'node:test';
import { actOnJobs, actOnMatching, preview } from '../src/actions/run.ts';
import { fillPage } from '../src/api/paging.ts';
import type { ActionAnswer, Job } from '../src/api/types.ts';
import { backoffMs } from '../src/live/backoff.ts';

// A list that gives at most three rows per request, and sometimes none.
function short(total: number) {
  const asked: [string | null, number][] = [];
  const load = async (after: string | null, limit: number) => {
    asked.push([after, limit]);
    const from = Number(after ?? 0);
    const n = asked.length % 3 === 2 ? 0 : Math.min(3, limit, total - from);
    const next = from + n;
    return { rows: Array.from({ length: n }, (_, i) => from + i), after: next < total ? String(next) : null, missing: [1] };
  };
  return { load, asked };
}

test('a page is filled from short answers, without a gap or a repeat', async () => {
  const { load } = short(25);
  const first = await fillPage(load, null, 10);
  const second = await fillPage(load, first.after, 10);
  const third = await fillPage(load, second.after, 10);
  assert.deepEqual([...first.rows, ...second.rows, ...third.rows], Array.from({ length: 25 }, (_, i) => i));
  assert.equal(third.after, null);
  assert.deepEqual(first.missing, [1]);
});

test('a page asks for no more rows than fit, and not for ever', async () => {
  const { load, asked } = short(1000);
  const page = await fillPage(load, null, 100, 4);
  assert.equal(asked.length, 4);
  assert.ok(page.rows.length < 100);
  assert.notEqual(page.after, null);
  assert.ok(asked.every(([, limit]) => limit <= 100));
});

const answer = (part: Partial<ActionAnswer>): ActionAnswer => ({ op: 'retry', matched: 0, sent: 0, after: null, sample: [], errors: [], ...part });
const jobs = Array.from({ length: 20 }, (_, n) => ({ id: `j${n}`, account: 'a', queue: 'q' }) as Job);

test('a preview adds up the pages, keeps five examples, and says if there is more', async () => {
  let calls = 0;
  const found = await preview(async ({ dryRun }) => {
    assert.ok(dryRun);
    calls++;
    return answer({ matched: 10, after: String(calls), sample: jobs.slice(0, 3) });
  });
  assert.deepEqual([found.matched, found.more, found.sample.length], [100, true, 5]);
});

test('an action continues until there is no further page, and can be stopped between pages', async () => {
  const pages = ['1', '2', null];
  const seen: (string | null)[] = [];
  const request = async ({ after }: { after: string | null }) => {
    seen.push(after);
    return answer({ sent: 5, after: pages[seen.length - 1] ?? null });
  };
  const all = await actOnMatching(request, new AbortController().signal, () => undefined);
  assert.deepEqual([all.sent, all.stopped, seen], [15, false, [null, '1', '2']]);

  seen.length = 0;
  const stop = new AbortController();
  const part = await actOnMatching(request, stop.signal, () => stop.abort());
  assert.deepEqual([part.sent, part.stopped], [5, true]);
});

test('an action on selected jobs reports those that fail, and does the others', async () => {
  const done: string[] = [];
  const outcome = await actOnJobs(
    async (job) => {
      if (job.id === 'j3') throw new Error('gone');
      done.push(job.id);
    },
    jobs,
    new AbortController().signal,
    () => undefined,
    String,
  );
  assert.equal(outcome.sent, 19);
  assert.deepEqual(outcome.errors.map((error) => error.id), ['j3']);
  assert.equal(new Set(done).size, 19);
});

test('the wait before a reconnect grows, and has a maximum', () => {
  assert.equal(backoffMs(1, 1), 500);
  assert.ok(backoffMs(1, 0) < backoffMs(1, 1));
  assert.ok(backoffMs(3, 0.5) > backoffMs(2, 0.5));
  assert.equal(backoffMs(50, 1), 15_000);
});
