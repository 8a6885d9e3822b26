// The waiting jobs of a queue by reason.

import { count } from '../../format/numbers.ts';
import { reasonWords, stateOfReason, waitingRows, waitingTotal } from '../../format/waiting.ts';
import { Bar } from '../../parts/progress.tsx';
import { href } from '../../shell/route.ts';

const kTones: Record<string, string> = {
  scheduled: 'r1', retrying: 'r4', ready: 'r2', limit: 'r3', paused: 'r6', breaker: 'r5', unknown_type: 'r5',
};

export function Waiting({ queue, waiting }: { queue: string; waiting: Record<string, number> }) {
  const rows = waitingRows(waiting);
  const tone = (reason: string) => kTones[reason] ?? 'r7';
  return (
    <div class="waiting">
      <h3>Waiting</h3>
      <Bar
        label="Waiting jobs"
        total={waitingTotal(waiting)}
        parts={rows.map(([reason, n]) => ({ label: reasonWords(reason), n, tone: tone(reason) }))}
      />
      <ul>
        {rows.map(([reason, n]) => (
          <li key={reason} class={n === 0 ? 'none' : ''}>
            <a href={href(['jobs'], { queue, state: stateOfReason(reason) })}>
              <span class={`swatch ${tone(reason)}`} aria-hidden="true" />
              <b>{count(n)}</b> {reasonWords(reason)}
            </a>
          </li>
        ))}
      </ul>
    </div>
  );
}
