// One dead record: why it is dead, where it was, and its bytes.

import { useState } from 'preact/hooks';
import type { DeadRecord } from '../../api/types.ts';
import { bytes } from '../../format/numbers.ts';
import { Badge } from '../../parts/badge.tsx';
import { Code } from '../../parts/json.tsx';
import { Time } from '../../parts/time.tsx';
import { href, jobHref } from '../../shell/route.ts';
import { bytesOf, hexDump } from './bytes.ts';
import type { Resend } from './resend_dialog.tsx';

export function DeadRecordRow({ record, resend }: { record: DeadRecord; resend: (resend: Resend) => void }) {
  const text = record.value !== undefined;
  const [hex, setHex] = useState(!text);
  const place = `${record.partition}/${record.offset}`;
  const account = record.account ?? record.account_hex;
  const one = () => {
    const at = Date.parse(record.at);
    resend({
      title: `Send record ${place} back`,
      // A time of death in milliseconds and the account name one record, or the few of the same moment.
      filter: {
        reason: [record.reason],
        account: record.account,
        from: new Date(at).toISOString(),
        to: new Date(at + 1).toISOString(),
      },
    });
  };
  return (
    <article class="record" aria-label={`Record ${place}`}>
      <div class="row">
        <Badge tone="bad" icon="cross" text={record.reason} />
        <span><Time at={record.at} /></span>
        {account !== undefined && (
          <a href={href(['jobs'], { queue: record.queue, account })}>{account}</a>
        )}
        {record.type && <span>{record.type}</span>}
        {record.id && record.account && record.attempts > 0 && (
          <a href={jobHref({ queue: record.queue, account: record.account, id: record.id })}>{record.id}</a>
        )}
        <span class="muted">{bytes(record.bytes)} · from {record.source}</span>
        <span class="push" />
        <button type="button" class="small" aria-pressed={hex} aria-label={`Bytes of record ${place}`} onClick={() => setHex(!hex)}>
          Bytes
        </button>
        <button type="button" class="small" aria-label={`Send back record ${place}`} onClick={one}>Send back…</button>
      </div>
      <p>{record.detail}</p>
      <Code
        text={hex ? hexDump(bytesOf(record)) : (record.value ?? record.value_hex ?? '')}
        label={`Value of record ${place}`}
      />
      {record.value_cut && <p class="muted">Only the beginning is shown.</p>}
      {record.headers.length > 0 && (
        <p class="muted">
          {record.headers.map((header) => `${header.name}: ${header.value ?? header.value_hex ?? ''}`).join(' · ')}
        </p>
      )}
    </article>
  );
}
