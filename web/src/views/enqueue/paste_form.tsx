// Jobs as JSON: one object, an array, or one object per line.

import { useState } from 'preact/hooks';
import { plural } from '../../format/numbers.ts';
import { Field } from '../../parts/field.tsx';
import { tellError } from '../../shell/toasts.tsx';
import { inspect } from './jobs_text.ts';
import type { Enqueued } from './answer.ts';
import { send } from './send.ts';

const kExample = `{"account":"acme","type":"webhook.send","id":"order-1","args":{"order":1}}
{"account":"globex","type":"webhook.send","id":"order-2","args":{"order":2}}`;

export function PasteForm({ queue, onResult }: { queue: string; onResult: (result: Enqueued) => void }) {
  const [text, setText] = useState('');
  const [busy, setBusy] = useState(false);
  const pasted = inspect(text);
  const submit = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    try {
      onResult(await send(queue, text, pasted.type, crypto.getRandomValues(new Uint32Array(4)).join('-')));
    } catch (problem) {
      tellError(problem);
    }
    setBusy(false);
  };
  return (
    <form class="panel pad form" onSubmit={submit}>
      <Field label="Jobs" hint="One job record, an array of them, or one per line. Each needs an account and a type">
        <textarea
          name="jobs"
          spellcheck={false}
          value={text}
          aria-describedby="pasted"
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </Field>
      <p id="pasted" role="status" class={pasted.error ? 'error-text' : 'muted'}>
        {pasted.error || (pasted.jobs > 0 ? plural(pasted.jobs, 'job') : 'Nothing yet')}
      </p>
      <div class="toolbar">
        <button type="submit" class="primary" disabled={busy || pasted.jobs === 0 || pasted.error !== ''}>
          {busy ? 'Enqueueing…' : pasted.jobs > 0 ? `Enqueue ${plural(pasted.jobs, 'job')}` : 'Enqueue'}
        </button>
        <button type="button" onClick={() => setText(kExample)}>Insert an example</button>
      </div>
    </form>
  );
}
