// The reasons for which jobs wait, as a worker counts them, in words, and the state that lists such jobs.

const kWords: Record<string, string> = {
  scheduled: 'not due yet',
  retrying: 'waiting to retry',
  ready: 'ready to start',
  limit: 'at a limit',
  unique: 'behind a unique key',
  paused: 'paused',
  breaker: 'at a breaker',
  unknown_type: 'of an unknown type',
  replay: 'copies of a replay',
  worker: 'for their worker',
  account: 'behind their account',
  batch: 'collecting a batch',
};

export function reasonWords(reason: string): string {
  return kWords[reason] ?? reason.replace(/_/g, ' ');
}

export function stateOfReason(reason: string): string {
  return ['scheduled', 'retrying', 'ready'].includes(reason) ? reason : 'waiting';
}

// The usual reasons are always shown, each at its place, so that nothing moves while the numbers change.
const kUsual = ['scheduled', 'ready', 'retrying', 'account', 'limit', 'unique', 'paused', 'breaker', 'unknown_type'];

export function waitingRows(waiting: Record<string, number>): [string, number][] {
  const others = Object.keys(waiting).filter((reason) => !kUsual.includes(reason) && (waiting[reason] ?? 0) > 0);
  return [...kUsual, ...others.sort()].map((reason) => [reason, waiting[reason] ?? 0]);
}

export function waitingTotal(waiting: Record<string, number> | undefined): number {
  return Object.values(waiting ?? {}).reduce((sum, n) => sum + n, 0);
}
