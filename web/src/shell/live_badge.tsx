// Whether the figures are current. What is not live must be visible at once: old figures look like calm.

import { relative } from '../format/times.ts';
import { clock } from '../live/clock.ts';
import { live } from '../live/live.ts';
import { updates } from '../live/session.ts';
import { useStore } from '../live/store.ts';

export function LiveBadge() {
  const { state } = useStore(live);
  const good = state === 'live' || state === 'polling';
  const text = good ? 'Live' : state === 'connecting' ? 'Connecting' : 'Not live';
  return (
    <span class={`live ${good ? 'good' : state === 'connecting' ? 'plain' : 'bad'}`} role="status">
      <span class="pulse" aria-hidden="true" />
      {text}
    </span>
  );
}

export function NotLive() {
  const { state, at, error } = useStore(live);
  const now = useStore(clock);
  if (state !== 'lost') return null;
  return (
    <div class="not-live" role="alert">
      <strong>Not live.</strong>
      <span>
        {error ?? 'The connection to the worker is lost.'}{' '}
        {at === null ? '' : `The figures are from ${relative(at, now)}.`} Trying again.
      </span>
      <button type="button" onClick={() => updates.start()}>Try now</button>
    </div>
  );
}
