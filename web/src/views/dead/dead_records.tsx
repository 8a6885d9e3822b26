// The records of a queue's dead topic with their bytes. Listing them reads the topic, so it is done once, not again
// and again.

import { useState } from 'preact/hooks';
import { fillPage } from '../../api/paging.ts';
import { useLoad } from '../../live/load.ts';
import { api } from '../../live/session.ts';
import { Field, Text } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Content } from '../../parts/notice.tsx';
import { DeadRecordRow } from './dead_record_row.tsx';
import { ResendDialog, type Resend } from './resend_dialog.tsx';

const kPageSize = 50;
const kBad = 'bad_key,bad_json,bad_field,too_large';
const kReasons = ['bad_key', 'bad_json', 'bad_field', 'too_large', 'unknown_type', 'attempts_exhausted', 'discarded', 'crashed', 'conflict'];

export function DeadRecords({ queue }: { queue: string }) {
  const [reason, setReason] = useState(kBad);
  const [account, setAccount] = useState('');
  const [cursors, setCursors] = useState<(string | null)[]>([null]);
  const [resend, setResend] = useState<Resend | null>(null);
  const after = cursors[cursors.length - 1] ?? null;
  const filter = { reason: reason || undefined, account: account || undefined };
  const loaded = useLoad(
    (signal) => fillPage((next, limit) => api.dead(queue, filter, next, limit, signal), after, kPageSize, 3),
    [queue, reason, account, after],
  );
  const restart = () => setCursors([null]);
  return (
    <>
      <div class="toolbar">
        <Field label="Reason">
          <select
            value={reason}
            onChange={(event) => {
              setReason(event.currentTarget.value);
              restart();
            }}
          >
            <option value={kBad}>bad records</option>
            <option value="">any, dead jobs too</option>
            {kReasons.map((each) => <option key={each} value={each}>{each}</option>)}
          </select>
        </Field>
        <Field label="Account">
          <Text
            value={account}
            onInput={(value) => {
              setAccount(value);
              restart();
            }}
          />
        </Field>
        <span class="push" />
        <button type="button" onClick={loaded.reload}><Icon name="retry" /> Refresh</button>
        <button
          type="button"
          disabled={!loaded.data?.rows.length}
          onClick={() =>
            setResend({
              title: 'Send records back',
              filter: { ...filter, reason: reason ? reason.split(',') : undefined },
            })
          }
        >
          Send all back…
        </button>
      </div>
      <Content of={loaded}>
        {(page) => (
          <section class="panel" aria-label="Dead records" aria-busy={loaded.loading}>
            {page.rows.length === 0 && (
              <p class="empty all-clear"><Icon name="check" /> {page.after === null ? 'No such record' : 'None so far'}</p>
            )}
            {page.rows.map((record) => (
              <DeadRecordRow key={`${record.partition}/${record.offset}`} record={record} resend={setResend} />
            ))}
            <footer class="pager">
              <span role="status">{page.rows.length > 0 && `Page ${cursors.length}`}</span>
              <button type="button" disabled={cursors.length === 1} onClick={() => setCursors(cursors.slice(0, -1))}>
                <Icon name="back" /> Back
              </button>
              <button type="button" disabled={page.after === null} onClick={() => setCursors([...cursors, page.after])}>
                Next <Icon name="arrow" />
              </button>
            </footer>
          </section>
        )}
      </Content>
      {resend && <ResendDialog queue={queue} resend={resend} onClose={() => setResend(null)} onDone={loaded.reload} />}
    </>
  );
}
