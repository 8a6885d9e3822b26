// The dead jobs of a queue by type and reason.

import { ask } from '../../actions/ask.ts';
import type { JobFilter } from '../../api/penstock.ts';
import type { Job } from '../../api/types.ts';
import { count, plural } from '../../format/numbers.ts';
import { useLoad } from '../../live/load.ts';
import { api } from '../../live/session.ts';
import { Icon } from '../../parts/icon.tsx';
import { Content, Missing } from '../../parts/notice.tsx';
import { Time } from '../../parts/time.tsx';
import { href } from '../../shell/route.ts';
import { groupDead, type DeadGroup } from './groups.ts';

// Jobs that are read in order to group them; beyond that, the groups are of the first ones.
const kMaxJobs = 10_000;
const kPageSize = 1000;

async function loadDead(queue: string, signal: AbortSignal) {
  const jobs: Job[] = [];
  const missing = new Set<number>();
  let after: string | null = null;
  do {
    const page = await api.jobs(queue, { state: 'dead' }, after, kPageSize, signal);
    jobs.push(...page.rows);
    page.missing.forEach((partition) => missing.add(partition));
    after = page.after;
  } while (after !== null && jobs.length < kMaxJobs);
  return { total: jobs.length, groups: groupDead(jobs), more: after !== null, missing: [...missing] };
}

export function DeadJobs({ queue }: { queue: string }) {
  const loaded = useLoad((signal) => loadDead(queue, signal), [queue]);
  const done = () => {
    loaded.reload();
    setTimeout(loaded.reload, 1000);
  };
  return (
    <Content of={loaded}>
      {({ total, groups, more, missing }) => (
        <>
          <div class="toolbar">
            <p role="status">
              {more ? `The first ${count(total)} dead jobs` : plural(total, 'dead job')}
              {groups.length > 0 && `, ${plural(groups.length, 'kind')}`}
            </p>
            <span class="push" />
            <button type="button" onClick={loaded.reload}><Icon name="retry" /> Refresh</button>
            <button
              type="button"
              class="primary"
              disabled={total === 0}
              onClick={() => ask({ op: 'retry', queue, filter: { state: 'dead' }, onDone: done })}
            >
              Retry all…
            </button>
          </div>
          <section class="panel" aria-label="Dead jobs by type and reason">
            {groups.length === 0 && <p class="empty all-clear"><Icon name="check" /> No job of {queue} is dead</p>}
            {groups.map((group) => <Group key={group.key} queue={queue} group={group} more={more} done={done} />)}
          </section>
          <Missing partitions={missing} />
        </>
      )}
    </Content>
  );
}

function Group(props: { queue: string; group: DeadGroup; more: boolean; done: () => void }) {
  const { queue, group, more, done } = props;
  const filter: JobFilter = { state: 'dead', type: group.type, error: group.literal };
  const what = `${group.type}, ${group.error || group.name}`;
  return (
    <div class="group">
      <span class="big">{count(group.count)}{more && '+'}</span>
      <div>
        <p><b>{group.type}</b> <span class="muted">{group.name.replace(/_/g, ' ')}</span></p>
        {group.error && <p class="error-name">{group.error}</p>}
        <p class="muted">
          {plural(group.accounts ?? 0, 'account')} · <Time at={group.first} />
          {group.first !== group.last && <> to <Time at={group.last} /></>}
        </p>
      </div>
      <div class="toolbar">
        <a href={href(['jobs'], { queue, ...filter })} aria-label={`See jobs (${what})`}>See jobs</a>
        <button type="button" class="small" aria-label={`Delete these (${what})`}
          onClick={() => ask({ op: 'delete', queue, filter, onDone: done })}>
          Delete these…
        </button>
        <button type="button" class="small primary" aria-label={`Retry these (${what})`}
          onClick={() => ask({ op: 'retry', queue, filter, onDone: done })}>
          Retry these…
        </button>
      </div>
    </div>
  );
}
