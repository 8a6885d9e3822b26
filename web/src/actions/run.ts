// Carries out an action on many jobs: those that match filters, page by page, or those that were selected, a few at a
// time. Both report how far they are, and can be stopped between requests.

import type { ActionAnswer, Job, JobError } from '../api/types.ts';

export const kJobsPerRequest = 1000;
export const kJobsPerPreview = 10_000;
export const kMaxPreviewRequests = 10;
const kParallel = 6;
const kMaxErrors = 100;

export interface Preview {
  matched: number;
  // True if there are more than were counted.
  more: boolean;
  sample: Job[];
}

export interface Outcome {
  sent: number;
  errors: JobError[];
  stopped: boolean;
}

type Request = (options: { dryRun: boolean; limit: number; after: string | null }) => Promise<ActionAnswer>;

export async function preview(request: Request): Promise<Preview> {
  let after: string | null = null;
  let matched = 0;
  const sample: Job[] = [];
  for (let n = 0; n < kMaxPreviewRequests; n++) {
    const answer = await request({ dryRun: true, limit: kJobsPerPreview, after });
    matched += answer.matched;
    if (sample.length < 5) sample.push(...answer.sample.slice(0, 5 - sample.length));
    after = answer.after;
    if (after === null) break;
  }
  return { matched, more: after !== null, sample };
}

export async function actOnMatching(
  request: Request,
  signal: AbortSignal,
  progress: (sent: number) => void,
): Promise<Outcome> {
  const outcome: Outcome = { sent: 0, errors: [], stopped: false };
  let after: string | null = null;
  do {
    const answer = await request({ dryRun: false, limit: kJobsPerRequest, after });
    outcome.sent += answer.sent;
    outcome.errors.push(...answer.errors.slice(0, kMaxErrors - outcome.errors.length));
    progress(outcome.sent);
    after = answer.after;
    if (signal.aborted && after !== null) return { ...outcome, stopped: true };
  } while (after !== null);
  return outcome;
}

export async function actOnJobs(
  change: (job: Job) => Promise<void>,
  jobs: Job[],
  signal: AbortSignal,
  progress: (sent: number) => void,
  messageOf: (error: unknown) => string,
): Promise<Outcome> {
  const outcome: Outcome = { sent: 0, errors: [], stopped: false };
  let next = 0;
  const work = async (): Promise<void> => {
    for (let job = jobs[next++]; job !== undefined && !signal.aborted; job = jobs[next++]) {
      try {
        await change(job);
        outcome.sent++;
      } catch (error) {
        if (outcome.errors.length < kMaxErrors) {
          outcome.errors.push({ id: job.id, account: job.account, detail: messageOf(error) });
        }
      }
      progress(outcome.sent);
    }
  };
  await Promise.all(Array.from({ length: kParallel }, work));
  return { ...outcome, stopped: signal.aborted && outcome.sent + outcome.errors.length < jobs.length };
}
