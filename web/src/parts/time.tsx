// A time relative to now, with the full time as its title.

import { absolute, relative, toMs } from '../format/times.ts';
import { clock } from '../live/clock.ts';
import { useStore } from '../live/store.ts';

export function Time({ at }: { at: string | number | null | undefined }) {
  const now = useStore(clock);
  const ms = toMs(at);
  if (ms === null) return <span class="muted">–</span>;
  return (
    <time dateTime={new Date(ms).toISOString()} title={absolute(ms)}>
      {relative(ms, now)}
    </time>
  );
}
