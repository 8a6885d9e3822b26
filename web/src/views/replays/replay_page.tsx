// One replay: how far it is, what became copies, and what can be done with it.

import { useState } from 'preact/hooks';
import type { Replay } from '../../api/types.ts';
import { count, percent, plural } from '../../format/numbers.ts';
import { useLoad } from '../../live/load.ts';
import { api, operatorName } from '../../live/session.ts';
import { StateBadge } from '../../parts/badge.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Json } from '../../parts/json.tsx';
import { Content } from '../../parts/notice.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Time } from '../../parts/time.tsx';
import { Title } from '../../parts/title.tsx';
import { go, href } from '../../shell/route.ts';
import { tell, tellError } from '../../shell/toasts.tsx';

const kEveryMs = 1500;
const kOps: Record<string, [op: string, text: string, icon: string][]> = {
  running: [['pause', 'Pause', 'pause'], ['cancel', 'Cancel…', 'stop']],
  paused: [['resume', 'Resume', 'play'], ['cancel', 'Cancel…', 'stop']],
  cancelled: [['delete', 'Delete…', 'trash']],
  finished: [['delete', 'Delete…', 'trash']],
};

export function ReplayPage({ queue, id }: { queue: string; id: string }) {
  const loaded = useLoad((signal) => api.replay(queue, id, signal), [queue, id], kEveryMs);
  const replay = loaded.data;
  return (
    <>
      <nav class="crumbs" aria-label="Breadcrumb"><a href={href(['replays'], { queue })}>Replays of {queue}</a></nav>
      <Title text={id}>{replay && <StateBadge state={replay.state} />}</Title>
      <Content of={loaded}>{(data) => <Body replay={data} reload={loaded.reload} />}</Content>
    </>
  );
}

function Body({ replay, reload }: { replay: Replay; reload: () => void }) {
  const ended = Object.entries(replay.ended ?? {});
  return (
    <>
      <Actions replay={replay} reload={reload} />
      {replay.reason && (
        <section class="panel pad why-panel warn" aria-labelledby="why">
          <Icon name="pause" />
          <div><h2 id="why">Why it is paused</h2><p>{replay.reason}</p></div>
        </section>
      )}
      <div class="columns">
        <section class="panel pad" aria-labelledby="progress">
          <h2 id="progress">Progress</h2>
          <p class="row">
            <Progress n={replay.scanned} total={replay.records} label="Records read" />
            {count(replay.scanned)} of {plural(replay.records, 'record')} read ({Math.floor(percent(replay.scanned, replay.records))} %)
          </p>
          <dl class="facts">
            <div><dt>Matched</dt><dd>{count(replay.matched)}</dd></div>
            <div><dt>Copies</dt><dd>{count(replay.admitted + replay.sent)}</dd></div>
            <div><dt>Waiting</dt><dd>{count(replay.waiting)}</dd></div>
            <div><dt>Running</dt><dd>{count(replay.running)}</dd></div>
            {ended.map(([state, n]) => <div key={state}><dt>{state}</dt><dd>{count(n)}</dd></div>)}
            {Object.entries(replay.left_out ?? {}).filter(([, n]) => n > 0).map(([reason, n]) => (
              <div key={reason}><dt>Left out: {reason}</dt><dd>{count(n)}</dd></div>
            ))}
            <div><dt>Started</dt><dd><Time at={replay.started_at} />{replay.started_by && ` by ${replay.started_by}`}</dd></div>
            {replay.estimated_end && <div><dt>Expected end</dt><dd><Time at={replay.estimated_end} /></dd></div>}
          </dl>
        </section>
        {replay.terms && (
          <section class="panel pad" aria-labelledby="terms">
            <h2 id="terms">Terms</h2>
            <Json value={replay.terms} label="Terms as JSON" />
          </section>
        )}
      </div>
      {replay.partitions && replay.partitions.length > 0 && (
        <section class="panel" aria-label="Partitions">
          <div class="scroll" tabIndex={0} role="region" aria-label="Table of partitions">
            <table>
              <thead><tr><th class="n">Partition</th><th>Records read</th><th class="n">From</th><th class="n">Next</th><th class="n">To</th></tr></thead>
              <tbody>
                {replay.partitions.map((each) => (
                  <tr key={each.partition}>
                    <td class="n">{each.partition}</td>
                    <td><Progress n={each.next - each.from} total={each.to - each.from} label={`Partition ${each.partition}`} /></td>
                    <td class="n">{count(each.from)}</td>
                    <td class="n">{count(each.next)}</td>
                    <td class="n">{count(each.to)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </section>
      )}
    </>
  );
}

function Actions({ replay, reload }: { replay: Replay; reload: () => void }) {
  const [asked, setAsked] = useState<string | null>(null);
  const run = async (op: string) => {
    setAsked(null);
    try {
      await api.changeReplay(replay.queue, replay.id, op, operatorName());
      tell({ pause: 'Paused.', resume: 'Resumed.', cancel: 'Cancelled.', delete: 'Deleted.' }[op] ?? 'Done.');
      if (op === 'delete') go(href(['replays'], { queue: replay.queue }));
      else reload();
    } catch (error) {
      tellError(error);
    }
  };
  return (
    <div class="toolbar" role="group" aria-label="Actions">
      {(kOps[replay.state] ?? []).map(([op, text, icon]) => (
        <button key={op} type="button" onClick={() => (text.endsWith('…') ? setAsked(op) : void run(op))}>
          <Icon name={icon} /> {text}
        </button>
      ))}
      {asked && (
        <Dialog title={`${asked === 'cancel' ? 'Cancel' : 'Delete'} the replay ${replay.id}`} onClose={() => setAsked(null)}>
          <div class="dialog-body">
            <p>
              {asked === 'cancel'
                ? 'Copies that wait end as cancelled. Copies that have run cannot be undone.'
                : 'The replay is forgotten. Its copies stay as they are.'}
            </p>
            <footer>
              <button type="button" onClick={() => setAsked(null)}>Back</button>
              <button type="button" class="danger" onClick={() => void run(asked)}>
                {asked === 'cancel' ? 'Cancel the replay' : 'Delete the replay'}
              </button>
            </footer>
          </div>
        </Dialog>
      )}
    </div>
  );
}
