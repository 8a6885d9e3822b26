// What a person is about to do to jobs. Views ask; the dialog previews, confirms and carries it out.

import type { JobAction, JobFilter } from '../api/penstock.ts';
import type { Job } from '../api/types.ts';
import { Store } from '../live/store.ts';

export interface Asked {
  op: JobAction['op'];
  queue: string;
  // The jobs that match these filters, or the ones in `jobs`.
  filter?: JobFilter;
  jobs?: Job[];
  // Offers the states to choose from, the first of which is preselected. Empty means any.
  states?: string[];
  onDone?: () => void;
}

export const asked = new Store<Asked | null>(null);

export function ask(what: Asked): void {
  asked.set(what);
}

export const kOpWords: Record<JobAction['op'], { verb: string; done: string; icon: string; explain: string }> = {
  retry: {
    verb: 'Retry',
    done: 'Retried',
    icon: 'retry',
    explain: 'Each job begins a new series of attempts, now, at attempt 1.',
  },
  cancel: {
    verb: 'Cancel',
    done: 'Cancelled',
    icon: 'stop',
    explain: 'Waiting jobs end as cancelled. Running jobs are asked to stop.',
  },
  reschedule: {
    verb: 'Reschedule',
    done: 'Rescheduled',
    icon: 'clock',
    explain: 'Waiting jobs do not start before the new time. Running and ended jobs stay as they are.',
  },
  delete: {
    verb: 'Delete',
    done: 'Deleted',
    icon: 'trash',
    explain: 'Ended jobs are erased, and cannot be retried. Waiting jobs end as cancelled; running jobs are asked to stop.',
  },
};
