// One job, or many that differ in a number.

import { useState } from 'preact/hooks';
import { fromLocalInput } from '../../format/times.ts';
import { count, plural } from '../../format/numbers.ts';
import { live } from '../../live/live.ts';
import { useStore } from '../../live/store.ts';
import { Field, Text } from '../../parts/field.tsx';
import { tellError } from '../../shell/toasts.tsx';
import { fill, kMaxJobs, linesOf } from './jobs_text.ts';
import type { Enqueued } from './answer.ts';
import { send } from './send.ts';

// Until a type is typed, it is the first that the queue knows.
const kStart = { type: null as string | null, account: 'acme', id: '', args: '{}', at: '', priority: '', copies: '1' };

export function JobForm({ queue, onResult }: { queue: string; onResult: (result: Enqueued) => void }) {
  const [form, setForm] = useState(kStart);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState('');
  const { queues } = useStore(live);
  const types = queues?.find((each) => each.queue === queue)?.types ?? [];
  const set = (name: keyof typeof kStart) => (value: string) => setForm({ ...form, [name]: value });
  const copies = Number(form.copies);
  const type = form.type ?? types[0] ?? '';

  const submit = async (event: Event) => {
    event.preventDefault();
    if (!Number.isInteger(copies) || copies < 1 || copies > kMaxJobs) {
      setError(`The number of jobs is from 1 to ${count(kMaxJobs)}.`);
      return;
    }
    try {
      JSON.parse(fill(form.args.trim() || '{}', 1));
    } catch (problem) {
      setError(`The arguments are not JSON: ${problem instanceof Error ? problem.message : ''}`);
      return;
    }
    setError('');
    setBusy(true);
    try {
      const text = linesOf({ ...form, type, runAt: fromLocalInput(form.at), copies });
      const media = copies === 1 ? 'application/json' : 'application/x-ndjson';
      onResult(await send(queue, text, media, crypto.getRandomValues(new Uint32Array(4)).join('-')));
    } catch (problem) {
      tellError(problem);
    }
    setBusy(false);
  };
  return (
    <form class="panel pad form" onSubmit={submit}>
      <div class="pair">
        <Field label="Type"><Text name="type" list="enqueue-types" value={type} required onInput={set('type')} /></Field>
        <Field label="Account"><Text name="account" value={form.account} required onInput={set('account')} /></Field>
        <Field label="Id" hint="Empty: a new one. A repeated id is a duplicate">
          <Text name="id" value={form.id} onInput={set('id')} />
        </Field>
      </div>
      <datalist id="enqueue-types">{types.map((type) => <option key={type} value={type} />)}</datalist>
      <Field label="Arguments (JSON)">
        <textarea name="args" class="short" spellcheck={false} value={form.args} onInput={(event) => set('args')(event.currentTarget.value)} />
      </Field>
      <div class="pair">
        <Field label="Not before (local time)">
          <Text name="at" type="datetime-local" step={1} value={form.at} onInput={set('at')} />
        </Field>
        <Field label="Priority" hint="Lower runs first, if the queue's order is fair">
          <Text name="priority" type="number" min={-1000} max={1000} value={form.priority} onInput={set('priority')} />
        </Field>
        <Field label="How many" hint="{n} in account, id and arguments is the number of the job; {n%10} modulo 10">
          <Text name="copies" type="number" min={1} max={kMaxJobs} value={form.copies} onInput={set('copies')} />
        </Field>
      </div>
      <div class="row">
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Enqueueing…' : `Enqueue ${copies > 1 ? plural(copies, 'job') : 'job'}`}
        </button>
        <p class="error-text" role="alert">{error}</p>
      </div>
    </form>
  );
}
