// Reads text/event-stream as the HTML standard defines it, from fetch instead of EventSource, which cannot send an
// Authorization header.

export interface ServerEvent {
  event: string;
  data: string;
}

// Bytes of one event beyond which the stream is refused, so that a broken server cannot fill the memory.
export const kMaxEventChars = 8 * 1024 * 1024;

export class EventStreamParser {
  private buffer = '';
  private event = '';
  private data: string[] = [];
  private chars = 0;

  // Returns the events that end in this text.
  push(text: string): ServerEvent[] {
    this.buffer += text;
    const events: ServerEvent[] = [];
    for (;;) {
      const end = this.buffer.search(/[\r\n]/);
      // A CR at the very end may be the first half of CRLF.
      if (end < 0 || (this.buffer[end] === '\r' && end + 1 === this.buffer.length)) break;
      const line = this.buffer.slice(0, end);
      const width = this.buffer.startsWith('\r\n', end) ? 2 : 1;
      this.buffer = this.buffer.slice(end + width);
      const event = this.line(line);
      if (event) events.push(event);
    }
    if (this.buffer.length + this.chars > kMaxEventChars) throw new Error('an event is too large');
    return events;
  }

  private line(line: string): ServerEvent | null {
    if (line === '') return this.dispatch();
    if (line.startsWith(':')) return null;
    const colon = line.indexOf(':');
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '');
    if (field === 'event') this.event = value;
    if (field === 'data') {
      this.data.push(value);
      this.chars += value.length;
    }
    return null;
  }

  private dispatch(): ServerEvent | null {
    const found = this.data.length > 0;
    const event = { event: this.event || 'message', data: this.data.join('\n') };
    this.event = '';
    this.data = [];
    this.chars = 0;
    return found ? event : null;
  }
}

// Calls `each` for every event until the stream ends; throws if it breaks.
export async function readEvents(
  body: ReadableStream<Uint8Array>,
  each: (event: ServerEvent) => void,
): Promise<void> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const parser = new EventStreamParser();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      for (const event of parser.push(decoder.decode(value, { stream: true }))) each(event);
    }
  } finally {
    void reader.cancel().catch(() => undefined);
  }
}
