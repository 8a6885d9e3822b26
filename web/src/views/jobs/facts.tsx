// What is known about a job, in two columns.

import type { ComponentChildren } from 'preact';
import type { Job } from '../../api/types.ts';
import { count } from '../../format/numbers.ts';
import { hasEnded } from '../../format/states.ts';
import { absolute } from '../../format/times.ts';
import { Time } from '../../parts/time.tsx';
import { href } from '../../shell/route.ts';

export function Facts({ job }: { job: Job }) {
  const { queue, account, type } = job;
  const bulk = typeof job.bulk === 'string' ? job.bulk : job.bulk?.id;
  const replay = typeof job.replay === 'string' ? job.replay : job.replay?.id;
  return (
    <section class="panel pad" aria-labelledby="facts">
      <h2 id="facts">Job</h2>
      <dl class="facts">
        <Fact name="Type"><a href={href(['jobs'], { queue, type })}>{type}</a></Fact>
        <Fact name="Account"><a href={href(['jobs'], { queue, account })}>{account}</a></Fact>
        <Fact name="Queue"><a href={href(['jobs'], { queue })}>{queue}</a></Fact>
        <Fact name="Attempt">{job.attempt}{job.max_attempts !== null && ` of ${job.max_attempts}`}</Fact>
        {job.snoozes ? <Fact name="Snoozes in a row">{count(job.snoozes)}</Fact> : null}
        <When name="Created" at={job.created} />
        {!hasEnded(job.state) && <When name="Due" at={job.run_at} />}
        <When name="Started" at={job.started} />
        <When name="Ended" at={job.ended} />
        <When name="Expires" at={job.expires_at} />
        {bulk && <Fact name="Bulk"><a href={href(['jobs'], { queue, account, bulk })}>{bulk}</a></Fact>}
        {replay && <Fact name="Replay"><a href={href(['replays', queue, replay])}>{replay}</a></Fact>}
        {job.priority !== undefined && job.priority !== null && job.priority !== 0 && <Fact name="Priority">{job.priority}</Fact>}
        {job.weight !== undefined && job.weight !== null && job.weight !== 1 && <Fact name="Weight">{job.weight}</Fact>}
      </dl>
    </section>
  );
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return <div><dt>{name}</dt><dd>{children}</dd></div>;
}

function When({ name, at }: { name: string; at: string | null | undefined }) {
  if (!at) return null;
  return (
    <Fact name={name}>
      {absolute(at)} <span class="muted">(<Time at={at} />)</span>
    </Fact>
  );
}
