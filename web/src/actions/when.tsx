// The new time of jobs that are rescheduled: in a while, or at a given time.

import type { JobAction } from '../api/penstock.ts';
import { fromLocalInput } from '../format/times.ts';
import { Field, Text } from '../parts/field.tsx';

export interface When {
  kind: 'in' | 'at';
  in: string;
  at: string;
}

export const kInFiveMinutes: When = { kind: 'in', in: '5m', at: '' };

export function whenAction(when: When): JobAction | null {
  if (when.kind === 'in') {
    const text = when.in.trim();
    return /^\d+(ms|s|m|h|d)$/.test(text) ? { op: 'reschedule', in: text } : null;
  }
  const at = fromLocalInput(when.at);
  return at === undefined ? null : { op: 'reschedule', run_at: at };
}

export function WhenFields({ when, onChange }: { when: When; onChange: (when: When) => void }) {
  const kind = (value: When['kind'], text: string) => (
    <label class="choice">
      <input type="radio" name="when" checked={when.kind === value} onChange={() => onChange({ ...when, kind: value })} />
      {text}
    </label>
  );
  return (
    <fieldset class="row">
      <legend>New time</legend>
      {kind('in', 'In a while')}
      {kind('at', 'At a time')}
      {when.kind === 'in' ? (
        <Field label="From now" hint="Such as 30s, 5m, 2h or 1d">
          <Text name="in" value={when.in} onInput={(value) => onChange({ ...when, in: value })} />
        </Field>
      ) : (
        <Field label="Time (local)">
          <Text
            name="at"
            type="datetime-local"
            step={1}
            value={when.at}
            onInput={(value) => onChange({ ...when, at: value })}
          />
        </Field>
      )}
    </fieldset>
  );
}
