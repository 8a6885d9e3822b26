// The answer to enqueued jobs: one object for JSON, one line per job for NDJSON.

import { ApiError } from '../../api/client.ts';
import type { JobError } from '../../api/types.ts';

export interface Enqueued {
  queue: string;
  jobs: { id: string; account: string }[];
  // How many were enqueued; only the first ones are in `jobs`.
  count: number;
  errors: JobError[];
}

const kMaxListed = 20;

export function read(queue: string, status: number, text: string): Enqueued {
  const result: Enqueued = { queue, jobs: [], count: 0, errors: [] };
  for (const line of text.split('\n')) {
    if (line.trim() === '') continue;
    let value: Record<string, unknown>;
    try {
      value = JSON.parse(line) as Record<string, unknown>;
    } catch {
      throw new ApiError(status, `The worker answered ${status}.`, undefined, null);
    }
    take(result, value);
    if (value.status !== undefined && result.errors.length === 0) {
      throw new ApiError(status, String(value.detail ?? value.title), value.member as string | undefined, value);
    }
  }
  return result;
}

function take(result: Enqueued, value: Record<string, unknown>): void {
  const jobs = (value.jobs as { id: string; account: string }[] | undefined) ??
    (value.id !== undefined && value.errors === undefined ? [value as { id: string; account: string }] : []);
  result.count += jobs.length;
  result.jobs.push(...jobs.slice(0, kMaxListed - result.jobs.length));
  result.errors.push(...((value.errors as JobError[] | undefined) ?? []));
}
