// The terms of a replay, from the texts of the form.

import { fromLocalInput } from '../../format/times.ts';

export interface TermsForm {
  from: string;
  to: string;
  types: string;
  accounts: string;
  ids: string;
  where: string;
  dead: boolean;
  rate: string;
  concurrency: string;
  maxDead: string;
}

export const kNoTerms: TermsForm = {
  from: '', to: '', types: '', accounts: '', ids: '', where: '', dead: false, rate: '', concurrency: '', maxDead: '',
};

export function listOf(text: string): string[] | undefined {
  const items = text.split(/[\s,]+/).filter((item) => item !== '');
  return items.length === 0 ? undefined : items;
}

// `/pointer=value`, one per line; the value is JSON or, if it is not, a text.
export function whereOf(text: string): Record<string, unknown> | undefined {
  const where: Record<string, unknown> = {};
  for (const line of text.split('\n')) {
    const at = line.indexOf('=');
    if (at < 0) continue;
    const value = line.slice(at + 1).trim();
    try {
      where[line.slice(0, at).trim()] = JSON.parse(value);
    } catch {
      where[line.slice(0, at).trim()] = value;
    }
  }
  return Object.keys(where).length === 0 ? undefined : where;
}

// Members that are not given are left out, so that the worker's defaults apply.
export function termsOf(form: TermsForm): Record<string, unknown> {
  const terms: Record<string, unknown> = {
    from: fromLocalInput(form.from),
    to: fromLocalInput(form.to),
    types: listOf(form.types),
    accounts: listOf(form.accounts),
    ids: listOf(form.ids),
    where: whereOf(form.where),
    dead: form.dead || undefined,
    rate: form.rate.trim() || undefined,
    concurrency: form.concurrency.trim() === '' ? undefined : Number(form.concurrency),
    max_dead: form.maxDead.trim() || undefined,
  };
  return Object.fromEntries(Object.entries(terms).filter(([, value]) => value !== undefined));
}
