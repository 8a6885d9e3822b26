// Starts a replay, after a dry run that counts what would be copied.

import { useState } from 'preact/hooks';
import { messageOf } from '../../api/client.ts';
import type { ReplayPreview } from '../../api/types.ts';
import { count } from '../../format/numbers.ts';
import { api, operatorName, setOperatorName } from '../../live/session.ts';
import { Field, Text } from '../../parts/field.tsx';
import { go, href } from '../../shell/route.ts';
import { tell } from '../../shell/toasts.tsx';
import { kNoTerms, termsOf, type TermsForm } from './terms.ts';

export function StartForm({ queue, started }: { queue: string; started: () => void }) {
  const [form, setForm] = useState(kNoTerms);
  const [name, setName] = useState('');
  const [by, setBy] = useState(operatorName());
  const [found, setFound] = useState<ReplayPreview | null>(null);
  const [error, setError] = useState('');
  const [busy, setBusy] = useState(false);
  const set = (member: keyof TermsForm) => (value: string) => {
    setForm({ ...form, [member]: value });
    setFound(null);
  };
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true);
    setError('');
    try {
      await work();
    } catch (problem) {
      setError(messageOf(problem));
    }
    setBusy(false);
  };
  const dryRun = () => attempt(async () => setFound(await api.previewReplay(queue, termsOf(form))));
  const start = (event: Event) => {
    event.preventDefault();
    setOperatorName(by);
    void attempt(async () => {
      await api.startReplay(queue, { id: name, ...termsOf(form) }, by);
      tell(`Started the replay ${name}.`);
      started();
      go(href(['replays', queue, name]));
    });
  };
  return (
    <form class="panel pad form" onSubmit={start}>
      <h2>Start a replay</h2>
      <p class="muted">Runs jobs again that Kafka still holds: each selected job is copied, once. Without any filter, every job of the topic.</p>
      <div class="pair">
        <Field label="Name"><Text name="id" value={name} required onInput={setName} /></Field>
        <Field label="Produced from (local)"><Text name="from" type="datetime-local" step={1} value={form.from} onInput={set('from')} /></Field>
        <Field label="Produced before (local)"><Text name="to" type="datetime-local" step={1} value={form.to} onInput={set('to')} /></Field>
        <Field label="Types"><Text name="types" value={form.types} placeholder="all" onInput={set('types')} /></Field>
        <Field label="Accounts"><Text name="accounts" value={form.accounts} placeholder="all" onInput={set('accounts')} /></Field>
        <Field label="Ids"><Text name="ids" value={form.ids} placeholder="all" onInput={set('ids')} /></Field>
        <Field label="Rate" hint="Copies made, such as 100/s"><Text name="rate" value={form.rate} placeholder="no bound" onInput={set('rate')} /></Field>
        <Field label="Concurrency" hint="Copies that run at once"><Text name="concurrency" type="number" min={1} value={form.concurrency} placeholder="no bound" onInput={set('concurrency')} /></Field>
        <Field label="Pause at dead copies" hint="Such as 1%"><Text name="max_dead" value={form.maxDead} placeholder="never" onInput={set('maxDead')} /></Field>
        <Field label="By"><Text name="by" value={by} placeholder="your name" onInput={setBy} /></Field>
      </div>
      <Field label="Arguments" hint="One /pointer=value per line; all must hold">
        <textarea name="where" class="short" spellcheck={false} value={form.where} onInput={(event) => set('where')(event.currentTarget.value)} />
      </Field>
      <label class="choice">
        <input
          type="checkbox"
          checked={form.dead}
          onChange={() => {
            setForm({ ...form, dead: !form.dead });
            setFound(null);
          }}
        />
        Only dead jobs, by when they died
      </label>
      <div aria-live="polite">
        {error !== '' && <p class="error-text">{error}</p>}
        {found && <Found found={found} />}
      </div>
      <div class="toolbar">
        <button type="button" disabled={busy} onClick={() => void dryRun()}>Dry run</button>
        <button type="submit" class="primary" disabled={busy}>Start{found ? ` ${count(found.copies)} copies` : ''}</button>
      </div>
    </form>
  );
}

function Found({ found }: { found: ReplayPreview }) {
  const list = (counts: Record<string, number>) => Object.entries(counts).slice(0, 8).map(([name, n]) => `${name} ${count(n)}`).join(', ');
  return (
    <div class="preview">
      <p class="count-line"><strong>{count(found.copies)} copies</strong> of {count(found.records)} records</p>
      <ul class="sample">
        {found.removed > 0 && <li>Up to {count(found.removed)} records of the range are gone: retention has removed them</li>}
        {Object.keys(found.types).length > 0 && <li>By type: {list(found.types)}</li>}
        {Object.keys(found.accounts).length > 0 && <li>By account: {list(found.accounts)}</li>}
        {Object.keys(found.left_out).length > 0 && <li>Left out: {list(found.left_out)}</li>}
        {found.samples.slice(0, 5).map((sample) => (
          <li key={`${sample.account}/${sample.id}`}><code>{sample.id}</code> <span class="muted">{sample.type} · {sample.account}</span></li>
        ))}
      </ul>
    </div>
  );
}
