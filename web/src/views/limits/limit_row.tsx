// One limit with a slider for its slots, and fields for the exact values.

import { useEffect, useState } from 'preact/hooks';
import type { Limit } from '../../api/types.ts';
import { count } from '../../format/numbers.ts';
import { api } from '../../live/session.ts';
import { Badge } from '../../parts/badge.tsx';
import { Field, Text } from '../../parts/field.tsx';
import { Bar } from '../../parts/progress.tsx';
import { tell, tellError } from '../../shell/toasts.tsx';
import { fromDraft, inForce, sliderMax, words, type Draft } from './values.ts';

export function LimitRow({ limit, changed }: { limit: Limit; changed: () => void }) {
  const now = inForce(limit);
  const stored: Draft = { slots: now.slots === undefined ? '' : String(now.slots), rate: now.rate ?? '' };
  const [draft, setDraft] = useState(stored);
  const [error, setError] = useState('');
  // Somebody else may set the limit meanwhile; what is typed here is then replaced, so that nobody sets it back unseen.
  useEffect(() => setDraft(stored), [stored.slots, stored.rate]);
  const dirty = draft.slots !== stored.slots || draft.rate !== stored.rate;

  const set = async (event: Event) => {
    event.preventDefault();
    const values = fromDraft(draft, limit);
    if (typeof values === 'string') {
      setError(values);
      return;
    }
    setError('');
    try {
      await api.setLimit(limit.name, values);
      tell(`Set ${limit.name} to ${words(values)}.`);
      changed();
    } catch (problem) {
      tellError(problem);
    }
  };
  const reset = async () => {
    try {
      await api.resetLimit(limit.name);
      tell(`Reset ${limit.name} to the config.`);
      changed();
    } catch (problem) {
      tellError(problem);
    }
  };
  return (
    <form class="limit" onSubmit={set} aria-label={limit.name}>
      <div>
        <h2>{limit.name}</h2>
        <p class="row">
          <span class="muted">{limit.shared === null ? 'named by an operator' : limit.shared ? 'shared by all accounts' : 'per account'}</span>
          <span class="muted">config: {words(limit.configured)}</span>
          {limit.set && <Badge tone={limit.set.slots === 0 ? 'bad' : 'warn'} icon="limits" text={limit.set.slots === 0 ? 'halted' : `set: ${words(limit.set)}`} />}
        </p>
        {(limit.used !== undefined || limit.waiting !== undefined) && (
          <div class="meter">
            <span>
              {limit.used !== undefined && <><b>{count(limit.used)}</b> in use</>}
              {limit.waiting !== undefined && <> · <b>{count(limit.waiting)}</b> waiting</>}
            </span>
            {limit.used !== undefined && limit.shared && now.slots !== undefined && (
              <Bar label="Slots" total={Math.max(now.slots, limit.used)} parts={[{ label: 'in use', n: limit.used, tone: 'busy' }]} />
            )}
          </div>
        )}
      </div>
      <div>
        <div class="controls">
          <Field label="Slots">
            <input
              type="range"
              min={0}
              max={Math.max(sliderMax(limit), Number(draft.slots) || 0)}
              step={1}
              value={draft.slots === '' ? 0 : draft.slots}
              onInput={(event) => setDraft({ ...draft, slots: event.currentTarget.value })}
            />
          </Field>
          <Field label="Exactly">
            <Text name="slots" type="number" min={0} value={draft.slots} placeholder="none" onInput={(slots) => setDraft({ ...draft, slots })} />
          </Field>
          <Field label="Rate">
            <Text name="rate" value={draft.rate} placeholder="none" onInput={(rate) => setDraft({ ...draft, rate })} />
          </Field>
          <div class="row">
            <button type="submit" class={dirty ? 'primary' : ''} disabled={!dirty}>Set</button>
            <button type="button" disabled={!limit.set} onClick={() => void reset()}>Reset</button>
          </div>
        </div>
        {error !== '' && <p class="error-text" role="alert">{error}</p>}
      </div>
    </form>
  );
}
