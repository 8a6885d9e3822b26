// How long to wait before the connection is tried again, after `failures` failures in a row.

const kFirstMs = 500;
const kMaxMs = 15_000;

// `chance` is from 0 to 1; it spreads the pages that lost the same worker at the same moment.
export function backoffMs(failures: number, chance: number): number {
  const full = Math.min(kMaxMs, kFirstMs * 2 ** Math.max(0, failures - 1));
  return Math.round(full * (0.5 + chance / 2));
}
