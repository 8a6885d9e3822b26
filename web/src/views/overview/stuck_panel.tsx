// The list of what needs a person, with the button that fixes it beside each.

import { useState } from 'preact/hooks';
import { ask } from '../../actions/ask.ts';
import { live } from '../../live/live.ts';
import { useLoad } from '../../live/load.ts';
import { pausedQueues } from '../../live/paused.ts';
import { api, operatorName } from '../../live/session.ts';
import { useStore } from '../../live/store.ts';
import { Icon } from '../../parts/icon.tsx';
import { tell, tellError } from '../../shell/toasts.tsx';
import type { Queue } from '../../api/types.ts';
import { groupDead, groupFailures } from '../dead/groups.ts';
import { stuckItems, type Fix, type StuckItem } from './stuck.ts';

const kEveryMs = 5000;
// Dead jobs per queue that are looked at if the worker does not count them; the groups say `+` if there are more.
const kDeadSample = 200;
const kMaxShown = 12;

// What a worker refuses or does not have counts as nothing: the rest of the panel still helps.
async function orElse<T>(answer: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await answer;
  } catch {
    return otherwise;
  }
}

async function loadSituation(signal: AbortSignal) {
  const names = (live.get().queues ?? []).map((queue) => queue.queue);
  const [pauses, breakers, limits, workers, replays, dead] = await Promise.all([
    orElse(api.pauses(signal), []),
    orElse(api.breakers(signal), []),
    orElse(api.limits(signal), []),
    orElse(api.workers(signal), null),
    Promise.all(names.map((name) => orElse(api.replays(name, signal), []))),
    Promise.all((live.get().queues ?? []).map((queue) => loadDead(queue, signal))),
  ]);
  pausedQueues.set(new Set(pauses.filter((pause) => !pause.type && !pause.account).map((pause) => pause.queue)));
  return { pauses, breakers, limits, workers, replays: replays.flat(), dead };
}

async function loadDead({ queue, failures }: Queue, signal: AbortSignal) {
  if (failures?.some((failure) => failure.dead !== undefined)) return { queue, groups: groupFailures(failures), more: false };
  const page = await orElse(api.jobs(queue, { state: 'dead' }, null, kDeadSample, signal), null);
  return { queue, groups: groupDead(page?.rows ?? []), more: (page?.after ?? null) !== null };
}

export function StuckPanel() {
  const { queues } = useStore(live);
  const names = (queues ?? []).map((queue) => queue.queue).join('\n');
  const loaded = useLoad(loadSituation, [names], kEveryMs);
  const [all, setAll] = useState(false);
  const items = queues && loaded.data ? stuckItems({ queues, ...loaded.data }) : null;
  const shown = all ? items : items?.slice(0, kMaxShown);
  return (
    <section class="panel stuck" aria-labelledby="stuck">
      <header>
        <h2 id="stuck">Stuck</h2>
        {items && items.length > 0 && (
          <span class={`tally ${items.some((item) => item.bad) ? 'bad' : 'warn'}`}>{items.length}</span>
        )}
      </header>
      {items === null ? (
        <p class="empty" role="status">Looking…</p>
      ) : items.length === 0 ? (
        <p class="empty all-clear"><Icon name="check" /> Nothing needs you</p>
      ) : (
        <ul>{shown?.map((item) => <Row key={item.key} item={item} done={loaded.reload} />)}</ul>
      )}
      {items && items.length > kMaxShown && (
        <button type="button" class="quiet more" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show ${items.length - kMaxShown} more`}
        </button>
      )}
    </section>
  );
}

function Row({ item, done }: { item: StuckItem; done: () => void }) {
  const { fix } = item;
  return (
    <li class={item.bad ? 'bad' : 'warn'}>
      <Icon name={item.bad ? 'cross' : 'hand'} />
      <div>
        <h3>{item.title}</h3>
        {item.detail && <p title={item.detail}>{item.detail}</p>}
        <div class="actions">
          {fix && (
            <button type="button" class="small" aria-label={`${fix.label} (${item.title})`} onClick={() => void apply(fix, done)}>
              {fix.label}
            </button>
          )}
          {item.links.map((link) => (
            <a key={link.href} href={link.href} aria-label={`${link.text} (${item.title})`}>{link.text}</a>
          ))}
        </div>
      </div>
    </li>
  );
}

async function apply(fix: Fix, done: () => void): Promise<void> {
  if (fix.kind === 'retry') {
    ask({ op: 'retry', queue: fix.queue, filter: fix.filter, onDone: done });
    return;
  }
  try {
    if (fix.kind === 'resume') {
      await api.pause('resume', fix.pause, operatorName());
      tell('Resumed.');
    } else if (fix.kind === 'reset') {
      await api.resetLimit(fix.limit);
      tell(`Reset the limit ${fix.limit} to the config.`);
    } else {
      await api.changeReplay(fix.queue, fix.id, 'resume', operatorName());
      tell(`Resumed the replay ${fix.id}.`);
    }
    done();
  } catch (error) {
    tellError(error);
  }
}
