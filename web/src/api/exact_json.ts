// JSON in which numbers keep the digits that they were written with: a job's arguments may have a 64-bit id that a
// JavaScript number would round. Browsers without JSON.rawJSON show the rounded number.

interface RawJson {
  rawJSON?: (text: string) => unknown;
  parse(text: string, reviver: (key: string, value: unknown, context?: { source: string }) => unknown): unknown;
}

const json = JSON as unknown as RawJson;

export function parseExact(text: string): unknown {
  const raw = json.rawJSON;
  if (!raw) return JSON.parse(text);
  return json.parse(text, (_key, value, context) =>
    typeof value === 'number' && context !== undefined && String(value) !== context.source
      ? raw(context.source)
      : value,
  );
}

export function printJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? '';
}
