// The search above the list of jobs.

import { useEffect, useState } from 'preact/hooks';
import type { JobFilter } from '../../api/penstock.ts';
import { kStates } from '../../format/states.ts';
import { fromLocalInput, toLocalInput } from '../../format/times.ts';
import { live } from '../../live/live.ts';
import { useStore } from '../../live/store.ts';
import { Field, Text } from '../../parts/field.tsx';
import { QueueSelect } from '../../parts/queue_select.tsx';
import { href, replace } from '../../shell/route.ts';
import { isEmpty } from './filters.ts';

export function SearchForm({ queue, filter }: { queue: string; filter: JobFilter }) {
  const [draft, setDraft] = useState(filter);
  const [more, setMore] = useState(Boolean(filter.bulk || filter.from || filter.to));
  const { queues } = useStore(live);
  const types = queues?.find((each) => each.queue === queue)?.types ?? [];
  // The address can change without this form, by a link or the browser's back button.
  useEffect(() => setDraft(filter), [JSON.stringify(filter)]);

  const search = (next: JobFilter) => replace(href(['jobs'], { queue, ...next }));
  const set = (name: keyof JobFilter) => (value: string) => setDraft({ ...draft, [name]: value });
  const submit = (event: Event) => {
    event.preventDefault();
    search(draft);
  };
  return (
    <form class="search" role="search" onSubmit={submit}>
      <QueueSelect queue={queue} />
      <Field label="State">
        <select
          name="state"
          value={draft.state ?? ''}
          onChange={(event) => {
            const next = { ...draft, state: event.currentTarget.value };
            setDraft(next);
            search(next);
          }}
        >
          <option value="">any</option>
          {kStates.slice(0, 7).map((state) => <option key={state} value={state}>{state}</option>)}
        </select>
      </Field>
      <Field label="Type">
        <Text name="type" list="types" value={draft.type ?? ''} onInput={set('type')} />
      </Field>
      <datalist id="types">{types.map((type) => <option key={type} value={type} />)}</datalist>
      <Field label="Account"><Text name="account" value={draft.account ?? ''} onInput={set('account')} /></Field>
      <Field label="Id begins with"><Text name="id" value={draft.id ?? ''} onInput={set('id')} /></Field>
      <Field label="Error contains"><Text name="error" value={draft.error ?? ''} onInput={set('error')} /></Field>
      {more && (
        <>
          <Field label="Bulk"><Text name="bulk" value={draft.bulk ?? ''} onInput={set('bulk')} /></Field>
          <Field label="Created from">
            <Text name="from" type="datetime-local" step={1} value={toLocalInput(draft.from)}
              onInput={(value) => setDraft({ ...draft, from: fromLocalInput(value) })} />
          </Field>
          <Field label="Created before">
            <Text name="to" type="datetime-local" step={1} value={toLocalInput(draft.to)}
              onInput={(value) => setDraft({ ...draft, to: fromLocalInput(value) })} />
          </Field>
        </>
      )}
      <div class="buttons">
        <button type="submit" class="primary">Search</button>
        <button type="button" onClick={() => setMore(!more)} aria-expanded={more}>{more ? 'Fewer' : 'More'}</button>
        <button type="button" disabled={isEmpty(filter)} onClick={() => search({})}>Clear</button>
      </div>
    </form>
  );
}
