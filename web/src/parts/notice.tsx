// What a view shows instead of its content: that it loads, that there is nothing, or what went wrong.

import type { ComponentChildren } from 'preact';
import { messageOf } from '../api/client.ts';
import type { Loaded } from '../live/load.ts';
import { Icon } from './icon.tsx';

export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="empty">{children}</p>;
}

export function Problem({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div class="problem" role="alert">
      <Icon name="cross" />
      <span>{messageOf(error)}</span>
      {retry && (
        <button type="button" onClick={retry}>Try again</button>
      )}
    </div>
  );
}

// Shows the content once there is some; an error is shown above the last content that arrived.
export function Content<T>({ of, children }: { of: Loaded<T>; children: (data: T) => ComponentChildren }) {
  return (
    <>
      {of.error !== null && of.error !== undefined && <Problem error={of.error} retry={of.reload} />}
      {of.data !== undefined ? children(of.data) : of.error ? null : <p class="empty" role="status">Loading…</p>}
    </>
  );
}

// Partitions of workers that did not answer are not in a list; a person has to know.
export function Missing({ partitions }: { partitions: number[] }) {
  if (partitions.length === 0) return null;
  return (
    <p class="note warn">
      <Icon name="cross" /> Incomplete: no answer from the workers of{' '}
      {partitions.length === 1 ? 'partition' : 'partitions'} {partitions.slice(0, 20).join(', ')}
      {partitions.length > 20 ? '…' : ''}.
    </p>
  );
}
