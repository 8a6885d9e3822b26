// Which queues are paused as a whole, as far as a view has asked: not every worker says it with the queue.

import { Store } from './store.ts';

export const pausedQueues = new Store<ReadonlySet<string>>(new Set());

export function notePause(queue: string, paused: boolean): void {
  const next = new Set(pausedQueues.get());
  if (paused) next.add(queue);
  else next.delete(queue);
  pausedQueues.set(next);
}
