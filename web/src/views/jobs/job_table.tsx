// One page of jobs as a table with a box to select each.

import type { Job } from '../../api/types.ts';
import { StateBadge } from '../../parts/badge.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Time } from '../../parts/time.tsx';
import { jobHref } from '../../shell/route.ts';
import { keyOf, type Selection } from './selection_bar.tsx';

interface Props {
  jobs: Job[];
  selection: Selection;
  onSelect: (selection: Selection) => void;
}

export function JobTable({ jobs, selection, onSelect }: Props) {
  const toggle = (job: Job) => {
    const keys = new Set(selection.keys);
    if (!keys.delete(keyOf(job))) keys.add(keyOf(job));
    onSelect({ all: false, keys });
  };
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Table of jobs">
      <table class="jobs">
        <thead>
          <tr>
            <th><span class="hidden">Select</span></th>
            <th>Id</th>
            <th>State</th>
            <th>Type</th>
            <th>Account</th>
            <th class="n">Attempt</th>
            <th>Created</th>
            <th>Why, or the last error</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <Row
              key={keyOf(job)}
              job={job}
              selected={selection.all || selection.keys.has(keyOf(job))}
              toggle={() => toggle(job)}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Row({ job, selected, toggle }: { job: Job; selected: boolean; toggle: () => void }) {
  const why = job.state === 'dead' ? job.reason : (job.why ?? job.reason);
  return (
    <tr class={selected ? 'selected' : ''}>
      <td class="select">
        <label>
          <input type="checkbox" checked={selected} onChange={toggle} />
          <span class="hidden">Select {job.id}</span>
        </label>
      </td>
      <td class="clip id"><a href={jobHref(job)} title={job.id}>{job.id}</a></td>
      <td class="nowrap">
        <StateBadge state={job.state} />
        {job.progress && <Progress n={job.progress.n} total={job.progress.total} label="Progress" />}
      </td>
      <td class="nowrap">{job.type}</td>
      <td class="clip account" title={job.account}>{job.account}</td>
      <td class="n">{job.attempt}{job.max_attempts !== null && <span class="muted">/{job.max_attempts}</span>}</td>
      <td class="nowrap"><Time at={job.created} /></td>
      <td class="clip why" title={why ?? ''}>{why}</td>
    </tr>
  );
}
