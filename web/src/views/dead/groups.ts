// Dead jobs grouped by type and reason. Errors that differ only in numbers and ids are one group. A group is built from
// jobs, or from what the worker has counted.

import type { Failure, Job } from '../../api/types.ts';
import { literal, splitReason, template } from '../../format/errors.ts';

export interface DeadGroup {
  key: string;
  type: string;
  // The reason's name, such as attempts_exhausted.
  name: string;
  // The error, with … for what varies.
  error: string;
  // A text that the reason of every job of the group contains, for the filter `error`.
  literal: string;
  count: number;
  first: string | null;
  last: string | null;
  // Not known of what the worker has counted.
  accounts?: number;
}

export function groupDead(jobs: Job[]): DeadGroup[] {
  const groups = new Map<string, { group: DeadGroup; accounts: Set<string> }>();
  for (const job of jobs) {
    const reason = splitReason(job.reason);
    const error = template(reason.error);
    const key = JSON.stringify([job.type, reason.name, error]);
    const at = job.ended ?? job.started ?? job.created;
    let entry = groups.get(key);
    if (!entry) {
      const group: DeadGroup = {
        key,
        type: job.type,
        name: reason.name,
        error,
        literal: literal(error) || reason.name,
        count: 0,
        first: at,
        last: at,
        accounts: 0,
      };
      entry = { group, accounts: new Set() };
      groups.set(key, entry);
    }
    entry.accounts.add(job.account);
    entry.group.count++;
    entry.group.accounts = entry.accounts.size;
    if (at !== null && (entry.group.first === null || at < entry.group.first)) entry.group.first = at;
    if (at !== null && (entry.group.last === null || at > entry.group.last)) entry.group.last = at;
  }
  return [...groups.values()].map(({ group }) => group).sort((a, b) => b.count - a.count);
}

export function groupFailures(failures: Failure[]): DeadGroup[] {
  const groups = new Map<string, DeadGroup>();
  for (const failure of failures.filter((each) => each.dead)) {
    const reason = splitReason(failure.error);
    const error = template(reason.error);
    const key = JSON.stringify([failure.type, reason.name, error]);
    const old = groups.get(key);
    const count = (old?.count ?? 0) + (failure.jobs ?? failure.count ?? 0);
    const { type, last } = failure;
    groups.set(key, { key, type, name: reason.name, error, literal: literal(error) || reason.name, count, first: null, last });
  }
  return [...groups.values()].sort((a, b) => b.count - a.count);
}
