// Times as text: relative to now for reading, and in full for titles. Everything shown is local time.

import { duration } from './numbers.ts';

export function relative(at: string | number | null | undefined, now: number): string {
  const ms = toMs(at);
  if (ms === null) return '–';
  const ago = now - ms;
  if (Math.abs(ago) < 1000) return 'now';
  return ago > 0 ? `${coarse(ago)} ago` : `in ${coarse(-ago)}`;
}

function coarse(ms: number): string {
  return ms < 90_000 ? `${Math.round(ms / 1000)} s` : duration(ms);
}

export function absolute(at: string | number | null | undefined): string {
  const ms = toMs(at);
  if (ms === null) return '–';
  const date = new Date(ms);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

export function toMs(at: string | number | null | undefined): number | null {
  if (at === null || at === undefined || at === '') return null;
  const ms = typeof at === 'number' ? at : Date.parse(at);
  return Number.isNaN(ms) ? null : ms;
}

// The value of an <input type="datetime-local"> as RFC 3339, or undefined if it is empty or incomplete.
export function fromLocalInput(value: string): string | undefined {
  const ms = toMs(value);
  return ms === null ? undefined : new Date(ms).toISOString();
}

export function toLocalInput(at: string | undefined): string {
  const text = absolute(at);
  return text === '–' ? '' : text.replace(' ', 'T');
}
