// Why the job is not running, with links to what it waits for.

import type { BlockedBy, Job } from '../../api/types.ts';
import { hasEnded } from '../../format/states.ts';
import { Icon } from '../../parts/icon.tsx';
import { href, jobHref } from '../../shell/route.ts';

export function Why({ job }: { job: Job }) {
  const dead = job.state === 'dead';
  const text = dead ? job.reason : (job.why ?? (hasEnded(job.state) ? job.reason : null));
  if (job.state === 'running' || (!text && !job.blocked_by?.length)) return null;
  return (
    <section class={`panel pad why-panel ${dead ? 'bad' : 'warn'}`} aria-labelledby="why">
      <Icon name={dead ? 'cross' : 'hand'} />
      <div>
        <h2 id="why">{dead ? 'Why it is dead' : hasEnded(job.state) ? 'Why it ended' : 'Why it is not running'}</h2>
        <p>{text ? sentence(text) : ''}</p>
        {job.blocked_by && job.blocked_by.length > 0 && (
          <ul class="chips">
            {job.blocked_by.map((by, index) => (
              <li key={index}>
                <b>{by.kind.replace(/_/g, ' ')}</b> <a href={linkTo(job, by)}>{by.name ?? 'see more'}</a>
              </li>
            ))}
          </ul>
        )}
        {job.reason && job.reason !== text && !text?.includes(job.reason) && <p class="muted">Last error: {job.reason}</p>}
      </div>
    </section>
  );
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

// The view that shows what the job waits for. `account` and `unique` name the job that is in the way.
export function linkTo(job: Job, by: BlockedBy): string {
  const { queue, account, type } = job;
  if (by.kind === 'limit') return href(['limits'], { find: by.name ?? undefined });
  if (['pause', 'paused', 'breaker'].includes(by.kind)) return href(['pauses']);
  if (['type', 'unknown_type'].includes(by.kind)) return href(['jobs'], { queue, type });
  if (by.kind === 'worker') return href(['workers']);
  if (by.kind === 'replay') return href(by.name ? ['replays', queue, by.name] : ['replays'], { queue });
  if (by.name && ['job', 'account', 'unique'].includes(by.kind)) return jobHref({ queue, account, id: by.name });
  return href(['jobs'], { queue, account });
}
