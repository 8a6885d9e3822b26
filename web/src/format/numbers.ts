// Numbers, durations and sizes as text, in American English.

const kWhole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const kShort = new Intl.NumberFormat('en-US', { notation: 'compact', maximumFractionDigits: 1 });

export function count(n: number | null | undefined): string {
  return n === null || n === undefined ? '–' : kWhole.format(n);
}

// At most five characters, for tiles and charts.
export function short(n: number | null | undefined): string {
  if (n === null || n === undefined) return '–';
  return Math.abs(n) < 10_000 ? kWhole.format(n) : kShort.format(n);
}

export function rate(perSecond: number | null | undefined): string {
  if (perSecond === null || perSecond === undefined) return '–';
  if (perSecond === 0 || perSecond >= 10) return short(perSecond);
  return perSecond.toFixed(1);
}

export function percent(part: number, whole: number): number {
  return whole <= 0 ? 0 : Math.min(100, Math.max(0, (100 * part) / whole));
}

export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  if (seconds < 90) return `${Math.round(seconds)} s`;
  const minutes = seconds / 60;
  if (minutes < 90) return `${Math.round(minutes)} min`;
  const hours = minutes / 60;
  return hours < 48 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} d`;
}

export function bytes(n: number | null | undefined): string {
  if (n === null || n === undefined) return '–';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let unit = 0;
  let value = n;
  while (value >= 1024 && unit + 1 < units.length) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}
