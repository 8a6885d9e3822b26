// A JSON value as text, in a box that scrolls and can be reached by keyboard.

import { printJson } from '../api/exact_json.ts';

// Characters beyond which only the beginning is shown, so that a large value does not freeze the page.
const kMaxShown = 200_000;

export function Code({ text, label }: { text: string; label: string }) {
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={label}>
      {text.length > kMaxShown ? `${text.slice(0, kMaxShown)}\n… (cut; ${text.length} characters)` : text}
    </pre>
  );
}

export function Json({ value, label }: { value: unknown; label: string }) {
  return <Code text={printJson(value)} label={label} />;
}
