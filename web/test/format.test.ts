import assert from 'node:assert/strict';
import test from 'node:test';
import { literal, splitReason, template } from '../src/format/errors.ts';
import { bytes, count, duration, percent, rate, short } from '../src/format/numbers.ts';
import { canDo } from '../src/format/states.ts';
import { fromLocalInput, relative, toLocalInput } from '../src/format/times.ts';
import { stateOfReason, waitingRows, waitingTotal } from '../src/format/waiting.ts';

test('numbers have separators, and are short where there is little room', () => {
  assert.equal(count(1234567), '1,234,567');
  assert.equal(count(null), '–');
  assert.equal(short(9999), '9,999');
  assert.equal(short(1234567), '1.2M');
  assert.equal(rate(0), '0');
  assert.equal(rate(0.25), '0.3');
  assert.equal(rate(420.4), '420');
  assert.equal(percent(1, 0), 0);
  assert.equal(percent(5, 4), 100);
});

test('durations and sizes change their unit as they grow', () => {
  assert.deepEqual([3, 1500, 41_000, 600_000, 7_200_000, 400_000_000].map(duration), ['3 ms', '1.5 s', '41 s', '10 min', '2 h', '5 d']);
  assert.deepEqual([12, 2048, 48_000_000].map(bytes), ['12 B', '2.0 KiB', '45.8 MiB']);
});

test('times are relative to now in both directions', () => {
  const now = Date.parse('2026-03-01T12:00:00Z');
  assert.equal(relative('2026-03-01T11:57:00Z', now), '3 min ago');
  assert.equal(relative('2026-03-01T12:00:30Z', now), 'in 30 s');
  assert.equal(relative(null, now), '–');
  assert.equal(relative('no time', now), '–');
});

test('a local time survives the way through an input', () => {
  const at = '2026-03-01T12:00:07.000Z';
  assert.equal(fromLocalInput(toLocalInput(at)), at);
  assert.equal(fromLocalInput(''), undefined);
});

test('the reason of a dead job is its name and the error', () => {
  assert.deepEqual(splitReason('attempts_exhausted: attempt 1 of 1 failed: failed at random, as fail: asks'), {
    name: 'attempts_exhausted',
    error: 'failed at random, as fail: asks',
  });
  assert.deepEqual(splitReason('timeout: no answer'), { name: '', error: 'timeout: no answer' });
  assert.deepEqual(splitReason('discarded'), { name: 'discarded', error: '' });
  assert.deepEqual(splitReason(null), { name: '', error: '' });
});

test('errors that differ in numbers and ids have one template, whose literal each contains', () => {
  const errors = ['order 48213 is unknown to 01a217ce-eec4-7ee9-ac5d-068cc6a27f68', 'order 7777 is unknown to 01b217ce-0000-7ee9-ac5d-068cc6a27f68'];
  assert.equal(template(errors[0]!), template(errors[1]!));
  for (const error of errors) assert.ok(error.includes(literal(template(error))));
  assert.equal(template('HTTP 503 from a'), 'HTTP 503 from a');
});

test('waiting reasons keep their place, and lead to a state', () => {
  const rows = waitingRows({ limit: 2, new_reason: 1, retrying: 9 });
  assert.deepEqual(rows.map(([reason]) => reason), [...waitingRows({}).map(([reason]) => reason), 'new_reason']);
  assert.deepEqual(new Map(rows).get('retrying'), 9);
  assert.equal(waitingTotal({ limit: 2, retrying: 9 }), 11);
  assert.equal(stateOfReason('retrying'), 'retrying');
  assert.equal(stateOfReason('breaker'), 'waiting');
});

test('commands are offered for the states that they change', () => {
  assert.equal(canDo('retry', 'running'), false);
  assert.equal(canDo('retry', 'dead'), true);
  assert.equal(canDo('cancel', 'succeeded'), false);
  assert.equal(canDo('reschedule', 'waiting'), true);
  assert.equal(canDo('delete', 'dead'), true);
});
