// The states of a job, in the order in which a job passes through them, and how each is shown: never by color alone.

export type Tone = 'plain' | 'good' | 'warn' | 'bad' | 'busy';

interface Look {
  tone: Tone;
  icon: string;
}

export const kStates = [
  'scheduled', 'ready', 'waiting', 'running', 'retrying', 'succeeded', 'dead', 'cancelled', 'expired', 'duplicate',
] as const;

const kLooks: Record<string, Look> = {
  scheduled: { tone: 'plain', icon: 'clock' },
  ready: { tone: 'busy', icon: 'arrow' },
  waiting: { tone: 'warn', icon: 'hand' },
  running: { tone: 'busy', icon: 'play' },
  retrying: { tone: 'warn', icon: 'retry' },
  succeeded: { tone: 'good', icon: 'check' },
  dead: { tone: 'bad', icon: 'cross' },
  cancelled: { tone: 'plain', icon: 'stop' },
  expired: { tone: 'plain', icon: 'clock' },
  duplicate: { tone: 'plain', icon: 'copy' },
  paused: { tone: 'warn', icon: 'pause' },
  finished: { tone: 'good', icon: 'check' },
  open: { tone: 'bad', icon: 'cross' },
  half_open: { tone: 'warn', icon: 'retry' },
  restoring: { tone: 'warn', icon: 'retry' },
  claiming: { tone: 'warn', icon: 'arrow' },
  leaving: { tone: 'warn', icon: 'arrow' },
};

export function look(state: string): Look {
  return kLooks[state] ?? { tone: 'plain', icon: 'dot' };
}

export function hasEnded(state: string): boolean {
  return ['succeeded', 'dead', 'cancelled', 'expired', 'duplicate'].includes(state);
}

// What the command can change, by state (docs/job-record.md#commands).
export function canDo(op: string, state: string): boolean {
  if (op === 'delete') return true;
  if (op === 'retry') return state !== 'running';
  if (op === 'cancel') return !hasEnded(state);
  return !hasEnded(state) && state !== 'running';
}
