// What failed jobs have in common. The reason of a dead job is `name: attempt 3 of 3 failed: error`; jobs are grouped
// by its name and by the error without what varies from job to job (numbers, ids).

export interface Reason {
  // Such as attempts_exhausted; empty if the text does not begin with a name.
  name: string;
  error: string;
}

// The names are those of docs/job-record.md; an error may begin with a word and a colon, too.
const kReason =
  /^(?:(bad_key|bad_json|bad_field|too_large|unknown_type|attempts_exhausted|discarded|crashed|conflict)(?:: |$))?(?:attempt \d+(?: of \d+)? failed: )?([\s\S]*)$/;

export function splitReason(text: string | null): Reason {
  const match = kReason.exec(text ?? '');
  return { name: match?.[1] ?? '', error: match?.[2] ?? '' };
}

// A UUID, a long hexadecimal text, or a number.
const kVarying = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|\b[0-9a-f]{12,}\b|\d+/gi;

// HTTP statuses and the like are what the error is about, so short numbers stay.
export function template(error: string): string {
  return error.replace(kVarying, (found) => (/^\d{1,3}$/.test(found) ? found : '…'));
}

// The longest part of the template that every error of the group contains, for the filter `error`.
export function literal(errorTemplate: string): string {
  let best = '';
  for (const part of errorTemplate.split('…')) {
    if (part.trim().length > best.length) best = part.trim();
  }
  return best;
}
