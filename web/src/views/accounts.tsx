// The accounts of a queue: those with the longest line, the busiest, or those whose job has waited longest.

import { useState } from 'preact/hooks';
import { count } from '../format/numbers.ts';
import { useLoad } from '../live/load.ts';
import { api, operatorName } from '../live/session.ts';
import { useStore } from '../live/store.ts';
import { Icon } from '../parts/icon.tsx';
import { Content } from '../parts/notice.tsx';
import { QueueSelect, useQueue } from '../parts/queue_select.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { Title } from '../parts/title.tsx';
import { href, route } from '../shell/route.ts';
import { tell, tellError } from '../shell/toasts.tsx';

const kEveryMs = 3000;
const kStep = 50;
const kMaxAccounts = 1000;
const kOrders = { line: 'Longest line', running: 'Busiest', oldest: 'Oldest job' };

export function Accounts() {
  const { query } = useStore(route);
  const queue = useQueue();
  const by = query.by ?? 'line';
  return (
    <>
      <Title text="Accounts">{queue !== null && <QueueSelect queue={queue} />}</Title>
      {queue !== null && (
        <>
          <Tabs
            label="Order"
            tabs={Object.entries(kOrders).map(([name, text]) => ({
              text,
              href: href(['accounts'], { queue, by: name }),
              current: by === name,
            }))}
          />
          <List key={`${queue}/${by}`} queue={queue} by={by} />
        </>
      )}
    </>
  );
}

function List({ queue, by }: { queue: string; by: string }) {
  const [limit, setLimit] = useState(kStep);
  const loaded = useLoad((signal) => api.accounts(queue, by, limit, signal), [queue, by, limit], kEveryMs);
  const pause = async (account: string) => {
    try {
      await api.pause('pause', { queue, account }, operatorName());
      tell(`Paused the account ${account}.`);
    } catch (error) {
      tellError(error);
    }
  };
  return (
    <section class="panel" aria-label="Accounts">
      <Content of={loaded}>
        {(accounts) =>
          accounts.length === 0 ? <p class="empty">No account of {queue} has a job that waits or runs.</p> : (
            <div class="scroll" tabIndex={0} role="region" aria-label="Table of accounts">
              <table>
                <thead>
                  <tr>
                    <th>Account</th>
                    <th class="n">Waiting jobs</th>
                    <th class="n">Running</th>
                    {accounts[0]?.oldest !== undefined && <th>Oldest job</th>}
                    <th><span class="hidden">Actions</span></th>
                  </tr>
                </thead>
                <tbody>
                  {accounts.map((row) => (
                    <tr key={row.account}>
                      <td><a href={href(['jobs'], { queue, account: row.account })}>{row.account}</a></td>
                      <td class="n">{count(row.jobs)}</td>
                      <td class="n">{count(row.running)}</td>
                      {row.oldest !== undefined && <td class="nowrap"><Time at={row.oldest} /></td>}
                      <td class="actions">
                        <button type="button" class="small" aria-label={`Pause ${row.account}`} onClick={() => void pause(row.account)}>
                          <Icon name="pause" /> Pause
                        </button>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )
        }
      </Content>
      <footer class="pager">
        <span role="status">{loaded.data && `${count(loaded.data.length)} shown`}</span>
        <button
          type="button"
          disabled={(loaded.data?.length ?? 0) < limit || limit >= kMaxAccounts}
          onClick={() => setLimit(Math.min(kMaxAccounts, limit * 2))}
        >
          Show more
        </button>
      </footer>
    </section>
  );
}
