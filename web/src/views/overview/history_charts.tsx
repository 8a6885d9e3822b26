// The last hour of a queue, from the figures that the workers keep.

import { duration, rate, short } from '../../format/numbers.ts';
import { useLoad } from '../../live/load.ts';
import { api } from '../../live/session.ts';
import { Chart } from '../../parts/chart.tsx';

const kEveryMs = 10_000;

export function HistoryCharts({ queue }: { queue: string }) {
  const { data, absent } = useLoad((signal) => api.history(queue, signal), [queue], kEveryMs);
  if (absent) return null;
  const points = data?.points ?? [];
  const seconds = (data?.step_ms ?? 10_000) / 1000;
  const at = points.map((point) => Date.parse(point.at) / 1000);
  return (
    <div class="charts">
      <Chart
        title="Jobs/s"
        at={at}
        format={rate}
        series={[
          { label: 'in', tone: 1, values: points.map((point) => point.in / seconds) },
          { label: 'out', tone: 2, dash: [6, 3], values: points.map((point) => point.out / seconds) },
          { label: 'failed', tone: 3, dash: [2, 3], values: points.map((point) => point.failed / seconds) },
        ]}
      />
      <Chart
        title="Running"
        at={at}
        format={short}
        series={[{ label: 'running', tone: 1, values: points.map((point) => point.running) }]}
      />
      <Chart
        title="Oldest ready"
        at={at}
        format={(ms) => duration(ms)}
        series={[{ label: 'oldest ready', tone: 4, values: points.map((point) => point.oldest_ready_ms) }]}
      />
    </div>
  );
}
