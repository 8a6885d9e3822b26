// What was enqueued, with links, and what was refused.

import { count, plural } from '../../format/numbers.ts';
import { Icon } from '../../parts/icon.tsx';
import { href, jobHref } from '../../shell/route.ts';
import type { Enqueued } from './answer.ts';

export function Result({ result }: { result: Enqueued }) {
  const { queue, jobs, errors } = result;
  return (
    <section class="panel pad" aria-labelledby="result">
      <h2 id="result">
        <Icon name={errors.length === 0 ? 'check' : 'cross'} /> {plural(result.count, 'job')} enqueued
        {errors.length > 0 && `, ${count(errors.length)} refused`}
      </h2>
      {errors.length > 0 && (
        <ul class="sample error-text">
          {errors.slice(0, 10).map((error, index) => (
            <li key={index}>
              {error.index !== undefined && `Job ${error.index + 1}: `}
              {error.member && <code>{error.member} </code>}
              {error.detail}
            </li>
          ))}
        </ul>
      )}
      {jobs.length > 0 && (
        <ul class="sample">
          {jobs.slice(0, 5).map((job) => (
            <li key={`${job.account}/${job.id}`}>
              <a href={jobHref({ queue, account: job.account, id: job.id })}>{job.id}</a> <span class="muted">{job.account}</span>
            </li>
          ))}
          {result.count > 5 && <li><a href={href(['jobs'], { queue })}>and {count(result.count - 5)} more</a></li>}
        </ul>
      )}
    </section>
  );
}
