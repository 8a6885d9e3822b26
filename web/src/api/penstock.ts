// The requests of the page by name: one function per endpoint, so that views know no paths.

import { parseExact } from './exact_json.ts';
import { pathOf, type Client, type Query } from './client.ts';
import type * as t from './types.ts';

export interface JobFilter {
  state?: string;
  type?: string;
  account?: string;
  bulk?: string;
  error?: string;
  id?: string;
  from?: string;
  to?: string;
}

export interface JobAction {
  op: 'cancel' | 'retry' | 'delete' | 'reschedule';
  run_at?: string;
  in?: string;
}

export class Penstock {
  constructor(readonly client: Client) {}

  async queues(signal?: AbortSignal): Promise<t.Queue[]> {
    return (await this.client.get<{ queues: t.Queue[] }>(pathOf('queues'), undefined, signal)).queues;
  }

  history(queue: string, signal?: AbortSignal): Promise<t.History> {
    return this.client.get(pathOf('queues', queue, 'history'), undefined, signal);
  }

  workers(signal?: AbortSignal): Promise<t.Workers> {
    return this.client.get(pathOf('workers'), undefined, signal);
  }

  async jobs(
    queue: string,
    filter: JobFilter,
    after: string | null,
    limit: number,
    signal?: AbortSignal,
  ): Promise<t.Page<t.Job>> {
    type Answer = { jobs: t.Job[]; after: string | null; partitions_not_here?: number[] };
    const query: Query = { ...filter, limit, after };
    const page = await this.client.get<Answer>(pathOf('queues', queue, 'jobs'), query, signal);
    return { rows: page.jobs, after: page.after, missing: page.partitions_not_here ?? [] };
  }

  job(queue: string, account: string, id: string, signal?: AbortSignal): Promise<t.Job> {
    return this.client.request('GET', pathOf('queues', queue, 'jobs', id), {
      query: { account },
      signal,
      parse: parseExact,
    });
  }

  async change(job: t.Job, action: JobAction, signal?: AbortSignal): Promise<void> {
    const path = pathOf('queues', job.queue, 'jobs', job.id);
    const query = { account: job.account };
    if (action.op === 'delete') {
      await this.client.request('DELETE', path, { query, signal });
    } else if (action.op === 'reschedule') {
      await this.client.post(`${path}/reschedule`, query, { run_at: action.run_at, in: action.in }, signal);
    } else {
      await this.client.post(`${path}/${action.op}`, query, undefined, signal);
    }
  }

  // `all` is what the worker requires before it cancels or deletes without any filter.
  changeMany(
    queue: string,
    filter: JobFilter,
    action: JobAction,
    options: { dryRun: boolean; limit: number; after: string | null },
    signal?: AbortSignal,
  ): Promise<t.ActionAnswer> {
    const given = Object.fromEntries(Object.entries(filter).filter(([, value]) => value));
    const body = {
      ...given,
      ...action,
      dry_run: options.dryRun,
      limit: options.limit,
      ...(options.after === null ? {} : { after: options.after }),
      ...(Object.keys(given).length === 0 ? { all: true } : {}),
    };
    return this.client.post(pathOf('queues', queue, 'jobs', 'actions'), undefined, body, signal);
  }

  enqueue(queue: string, text: string, type: string, key: string): Promise<Response> {
    return this.client.raw('POST', pathOf('queues', queue, 'jobs'), {
      text,
      type,
      headers: { 'idempotency-key': key },
    });
  }

  async accounts(queue: string, by: string, limit: number, signal?: AbortSignal): Promise<t.AccountRow[]> {
    const query = { limit, by: by === 'line' ? undefined : by };
    const path = pathOf('queues', queue, 'accounts');
    return (await this.client.get<{ accounts: t.AccountRow[] }>(path, query, signal)).accounts;
  }

  async bulks(
    queue: string,
    account: string,
    after: string | null,
    limit: number,
    signal?: AbortSignal,
  ): Promise<t.Page<t.Bulk>> {
    type Answer = { bulks: t.Bulk[]; after: string | null; partitions_not_here?: number[] };
    const page = await this.client.get<Answer>(
      pathOf('queues', queue, 'bulks'),
      { account, after, limit },
      signal,
    );
    return { rows: page.bulks, after: page.after, missing: page.partitions_not_here ?? [] };
  }

  async limits(signal?: AbortSignal): Promise<t.Limit[]> {
    return (await this.client.get<{ limits: t.Limit[] }>(pathOf('limits'), undefined, signal)).limits;
  }

  setLimit(name: string, values: t.LimitValues): Promise<unknown> {
    return this.client.request('PUT', pathOf('limits', name), { body: values });
  }

  resetLimit(name: string): Promise<unknown> {
    return this.client.request('DELETE', pathOf('limits', name));
  }

  async pauses(signal?: AbortSignal): Promise<t.Pause[]> {
    return (await this.client.get<{ pauses: t.Pause[] }>(pathOf('pauses'), undefined, signal)).pauses;
  }

  pause(op: 'pause' | 'resume', what: { queue: string; type?: string | null; account?: string | null }, by: string) {
    return this.client.post(pathOf('queues', what.queue, op), { type: what.type, account: what.account, by });
  }

  async breakers(signal?: AbortSignal): Promise<t.Breaker[]> {
    return (await this.client.get<{ breakers: t.Breaker[] }>(pathOf('breakers'), undefined, signal)).breakers;
  }

  async replays(queue: string, signal?: AbortSignal): Promise<t.Replay[]> {
    const path = pathOf('queues', queue, 'replays');
    return (await this.client.get<{ replays: t.Replay[] }>(path, undefined, signal)).replays;
  }

  replay(queue: string, id: string, signal?: AbortSignal): Promise<t.Replay> {
    return this.client.get(pathOf('queues', queue, 'replays', id), undefined, signal);
  }

  previewReplay(queue: string, terms: Record<string, unknown>, signal?: AbortSignal): Promise<t.ReplayPreview> {
    return this.client.post(pathOf('queues', queue, 'replays'), { dry_run: true }, terms, signal);
  }

  startReplay(queue: string, terms: Record<string, unknown>, by: string): Promise<t.Replay> {
    return this.client.post(pathOf('queues', queue, 'replays'), { by }, terms);
  }

  async changeReplay(queue: string, id: string, op: string, by: string): Promise<void> {
    const path = pathOf('queues', queue, 'replays', id);
    if (op === 'delete') await this.client.request('DELETE', path, { query: { by } });
    else await this.client.post(`${path}/${op}`, { by });
  }

  async dead(
    queue: string,
    filter: { reason?: string; type?: string; account?: string; from?: string; to?: string },
    after: string | null,
    limit: number,
    signal?: AbortSignal,
  ): Promise<t.Page<t.DeadRecord>> {
    type Answer = { dead: t.DeadRecord[]; after: string | null };
    const path = pathOf('queues', queue, 'dead');
    const page = await this.client.get<Answer>(path, { ...filter, after, limit }, signal);
    return { rows: page.dead, after: page.after, missing: [] };
  }

  resend(queue: string, body: Record<string, unknown>, signal?: AbortSignal): Promise<t.Resent> {
    return this.client.post(pathOf('queues', queue, 'dead', 'resend'), undefined, body, signal);
  }

  // The members of a schedule depend on the worker's version, so they are shown as they come.
  async schedules(signal?: AbortSignal): Promise<Record<string, unknown>[]> {
    type Answer = { schedules: Record<string, unknown>[] };
    return (await this.client.get<Answer>(pathOf('schedules'), undefined, signal)).schedules;
  }
}
