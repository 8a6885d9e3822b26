// The bulks of a queue, and how far each is.

import { useState } from 'preact/hooks';
import { ask } from '../actions/ask.ts';
import type { Bulk } from '../api/types.ts';
import { count, percent } from '../format/numbers.ts';
import { useLoad } from '../live/load.ts';
import { api } from '../live/session.ts';
import { Field, Text } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Content, Missing } from '../parts/notice.tsx';
import { Bar } from '../parts/progress.tsx';
import { QueueSelect, useQueue } from '../parts/queue_select.tsx';
import { Time } from '../parts/time.tsx';
import { Title } from '../parts/title.tsx';
import { href } from '../shell/route.ts';

const kEveryMs = 3000;
const kPageSize = 50;

export function Bulks() {
  const queue = useQueue();
  const [account, setAccount] = useState('');
  return (
    <>
      <Title text="Bulks">{queue !== null && <QueueSelect queue={queue} />}</Title>
      {queue !== null && (
        <>
          <div class="toolbar">
            <Field label="Account"><Text value={account} onInput={setAccount} /></Field>
          </div>
          <List key={`${queue}/${account}`} queue={queue} account={account} />
        </>
      )}
    </>
  );
}

function List({ queue, account }: { queue: string; account: string }) {
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  const after = cursors[cursors.length - 1] ?? null;
  const loaded = useLoad((signal) => api.bulks(queue, account, after, kPageSize, signal), [after], kEveryMs);
  return (
    <Content of={loaded}>
      {(page) => (
        <>
          <section class="panel" aria-label="Bulks">
            {page.rows.length === 0 ? <p class="empty">There is no bulk.</p> : (
              <div class="scroll" tabIndex={0} role="region" aria-label="Table of bulks">
                <table class="wide">
                  <thead>
                    <tr>
                      <th>Bulk</th><th>Account</th><th>Chunks ended</th><th class="n">Waiting</th><th class="n">Running</th>
                      <th class="n">Dead</th><th>Began</th><th>End</th><th><span class="hidden">Actions</span></th>
                    </tr>
                  </thead>
                  <tbody>{page.rows.map((bulk) => <Row key={`${bulk.account}/${bulk.id}`} bulk={bulk} done={loaded.reload} />)}</tbody>
                </table>
              </div>
            )}
            <footer class="pager">
              <span role="status">{`Page ${cursors.length}`}</span>
              <button type="button" disabled={cursors.length === 1} onClick={() => setCursors(cursors.slice(0, -1))}>
                <Icon name="back" /> Back
              </button>
              <button type="button" disabled={page.after === null} onClick={() => setCursors([...cursors, page.after])}>
                Next <Icon name="arrow" />
              </button>
            </footer>
          </section>
          <Missing partitions={page.missing} />
        </>
      )}
    </Content>
  );
}

function Row({ bulk, done }: { bulk: Bulk; done: () => void }) {
  const { queue, account } = bulk;
  const ended = bulk.succeeded + bulk.dead + bulk.cancelled + bulk.expired;
  const chunks = href(['jobs'], { queue, account, bulk: bulk.id });
  return (
    <tr>
      <td><a href={chunks}>{bulk.id}</a></td>
      <td>{account}</td>
      <td>
        <div class="meter">
          <span>{count(ended)} of {count(bulk.size)} <span class="muted">({Math.floor(percent(ended, bulk.size))} %)</span></span>
          <Bar
            label={`Bulk ${bulk.id}`}
            total={bulk.size}
            parts={[
              { label: 'succeeded', n: bulk.succeeded, tone: 'good' },
              { label: 'dead', n: bulk.dead, tone: 'bad' },
              { label: 'cancelled', n: bulk.cancelled + bulk.expired, tone: 'plain' },
              { label: 'running', n: bulk.running, tone: 'busy' },
            ]}
          />
        </div>
      </td>
      <td class="n">{count(bulk.waiting)}</td>
      <td class="n">{count(bulk.running)}</td>
      <td class="n">
        {bulk.dead > 0 ? <a href={href(['jobs'], { queue, account, bulk: bulk.id, state: 'dead' })}>{count(bulk.dead)}</a> : 0}
      </td>
      <td class="nowrap"><Time at={bulk.first} /></td>
      <td class="nowrap">{bulk.done ? <Time at={bulk.done} /> : bulk.estimated_end ? <>expected <Time at={bulk.estimated_end} /></> : '–'}</td>
      <td class="actions">
        {bulk.dead > 0 && (
          <button type="button" class="small" aria-label={`Retry dead chunks of ${bulk.id}`}
            onClick={() => ask({ op: 'retry', queue, filter: { account, bulk: bulk.id, state: 'dead' }, onDone: done })}>
            Retry dead…
          </button>
        )}
        {!bulk.done && (
          <button type="button" class="small" aria-label={`Cancel the bulk ${bulk.id}`}
            onClick={() => ask({ op: 'cancel', queue, filter: { account, bulk: bulk.id }, onDone: done })}>
            Cancel…
          </button>
        )}
      </td>
    </tr>
  );
}
