// Sends jobs.

import { api } from '../../live/session.ts';
import { read, type Enqueued } from './answer.ts';

// The key makes it safe to send the same jobs again when the answer was lost.
export async function send(queue: string, text: string, type: string, key: string): Promise<Enqueued> {
  const response = await api.enqueue(queue, text, type, key);
  return read(queue, response.status, await response.text());
}
