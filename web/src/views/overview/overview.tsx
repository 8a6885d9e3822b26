// The first view: what is stuck, and how each queue is doing.

import { live } from '../../live/live.ts';
import { useStore } from '../../live/store.ts';
import { Title } from '../../parts/title.tsx';
import { Icon } from '../../parts/icon.tsx';
import { QueueCard } from './queue_card.tsx';
import { StuckPanel } from './stuck_panel.tsx';

// With more queues than this, charts are shown on request.
const kMaxChartedQueues = 3;

export function Overview() {
  const { queues } = useStore(live);
  return (
    <>
      <Title text="Overview">
        <a class="button" href="#/enqueue"><Icon name="enqueue" /> Enqueue</a>
      </Title>
      <div class="overview">
        <StuckPanel />
        <div class="queues">
          {queues === null && <section class="panel queue-card" aria-busy="true"><p class="empty">Loading…</p></section>}
          {queues?.length === 0 && <p class="empty">This worker runs no queue.</p>}
          {queues?.map((queue) => (
            <QueueCard key={queue.queue} queue={queue} charts={queues.length <= kMaxChartedQueues} />
          ))}
        </div>
      </div>
    </>
  );
}
