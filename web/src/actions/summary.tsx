// Parts of the action dialog: which jobs are meant, a few of them, and what went wrong.

import type { JobFilter } from '../api/penstock.ts';
import type { Job } from '../api/types.ts';
import { count, plural } from '../format/numbers.ts';
import { absolute } from '../format/times.ts';
import type { Outcome } from './run.ts';

const kWords: Record<keyof JobFilter, string> = {
  state: 'state',
  type: 'type',
  account: 'account',
  bulk: 'bulk',
  error: 'error contains',
  id: 'id begins with',
  from: 'created from',
  to: 'created before',
};

export function Filters({ queue, filter }: { queue: string; filter: JobFilter }) {
  const given = (Object.keys(kWords) as (keyof JobFilter)[]).filter((name) => filter[name]);
  return (
    <ul class="chips" aria-label="Which jobs">
      <li><b>queue</b> {queue}</li>
      {given.map((name) => (
        <li key={name}>
          <b>{kWords[name]}</b> {name === 'from' || name === 'to' ? absolute(filter[name]) : filter[name]}
        </li>
      ))}
      {given.length === 0 && <li class="warn"><b>every job</b> of the queue</li>}
    </ul>
  );
}

export function Sample({ jobs, total }: { jobs: Job[]; total: number }) {
  if (jobs.length === 0) return null;
  return (
    <ul class="sample">
      {jobs.map((job) => (
        <li key={`${job.account}/${job.id}`}>
          <code>{job.id}</code> <span class="muted">{job.type} · {job.account} · {job.state}</span>
        </li>
      ))}
      {total > jobs.length && <li class="muted">and {count(total - jobs.length)} more</li>}
    </ul>
  );
}

export function Errors({ outcome }: { outcome: Outcome }) {
  return (
    <div role="alert">
      <p>
        <strong>{plural(outcome.sent, 'job')} done</strong>
        {outcome.errors.length > 0 && `, ${count(outcome.errors.length)} failed`}
        {outcome.stopped && '. Stopped before the rest.'}
      </p>
      <ul class="sample">
        {outcome.errors.slice(0, 10).map((error, index) => (
          <li key={index}>
            {error.id && <code>{error.id}</code>} {error.detail}
          </li>
        ))}
      </ul>
    </div>
  );
}
