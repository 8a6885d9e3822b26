// What fails, by error.

import { useState } from 'preact/hooks';
import { ask } from '../../actions/ask.ts';
import type { Failure } from '../../api/types.ts';
import { literal, splitReason, template } from '../../format/errors.ts';
import { count } from '../../format/numbers.ts';
import { StateBadge } from '../../parts/badge.tsx';
import { Time } from '../../parts/time.tsx';
import { href, jobHref } from '../../shell/route.ts';

const kShown = 4;

export function Failures({ queue, failures }: { queue: string; failures: Failure[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? failures : failures.slice(0, kShown);
  const jobs = failures[0]?.jobs !== undefined;
  return (
    <div class="failures">
      <h3>{jobs ? 'Jobs whose last attempt failed' : 'Failed attempts, last hour'}</h3>
      {failures.length === 0 ? (
        <p class="muted">None.</p>
      ) : (
        <div class="scroll" tabIndex={0} role="region" aria-label={`Failures of ${queue}`}>
          <table>
            <thead>
              <tr><th>Error</th><th>Type</th><th class="n">{jobs ? 'Jobs' : 'Attempts'}</th><th>Last</th><th><span class="hidden">Actions</span></th></tr>
            </thead>
            <tbody>{shown.map((failure) => <Row key={JSON.stringify([failure.type, failure.error, failure.dead])} queue={queue} failure={failure} />)}</tbody>
          </table>
        </div>
      )}
      {failures.length > kShown && (
        <button type="button" class="quiet more" onClick={() => setAll(!all)}>
          {all ? 'Show fewer' : `Show ${failures.length - kShown} more`}
        </button>
      )}
    </div>
  );
}

function Row({ queue, failure }: { queue: string; failure: Failure }) {
  const { type, id, account } = failure;
  const { name, error } = splitReason(failure.error);
  const state = failure.dead === undefined ? undefined : failure.dead ? 'dead' : 'retrying';
  const filter = { type, error: literal(template(error)) || name, state };
  return (
    <tr>
      <td class="clip error-name" title={failure.error}>
        <a href={href(['jobs'], { queue, ...filter })}>{error || name || 'no error text'}</a>
      </td>
      <td class="nowrap">{type} {state && <StateBadge state={state} />}</td>
      <td class="n">{count(failure.count ?? failure.jobs)}</td>
      <td class="nowrap"><Time at={failure.last} /></td>
      <td class="actions">
        {id !== undefined && account !== undefined && (
          <a href={jobHref({ queue, account, id })} aria-label={`Example of ${failure.error}`}>Example</a>
        )}
        <button
          type="button"
          class="small"
          aria-label={`Retry these (${type}, ${error || name}${state ? `, ${state}` : ''})`}
          onClick={() => ask({ op: 'retry', queue, filter, states: state ? undefined : ['dead', 'retrying'] })}
        >
          Retry these…
        </button>
      </td>
    </tr>
  );
}
