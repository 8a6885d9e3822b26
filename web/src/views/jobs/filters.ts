// The filters of the list of jobs, as they are in the address.

import type { JobFilter } from '../../api/penstock.ts';

export const kFilterNames = ['state', 'type', 'account', 'id', 'error', 'bulk', 'from', 'to'] as const;

export function filterOf(query: Record<string, string>): JobFilter {
  const filter: JobFilter = {};
  for (const name of kFilterNames) {
    const value = query[name]?.trim();
    if (value) filter[name] = value;
  }
  return filter;
}

export function isEmpty(filter: JobFilter): boolean {
  return kFilterNames.every((name) => !filter[name]);
}
