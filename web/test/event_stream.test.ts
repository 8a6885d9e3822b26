import assert from 'node:assert/strict';
import test from 'node:test';
import { EventStreamParser, kMaxEventChars, readEvents } from '../src/api/event_stream.ts';

test('an event may arrive in any pieces and with any line ends', () => {
  for (const text of ['event: status\ndata: {"a":1}\n\n', 'event: status\r\ndata: {"a":1}\r\n\r\n']) {
    for (let cut = 0; cut <= text.length; cut++) {
      const parser = new EventStreamParser();
      const events = [...parser.push(text.slice(0, cut)), ...parser.push(text.slice(cut)), ...parser.push(': end\n')];
      assert.deepEqual(events, [{ event: 'status', data: '{"a":1}' }], `cut at ${cut}`);
    }
  }
});

test('lines of data are joined, comments and unknown fields are skipped, and an event without data is none', () => {
  const parser = new EventStreamParser();
  const events = parser.push(': hello\nid: 7\nretry: 10\ndata: a\ndata:b\n\nevent: empty\n\ndata\n\n');
  assert.deepEqual(events, [
    { event: 'message', data: 'a\nb' },
    { event: 'message', data: '' },
  ]);
});

test('an endless event is refused', () => {
  const parser = new EventStreamParser();
  assert.throws(() => {
    for (let n = 0; n < 20; n++) parser.push(`data: ${'x'.repeat(kMaxEventChars / 16)}\n`);
  });
});

test('characters that are split between two chunks stay whole', async () => {
  const bytes = new TextEncoder().encode('data: größe\n\n');
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const seen: string[] = [];
  await readEvents(body, (event) => seen.push(event.data));
  assert.deepEqual(seen, ['größe']);
});
