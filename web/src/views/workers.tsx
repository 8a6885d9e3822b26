// The workers of the group and their partitions.

import type { WorkerPartition, WorkerRow } from '../api/types.ts';
import { bytes, count, duration, percent } from '../format/numbers.ts';
import { useLoad } from '../live/load.ts';
import { api } from '../live/session.ts';
import { Badge, StateBadge } from '../parts/badge.tsx';
import { Icon } from '../parts/icon.tsx';
import { Content } from '../parts/notice.tsx';
import { Progress } from '../parts/progress.tsx';
import { Time } from '../parts/time.tsx';
import { Title } from '../parts/title.tsx';

const kEveryMs = 2000;
const kMaxPartitions = 200;

export function Workers() {
  const loaded = useLoad((signal) => api.workers(signal), [], kEveryMs);
  return (
    <>
      <Title text="Workers" />
      <Content of={loaded}>
        {({ workers, unanswered }) => (
          <>
            {unanswered.length > 0 && (
              <section class="panel pad why-panel bad" aria-labelledby="silent">
                <Icon name="cross" />
                <div>
                  <h2 id="silent">Did not answer</h2>
                  <ul>
                    {unanswered.map((worker) => (
                      <li key={worker.id}><b>{worker.id}</b> {worker.url && <span class="muted">{worker.url}</span>}: {worker.reason}</li>
                    ))}
                  </ul>
                </div>
              </section>
            )}
            {workers.map((worker) => <Worker key={worker.id} worker={worker} />)}
            {workers.length === 0 && <p class="empty">No worker has announced itself.</p>}
          </>
        )}
      </Content>
    </>
  );
}

function Worker({ worker }: { worker: WorkerRow }) {
  return (
    <section class="panel worker" aria-label={`Worker ${worker.name ?? worker.id}`}>
      <header>
        <h2>{worker.name || worker.id}</h2>
        <Badge tone={worker.ready ? 'good' : 'warn'} icon={worker.ready ? 'check' : 'clock'} text={worker.ready ? 'ready' : 'not ready'} />
        {worker.reason && <span>{worker.reason}</span>}
        <span class="muted">
          {worker.version && <>version {worker.version} · </>}
          {worker.started && <>started <Time at={worker.started} /> · </>}
          {worker.url}
        </span>
      </header>
      {worker.queues.map(({ queue, partitions }) => (
        <div key={queue}>
          <h3>{queue} <span class="muted">{summary(partitions)}</span></h3>
          <div class="scroll" tabIndex={0} role="region" aria-label={`Partitions of ${queue} at ${worker.name ?? worker.id}`}>
            <table>
              <thead>
                <tr><th class="n">Partition</th><th>Phase</th><th class="n">Lease</th><th class="n">Jobs</th><th class="n">State</th><th>Restore</th></tr>
              </thead>
              <tbody>{partitions.slice(0, kMaxPartitions).map((each) => <Partition key={each.partition} partition={each} />)}</tbody>
            </table>
          </div>
          {partitions.length > kMaxPartitions && <p class="empty">{partitions.length - kMaxPartitions} more</p>}
        </div>
      ))}
    </section>
  );
}

function Partition({ partition }: { partition: WorkerPartition }) {
  const { restored, restore_end: end } = partition;
  const restoring = restored !== null && restored !== undefined && end !== null && end !== undefined && partition.phase !== 'running';
  return (
    <tr>
      <td class="n">{partition.partition}</td>
      <td><StateBadge state={partition.phase} /></td>
      <td class="n">{duration(partition.lease_ms)}</td>
      <td class="n">{count(partition.jobs)}</td>
      <td class="n">{bytes(partition.state_bytes)}</td>
      <td class="nowrap">
        {restoring ? <><Progress n={restored} total={end} label="Restored" /> {Math.floor(percent(restored, end))} %</> : <span class="muted">–</span>}
      </td>
    </tr>
  );
}

function summary(partitions: WorkerPartition[]): string {
  const phases = new Map<string, number>();
  for (const { phase } of partitions) phases.set(phase, (phases.get(phase) ?? 0) + 1);
  return [...phases].map(([phase, n]) => `${count(n)} ${phase}`).join(', ');
}
