// The replays of a queue.

import type { Replay } from '../../api/types.ts';
import { count, percent } from '../../format/numbers.ts';
import { useLoad } from '../../live/load.ts';
import { api } from '../../live/session.ts';
import { StateBadge } from '../../parts/badge.tsx';
import { Content } from '../../parts/notice.tsx';
import { Progress } from '../../parts/progress.tsx';
import { QueueSelect, useQueue } from '../../parts/queue_select.tsx';
import { Time } from '../../parts/time.tsx';
import { Title } from '../../parts/title.tsx';
import { href } from '../../shell/route.ts';
import { StartForm } from './start_form.tsx';

const kEveryMs = 3000;

export function Replays() {
  const queue = useQueue();
  return (
    <>
      <Title text="Replays">{queue !== null && <QueueSelect queue={queue} />}</Title>
      {queue !== null && <List key={queue} queue={queue} />}
    </>
  );
}

function List({ queue }: { queue: string }) {
  const loaded = useLoad((signal) => api.replays(queue, signal), [queue], kEveryMs);
  return (
    <>
      <Content of={loaded}>
        {(replays) => (
          <section class="panel" aria-label="Replays">
            {replays.length === 0 ? <p class="empty">There is no replay. Start one below.</p> : (
              <div class="scroll" tabIndex={0} role="region" aria-label="Table of replays">
                <table class="wide">
                  <thead>
                    <tr><th>Name</th><th>State</th><th>Records read</th><th class="n">Copies</th><th class="n">Dead</th><th>Started</th><th>By</th></tr>
                  </thead>
                  <tbody>{replays.map((replay) => <Row key={replay.id} replay={replay} />)}</tbody>
                </table>
              </div>
            )}
          </section>
        )}
      </Content>
      <StartForm queue={queue} started={loaded.reload} />
    </>
  );
}

function Row({ replay }: { replay: Replay }) {
  return (
    <tr>
      <td><a href={href(['replays', replay.queue, replay.id])}>{replay.id}</a></td>
      <td><StateBadge state={replay.state} /></td>
      <td class="nowrap">
        <Progress n={replay.scanned} total={replay.records} label={`Records of ${replay.id}`} />{' '}
        {Math.floor(percent(replay.scanned, replay.records))} %
      </td>
      <td class="n">{count(replay.admitted + replay.sent)}</td>
      <td class="n">{count(replay.ended?.dead ?? 0)}</td>
      <td class="nowrap"><Time at={replay.started_at} /></td>
      <td>{replay.started_by}</td>
    </tr>
  );
}
