// The failed attempts of a job, the latest first.

import type { Attempt, Job } from '../../api/types.ts';
import { Icon } from '../../parts/icon.tsx';
import { Time } from '../../parts/time.tsx';

export function Attempts({ job }: { job: Job }) {
  const attempts = [...(job.attempts ?? latest(job))].sort((a, b) => b.at.localeCompare(a.at));
  return (
    <section class="panel pad" aria-labelledby="attempts">
      <h2 id="attempts">Failed attempts</h2>
      {attempts.length === 0 ? (
        <p class="muted">No attempt has failed.</p>
      ) : (
        <ol class="attempts">
          {attempts.map((attempt, index) => (
            <li key={index}>
              <Icon name="cross" />
              <div>
                <p><b>Attempt {attempt.attempt}</b> <span class="muted"><Time at={attempt.at} /></span></p>
                <p class="error-name">{attempt.error}</p>
              </div>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

// A worker that keeps no history still knows the last error.
function latest(job: Job): Attempt[] {
  if (!job.reason || job.state === 'succeeded') return [];
  const attempt = job.state === 'dead' ? job.attempt : job.attempt - 1;
  return [{ attempt: Math.max(1, attempt), at: job.started ?? '', error: job.reason }];
}
