// Sends dead records back into their queue, after a dry run that says what would be sent.

import { useEffect, useState } from 'preact/hooks';
import { messageOf } from '../../api/client.ts';
import type { Resent } from '../../api/types.ts';
import { count, plural } from '../../format/numbers.ts';
import { api } from '../../live/session.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { tell } from '../../shell/toasts.tsx';

export interface Resend {
  title: string;
  filter: Record<string, unknown>;
}

const kLimit = 10_000;

export function ResendDialog(props: { queue: string; resend: Resend; onClose: () => void; onDone: () => void }) {
  const { queue, resend, onClose, onDone } = props;
  const [found, setFound] = useState<Resent | null>(null);
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const body = { ...resend.filter, limit: kLimit };

  useEffect(() => {
    const stop = new AbortController();
    api.resend(queue, { ...body, dry_run: true }, stop.signal).then(setFound, (problem) => {
      if (!stop.signal.aborted) setError(messageOf(problem));
    });
    return () => stop.abort();
  }, []);

  const run = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      let after: string | null = null;
      let sent = 0;
      do {
        const answer: Resent = await api.resend(queue, after === null ? body : { ...body, after });
        sent += answer.sent;
        after = answer.after;
      } while (after !== null);
      tell(`Sent ${plural(sent, 'record')} back.`);
      onDone();
      onClose();
    } catch (problem) {
      setError(messageOf(problem));
      setBusy(false);
    }
  };

  const failed = Object.entries(found?.failed ?? {});
  return (
    <Dialog title={resend.title} onClose={onClose}>
      <form class="dialog-body" onSubmit={run}>
        <p>Each record goes back to its queue once. A record that still breaks a rule is not sent; repair it with <code>penstock dead resend --through</code>.</p>
        <div class="preview tall" aria-live="polite">
          {error !== '' ? <p class="error-text">{error}</p> : found === null ? <p class="muted">Counting…</p> : (
            <>
              <p class="count-line">
                <strong>{plural(found.sent, 'record')}</strong> of {count(found.listed)}{found.after !== null && '+'} can be sent
              </p>
              <ul class="sample">
                {found.already > 0 && <li>{count(found.already)} not needed: the job is live or has succeeded</li>}
                {found.left_out > 0 && <li>{count(found.left_out)} left out</li>}
                {failed.map(([reason, n]) => <li key={reason}>{count(n)} cannot be sent: {reason}</li>)}
                {found.errors.slice(0, 5).map((each) => (
                  <li key={`${each.partition}/${each.offset}`} class="muted">{each.partition}/{each.offset}: {each.detail}</li>
                ))}
              </ul>
            </>
          )}
        </div>
        <footer>
          <button type="button" onClick={onClose}>Back</button>
          <button type="submit" class="primary" disabled={busy || !found || (found.sent === 0 && found.after === null)}>
            Send back
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
