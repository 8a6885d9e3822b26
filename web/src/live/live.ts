// The state of all queues, kept up to date from the worker's event stream. A worker without the stream is asked every
// two seconds instead. While the tab is hidden nothing is connected: browsers allow six connections per host, which
// all tabs share.

import { ApiError, type Client } from '../api/client.ts';
import { readEvents } from '../api/event_stream.ts';
import type { Penstock } from '../api/penstock.ts';
import type { Queue } from '../api/types.ts';
import { backoffMs } from './backoff.ts';
import { Store } from './store.ts';

export interface Live {
  // `polling` is live as well, from a worker that has no event stream.
  state: 'connecting' | 'live' | 'polling' | 'lost' | 'hidden';
  queues: Queue[] | null;
  workers: number | null;
  // When the figures were received, by this machine's clock.
  at: number | null;
  error: string | null;
}

const kPollMs = 2000;
const kSilenceMs = 6000;

export const live = new Store<Live>({ state: 'connecting', queues: null, workers: null, at: null, error: null });

function change(part: Partial<Live>): void {
  live.set({ ...live.get(), ...part });
}

export class LiveUpdates {
  private stop: AbortController | null = null;

  constructor(
    private readonly api: Penstock,
    private readonly client: Client,
  ) {}

  start(): void {
    this.stop?.abort();
    const stop = new AbortController();
    this.stop = stop;
    change({ state: 'connecting', error: null });
    void this.follow(stop.signal);
  }

  end(state: 'hidden' | 'lost'): void {
    this.stop?.abort();
    this.stop = null;
    change({ state });
  }

  private async follow(signal: AbortSignal): Promise<void> {
    let failures = 0;
    let streams = true;
    while (!signal.aborted) {
      try {
        // The first figures come from a plain request: the stream's first event can take a second.
        change({ queues: await this.api.queues(signal), at: Date.now(), ...(streams ? {} : { state: 'polling', error: null }) });
        if (streams) streams = await this.stream(signal, () => (failures = 0));
        else failures = 0;
        if (!streams) await sleep(kPollMs, signal);
        else throw new Error('The worker ended the stream.');
      } catch (error) {
        if (signal.aborted) return;
        if (error instanceof ApiError && error.status === 401) return;
        failures++;
        change({ state: 'lost', error: error instanceof Error ? error.message : String(error) });
        await sleep(backoffMs(failures, Math.random()), signal);
      }
    }
  }

  // Returns false if the worker has no event stream.
  private async stream(signal: AbortSignal, received: () => void): Promise<boolean> {
    const silence = new AbortController();
    const forward = () => silence.abort();
    signal.addEventListener('abort', forward);
    let timer = setTimeout(forward, kSilenceMs);
    try {
      const response = await this.client.raw('GET', 'v1/events', {
        headers: { accept: 'text/event-stream' },
        signal: silence.signal,
      });
      if (response.status === 404) return false;
      if (!response.ok || !response.body) throw new Error(`The worker answered ${response.status}.`);
      await readEvents(response.body, (event) => {
        clearTimeout(timer);
        timer = setTimeout(forward, kSilenceMs);
        if (event.event !== 'status') return;
        const status = JSON.parse(event.data) as { queues: Queue[]; workers?: number };
        received();
        change({ state: 'live', queues: status.queues, workers: status.workers ?? null, at: Date.now(), error: null });
      });
      return true;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', forward);
    }
  }
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
