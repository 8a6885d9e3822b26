// Says what an action will do and to how many jobs, and carries it out once it is confirmed.

import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/client.ts';
import type { JobAction, JobFilter } from '../api/penstock.ts';
import { count, plural } from '../format/numbers.ts';
import { api } from '../live/session.ts';
import { useStore } from '../live/store.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Progress } from '../parts/progress.tsx';
import { tell } from '../shell/toasts.tsx';
import { asked, kOpWords, type Asked } from './ask.ts';
import { actOnJobs, actOnMatching, preview, type Outcome, type Preview } from './run.ts';
import { Errors, Filters, Sample } from './summary.tsx';
import { kInFiveMinutes, whenAction, WhenFields } from './when.tsx';

export function ActionDialog() {
  const what = useStore(asked);
  return what && <Open what={what} />;
}

function Open({ what }: { what: Asked }) {
  const words = kOpWords[what.op];
  const [state, setState] = useState(what.states?.[0] ?? what.filter?.state ?? '');
  const [when, setWhen] = useState(kInFiveMinutes);
  const [found, setFound] = useState<Preview | null>(null);
  const [error, setError] = useState('');
  const [sent, setSent] = useState<number | null>(null);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const running = useRef<AbortController | null>(null);

  const filter: JobFilter = { ...what.filter, state: what.states ? state : what.filter?.state };
  const action: JobAction | null = what.op === 'reschedule' ? whenAction(when) : { op: what.op };

  useEffect(() => {
    if (what.jobs) {
      setFound({ matched: what.jobs.length, more: false, sample: what.jobs.slice(0, 5) });
      return;
    }
    const stop = new AbortController();
    setFound(null);
    setError('');
    // The time does not change which jobs match, so the preview does not wait for a valid one.
    const counted: JobAction = what.op === 'reschedule' ? { op: what.op, in: '5m' } : { op: what.op };
    preview((options) => api.changeMany(what.queue, filter, counted, options, stop.signal)).then(
      (result) => setFound(result),
      (problem) => stop.signal.aborted || setError(messageOf(problem)),
    );
    return () => stop.abort();
  }, [state]);

  const close = () => {
    running.current?.abort();
    asked.set(null);
  };

  const run = async (event: Event) => {
    event.preventDefault();
    if (!action || sent !== null) return;
    const stop = new AbortController();
    running.current = stop;
    setSent(0);
    setError('');
    try {
      const result = what.jobs
        ? await actOnJobs((job) => api.change(job, action), what.jobs, stop.signal, setSent, messageOf)
        : await actOnMatching((options) => api.changeMany(what.queue, filter, action, options), stop.signal, setSent);
      what.onDone?.();
      if (result.errors.length > 0 || result.stopped) {
        setOutcome(result);
      } else {
        tell(`${words.done} ${plural(result.sent, 'job')}.`);
        asked.set(null);
      }
    } catch (problem) {
      setError(messageOf(problem));
      setSent(null);
    }
  };

  const n = found?.matched ?? 0;
  const jobs = what.jobs?.length === 1 ? 'job' : 'jobs';
  return (
    <Dialog title={`${words.verb} ${jobs}`} onClose={close}>
      <form class="dialog-body" onSubmit={run}>
        {!what.jobs && <Filters queue={what.queue} filter={filter} />}
        <p>{words.explain}</p>
        {what.states && (
          <fieldset class="row">
            <legend>Which of them</legend>
            {what.states.map((each) => (
              <label class="choice" key={each}>
                <input type="radio" name="state" checked={state === each} onChange={() => setState(each)} />
                {each === '' ? 'in any state' : each}
              </label>
            ))}
          </fieldset>
        )}
        {what.op === 'reschedule' && <WhenFields when={when} onChange={setWhen} />}
        <div class={what.jobs ? 'preview' : 'preview tall'} aria-live="polite">
          {error !== '' ? (
            <p class="error-text">{error}</p>
          ) : found === null ? (
            <p class="muted">Counting…</p>
          ) : (
            <>
              <p class="count-line">
                <strong>{found.more ? `More than ${count(n)} jobs` : plural(n, 'job')}</strong>{' '}
                {what.jobs ? 'selected' : n === 1 && !found.more ? 'matches' : 'match'}
              </p>
              <Sample jobs={found.sample} total={n} />
            </>
          )}
        </div>
        {sent !== null && outcome === null && (
          <p class="row">
            <Progress n={sent} total={n} label="Progress" /> {count(sent)} of {count(n)}
          </p>
        )}
        {outcome && <Errors outcome={outcome} />}
        <footer>
          <button type="button" onClick={close}>
            {outcome ? 'Close' : sent !== null ? 'Stop' : 'Back'}
          </button>
          {!outcome && (
            <button
              type="submit"
              class={what.op === 'delete' || what.op === 'cancel' ? 'danger' : 'primary'}
              disabled={found === null || n === 0 || action === null || sent !== null}
            >
              {words.verb} {found === null || n === 0 ? jobs : found.more ? 'all of them' : plural(n, 'job')}
            </button>
          )}
        </footer>
      </form>
    </Dialog>
  );
}
