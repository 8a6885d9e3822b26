// Jobs as text: what a person pastes, and what the form makes for one job or many.

export interface Pasted {
  jobs: number;
  // The media type to send the text with.
  type: 'application/json' | 'application/x-ndjson';
  // What is wrong, with the line that it is in; empty if nothing is.
  error: string;
}

export const kMaxJobs = 100_000;

// An array or one object is JSON; anything else is one object per line.
export function inspect(text: string): Pasted {
  const trimmed = text.trim();
  if (trimmed === '') return { jobs: 0, type: 'application/json', error: '' };
  const whole = parse(trimmed);
  if (whole.ok) {
    const list = Array.isArray(whole.value) ? whole.value : [whole.value];
    const bad = list.findIndex((job) => !isObject(job));
    return {
      jobs: list.length,
      type: 'application/json',
      error: bad >= 0 ? `Job ${bad + 1} is not an object.` : tooMany(list.length),
    };
  }
  if (trimmed.startsWith('[')) return { jobs: 0, type: 'application/json', error: `Not JSON: ${whole.error}` };
  const lines = trimmed.split('\n');
  let jobs = 0;
  for (const [index, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const one = parse(line);
    if (!one.ok) return { jobs, type: 'application/x-ndjson', error: `Line ${index + 1}: ${one.error}` };
    if (!isObject(one.value)) return { jobs, type: 'application/x-ndjson', error: `Line ${index + 1} is not an object.` };
    jobs++;
  }
  return { jobs, type: 'application/x-ndjson', error: tooMany(jobs) };
}

function parse(text: string): { ok: true; value: unknown } | { ok: false; error: string } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function tooMany(jobs: number): string {
  return jobs > kMaxJobs ? `At most ${kMaxJobs.toLocaleString('en-US')} jobs can be enqueued at once.` : '';
}

export interface Form {
  type: string;
  account: string;
  id: string;
  args: string;
  runAt?: string;
  priority: string;
  copies: number;
}

// `{n}` is the number of the copy, from 1; `{n%10}` is that modulo 10, for a few accounts with many jobs each.
export function fill(text: string, n: number): string {
  return text.replace(/\{n(?:%([1-9]\d*))?\}/g, (_all, modulo?: string) => String(modulo ? n % Number(modulo) : n));
}

// The jobs of the form, one JSON object per line. The arguments go in as they are written, so that no number is rounded.
export function linesOf(form: Form): string {
  const lines: string[] = [];
  for (let n = 1; n <= form.copies; n++) {
    const head: Record<string, unknown> = { type: form.type, account: fill(form.account, n) };
    if (form.id !== '') {
      const id = fill(form.id, n);
      head.id = form.copies > 1 && id === form.id ? `${id}-${n}` : id;
    }
    if (form.runAt !== undefined) head.run_at = form.runAt;
    if (form.priority.trim() !== '') head.priority = Number(form.priority);
    const args = fill(form.args.trim() || '{}', n).replace(/\s*\n\s*/g, ' ');
    lines.push(`${JSON.stringify(head).slice(0, -1)},"args":${args}}`);
  }
  return lines.join('\n');
}
