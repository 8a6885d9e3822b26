// Which queue a view shows: the one in the address, otherwise the one that was shown last, otherwise the first.

import { live } from '../live/live.ts';
import { useStore } from '../live/store.ts';
import { href, replace, route } from '../shell/route.ts';

const kKey = 'penstock-queue';

export function useQueue(): string | null {
  const { query } = useStore(route);
  const { queues } = useStore(live);
  if (!queues || queues.length === 0) return query.queue ?? null;
  const names = queues.map((queue) => queue.queue);
  const wanted = query.queue ?? sessionStorage.getItem(kKey);
  if (query.queue) sessionStorage.setItem(kKey, query.queue);
  return wanted && names.includes(wanted) ? wanted : (names[0] ?? null);
}

export function QueueSelect({ queue }: { queue: string }) {
  const { queues } = useStore(live);
  const { path, query } = useStore(route);
  const names = queues?.map((each) => each.queue) ?? [queue];
  const choose = (name: string) => replace(href(path, { ...query, queue: name, after: undefined }));
  return (
    <label class="field inline">
      <span>Queue</span>
      <select value={queue} onChange={(event) => choose(event.currentTarget.value)}>
        {names.map((name) => (
          <option key={name} value={name}>{name}</option>
        ))}
      </select>
    </label>
  );
}
