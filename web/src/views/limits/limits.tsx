// The limits: how much of each is used, how many jobs wait for it, and its values, which can be set and reset.

import { useState } from 'preact/hooks';
import { useLoad } from '../../live/load.ts';
import { api } from '../../live/session.ts';
import { useStore } from '../../live/store.ts';
import { Field, Text } from '../../parts/field.tsx';
import { Content } from '../../parts/notice.tsx';
import { Title } from '../../parts/title.tsx';
import { route } from '../../shell/route.ts';
import { tell, tellError } from '../../shell/toasts.tsx';
import { LimitRow } from './limit_row.tsx';

const kEveryMs = 3000;
const kMaxShown = 200;

export function Limits() {
  const { query } = useStore(route);
  const [find, setFind] = useState(query.find ?? '');
  const loaded = useLoad((signal) => api.limits(signal), [], kEveryMs);
  return (
    <>
      <Title text="Limits" />
      <p class="muted">
        A limit bounds how many attempts run at once (slots) or how often they start (rate). What is set here overrides
        the config until it is reset. At 0, nothing starts; running attempts finish.
      </p>
      <div class="toolbar">
        <Field label="Name contains"><Text name="find" value={find} onInput={setFind} /></Field>
      </div>
      <Content of={loaded}>
        {(limits) => {
          const found = limits.filter((limit) => limit.name.includes(find) || matches(limit.name, find));
          return (
            <section class="panel" aria-label="Limits">
              {found.length === 0 && <p class="empty">{limits.length === 0 ? 'The config has no limit.' : 'No limit has such a name.'}</p>}
              {found.slice(0, kMaxShown).map((limit) => <LimitRow key={limit.name} limit={limit} changed={loaded.reload} />)}
              {found.length > kMaxShown && <p class="empty">{found.length - kMaxShown} more: narrow the name.</p>}
            </section>
          );
        }}
      </Content>
      <SetByName initial={query.find ?? ''} changed={loaded.reload} />
    </>
  );
}

// True if the name as written, such as `webhook/{account}`, can be filled in to `find`.
export function matches(name: string, find: string): boolean {
  if (!name.includes('{') || find === '') return false;
  const pattern = name
    .split(/\{[^}]*\}/)
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('.+');
  return new RegExp(`^${pattern}$`).test(find);
}

function SetByName({ initial, changed }: { initial: string; changed: () => void }) {
  const [name, setName] = useState(initial);
  const [slots, setSlots] = useState('1');
  const submit = async (event: Event) => {
    event.preventDefault();
    try {
      await api.setLimit(name, { slots: Number(slots) });
      tell(`Set ${name} to ${slots} slots.`);
      changed();
    } catch (error) {
      tellError(error);
    }
  };
  return (
    <form class="panel pad form" onSubmit={submit}>
      <h2>Set a limit by its name</h2>
      <div class="pair">
        <Field label="Name" hint="Filled in, such as webhook/acme, or as written, such as webhook/{account}">
          <Text name="name" value={name} required onInput={setName} />
        </Field>
        <Field label="Slots"><Text name="slots" type="number" min={0} value={slots} required onInput={setSlots} /></Field>
      </div>
      <button type="submit" class="primary">Set</button>
    </form>
  );
}
