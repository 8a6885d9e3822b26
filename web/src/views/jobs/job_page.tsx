// One job: where it stands, why it is not running, what it was given, and how its attempts went.

import { ask, kOpWords } from '../../actions/ask.ts';
import { ApiError, messageOf } from '../../api/client.ts';
import type { JobAction } from '../../api/penstock.ts';
import type { Job } from '../../api/types.ts';
import { canDo, hasEnded } from '../../format/states.ts';
import { useLoad } from '../../live/load.ts';
import { api } from '../../live/session.ts';
import { StateBadge } from '../../parts/badge.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Json } from '../../parts/json.tsx';
import { Problem } from '../../parts/notice.tsx';
import { Progress } from '../../parts/progress.tsx';
import { Title } from '../../parts/title.tsx';
import { href } from '../../shell/route.ts';
import { tell, tellError } from '../../shell/toasts.tsx';
import { Attempts } from './attempts.tsx';
import { Facts } from './facts.tsx';
import { Why } from './why.tsx';

const kEveryMs = 2000;

export function JobPage({ queue, account, id }: { queue: string; account: string; id: string }) {
  const loaded = useLoad((signal) => api.job(queue, account, id, signal), [queue, account, id], kEveryMs);
  const gone = loaded.error instanceof ApiError && loaded.error.status === 404;
  const job = loaded.data;
  return (
    <>
      <nav class="crumbs" aria-label="Breadcrumb">
        <a href={href(['jobs'], { queue })}>Jobs of {queue}</a>
        <span aria-hidden="true">/</span>
        <a href={href(['jobs'], { queue, account })}>{account}</a>
      </nav>
      <Title text={id}>{job && !gone && <StateBadge state={job.state} />}</Title>
      {gone ? (
        <p class="note warn" role="status">
          <Icon name="cross" /> The queue does not know this job{job ? ' any more' : ''}: {messageOf(loaded.error)}
        </p>
      ) : loaded.error ? (
        <Problem error={loaded.error} retry={loaded.reload} />
      ) : null}
      {!job && !loaded.error && <p class="empty" role="status">Loading…</p>}
      {job && <Body job={job} gone={gone} reload={loaded.reload} />}
    </>
  );
}

function Body({ job, gone, reload }: { job: Job; gone: boolean; reload: () => void }) {
  return (
    <div class={gone ? 'job stale' : 'job'}>
      {!gone && <Actions job={job} reload={reload} />}
      <Why job={job} />
      {job.progress && (
        <section class="panel pad">
          <h2>Progress</h2>
          <p class="row">
            <Progress n={job.progress.n} total={job.progress.total} label="Progress" />
            {job.progress.n} of {job.progress.total}
          </p>
        </section>
      )}
      <div class="columns">
        <Facts job={job} />
        <Attempts job={job} />
      </div>
      {job.args !== undefined && (
        <section class="panel pad">
          <h2>Arguments</h2>
          <Json value={job.args} label="Arguments" />
        </section>
      )}
      {job.cursor !== undefined && job.cursor !== null && (
        <section class="panel pad">
          <h2>Cursor</h2>
          <Json value={job.cursor} label="Cursor" />
        </section>
      )}
      {job.headers && Object.keys(job.headers).length > 0 && (
        <section class="panel pad">
          <h2>Headers</h2>
          <dl class="facts">
            {Object.entries(job.headers).map(([name, value]) => (
              <div key={name}><dt><code>{name}</code></dt><dd><code>{value ?? '–'}</code></dd></div>
            ))}
          </dl>
        </section>
      )}
    </div>
  );
}

function Actions({ job, reload }: { job: Job; reload: () => void }) {
  const later = () => {
    reload();
    setTimeout(reload, 700);
  };
  const act = async (op: JobAction['op']) => {
    if (op !== 'retry') {
      ask({ op, queue: job.queue, jobs: [job], onDone: later });
      return;
    }
    // Retrying one job loses nothing, so it needs no question.
    try {
      await api.change(job, { op });
      tell(`Retried ${job.id}.`);
      later();
    } catch (error) {
      tellError(error);
    }
  };
  const ops: JobAction['op'][] = ['retry', 'reschedule', 'cancel', 'delete'];
  return (
    <div class="toolbar" role="group" aria-label="Actions">
      {ops.filter((op) => canDo(op, job.state)).map((op) => (
        <button
          key={op}
          type="button"
          class={op === 'retry' && hasEnded(job.state) ? 'primary' : ''}
          onClick={() => void act(op)}
        >
          <Icon name={kOpWords[op].icon} /> {kOpWords[op].verb}{op === 'retry' ? '' : '…'}
        </button>
      ))}
    </div>
  );
}
