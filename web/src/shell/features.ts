// Views whose endpoint this worker does not have are not offered.

import { ApiError } from '../api/client.ts';
import { api } from '../live/session.ts';
import { Store } from '../live/store.ts';

export const absent = new Store<ReadonlySet<string>>(new Set(['schedules']));

const kProbes: Record<string, () => Promise<unknown>> = {
  workers: () => api.workers(),
  breakers: () => api.breakers(),
  schedules: () => api.schedules(),
};

export async function probeFeatures(): Promise<void> {
  const missing = new Set<string>();
  await Promise.all(
    Object.entries(kProbes).map(async ([name, probe]) => {
      try {
        await probe();
      } catch (error) {
        if (!(error instanceof ApiError) || error.noSuchEndpoint) missing.add(name);
      }
    }),
  );
  absent.set(missing);
}
