// Dead jobs, which are still in the state and can be retried, and the bad records of the dead topic.

import { useStore } from '../../live/store.ts';
import { QueueSelect, useQueue } from '../../parts/queue_select.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Title } from '../../parts/title.tsx';
import { href, route } from '../../shell/route.ts';
import { DeadJobs } from './dead_jobs.tsx';
import { DeadRecords } from './dead_records.tsx';

export function Dead() {
  const { path } = useStore(route);
  const queue = useQueue();
  const records = path[1] === 'records';
  const query = { queue: queue ?? undefined };
  return (
    <>
      <Title text={records ? 'Bad records' : 'Dead jobs'}>{queue !== null && <QueueSelect queue={queue} />}</Title>
      <Tabs
        label="Dead"
        tabs={[
          { text: 'Dead jobs', href: href(['dead'], query), current: !records },
          { text: 'Bad records', href: href(['dead', 'records'], query), current: records },
        ]}
      />
      {queue !== null && (
        records ? <DeadRecords key={queue} queue={queue} /> : <DeadJobs key={queue} queue={queue} />
      )}
    </>
  );
}
