// The values of a limit: what is in force, and what a form's texts mean.

import type { Limit, LimitValues } from '../../api/types.ts';

export function inForce(limit: Limit): LimitValues {
  const set = limit.set ?? {};
  const rate = set.rate !== undefined ? { rate: set.rate, burst: set.burst } : { rate: limit.configured?.rate, burst: limit.configured?.burst };
  return { slots: set.slots ?? limit.configured?.slots, ...rate };
}

export function words(values: LimitValues | null): string {
  if (!values) return 'nothing';
  const parts: string[] = [];
  if (values.slots !== undefined) parts.push(`${values.slots} ${values.slots === 1 ? 'slot' : 'slots'}`);
  if (values.rate !== undefined) parts.push(`${values.rate}${values.burst !== undefined ? `, burst ${values.burst}` : ''}`);
  return parts.join(', ') || 'nothing';
}

export interface Draft {
  slots: string;
  rate: string;
}

// What to set, or why it cannot be set. A rate that is the configured one is left to the config, burst included.
export function fromDraft(draft: Draft, limit: Limit): LimitValues | string {
  const values: LimitValues = {};
  if (draft.slots.trim() !== '') {
    const slots = Number(draft.slots);
    if (!Number.isInteger(slots) || slots < 0) return 'Slots are a whole number, 0 or more.';
    if (slots !== limit.configured?.slots || limit.set?.slots !== undefined) values.slots = slots;
  }
  const rate = draft.rate.trim();
  if (rate !== '' && (rate !== limit.configured?.rate || limit.set?.rate !== undefined)) {
    if (!/^\d+\/(s|m|h|d|min)$/.test(rate)) return 'A rate is like 100/s.';
    values.rate = rate;
    const burst = limit.set?.rate !== undefined ? limit.set.burst : limit.configured?.burst;
    if (burst !== undefined) values.burst = burst;
  }
  return values.slots === undefined && values.rate === undefined ? 'Nothing is changed.' : values;
}

// The right end of the slider: room to double what is in force, in round numbers.
export function sliderMax(limit: Limit): number {
  const most = Math.max(limit.set?.slots ?? 0, limit.configured?.slots ?? 0, limit.used ?? 0, 5);
  const step = 10 ** Math.floor(Math.log10(most * 2));
  return Math.ceil((most * 2) / step) * step;
}
