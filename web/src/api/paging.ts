// Pages of a list. A worker may answer with fewer rows than the limit although there are more, so a page of the view is
// filled with as many requests as it takes, up to a bound; what is then missing is on the next page.

import type { Page } from './types.ts';

export const kMaxRequestsPerPage = 8;

export type LoadPage<Row> = (after: string | null, limit: number) => Promise<Page<Row>>;

export async function fillPage<Row>(
  load: LoadPage<Row>,
  after: string | null,
  limit: number,
  maxRequests = kMaxRequestsPerPage,
): Promise<Page<Row>> {
  const rows: Row[] = [];
  const missing = new Set<number>();
  let next = after;
  for (let request = 0; request < maxRequests && rows.length < limit; request++) {
    const page = await load(next, limit - rows.length);
    rows.push(...page.rows);
    page.missing.forEach((partition) => missing.add(partition));
    next = page.after;
    if (next === null) break;
  }
  return { rows, after: next, missing: [...missing].sort((a, b) => a - b) };
}
