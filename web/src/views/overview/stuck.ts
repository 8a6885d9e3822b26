// What needs a person, from what the workers say. Pure: the same figures give the same list, the worst first.

import type { JobFilter } from '../../api/penstock.ts';
import type { Breaker, Limit, Pause, Queue, Replay, Workers } from '../../api/types.ts';
import { count, duration, plural } from '../../format/numbers.ts';
import { href } from '../../shell/route.ts';
import type { DeadGroup } from '../dead/groups.ts';

export type Fix =
  | { kind: 'retry'; label: string; queue: string; filter: JobFilter; states?: string[] }
  | { kind: 'resume'; label: string; pause: Pause }
  | { kind: 'reset'; label: string; limit: string }
  | { kind: 'replay'; label: string; queue: string; id: string };

export interface StuckItem {
  key: string;
  bad: boolean;
  title: string;
  detail: string;
  links: { text: string; href: string }[];
  fix?: Fix;
}

export interface Situation {
  queues: Queue[];
  dead: { queue: string; groups: DeadGroup[]; more: boolean }[];
  pauses: Pause[];
  breakers: Breaker[];
  limits: Limit[];
  replays: Replay[];
  workers: Workers | null;
}

// How long a job that could start may wait before a person should know.
export const kSlowReadyMs = 30_000;
export const kBadReadyMs = 300_000;

// Rows per kind beyond which the rest is summed up.
const kMaxPerKind = 5;

export function stuckItems(now: Situation): StuckItem[] {
  const items = [
    ...unanswered(now.workers),
    ...bounded('kinds of dead jobs', deadJobs(now), href(['dead'])),
    ...bounded('breakers', now.breakers.map(openBreaker), href(['pauses'])),
    ...bounded('pauses', now.pauses.map(paused), href(['pauses'])),
    ...bounded('halted limits', now.limits.filter((limit) => limit.set?.slots === 0).map(halted), href(['limits'])),
    ...now.queues.flatMap(slowStart),
    ...now.queues.flatMap(unknownTypes),
    ...now.queues.flatMap(retrying),
    ...now.queues.flatMap(badRecords),
    ...bounded('paused replays', now.replays.filter((replay) => replay.state === 'paused').map(pausedReplay), href(['replays'])),
  ];
  return [...items.filter((item) => item.bad), ...items.filter((item) => !item.bad)];
}

function bounded(kinds: string, items: StuckItem[], all: string): StuckItem[] {
  if (items.length <= kMaxPerKind) return items;
  const shown = items.slice(0, kMaxPerKind - 1);
  const rest = items.length - shown.length;
  const sum: StuckItem = {
    key: `${kinds}/more`,
    bad: items.slice(shown.length).some((item) => item.bad),
    title: `${count(rest)} more ${kinds}`,
    detail: '',
    links: [{ text: 'See all', href: all }],
  };
  return [...shown, sum];
}

function unanswered(workers: Workers | null): StuckItem[] {
  const links = [{ text: 'Workers', href: href(['workers']) }];
  const silent = (workers?.unanswered ?? []).map((worker) => ({
    key: `silent/${worker.id}`,
    bad: true,
    title: `Worker ${worker.id} does not answer`,
    detail: worker.reason,
    links,
  }));
  const unready = (workers?.workers ?? [])
    .filter((worker) => !worker.ready)
    .map((worker) => ({
      key: `unready/${worker.id}`,
      bad: false,
      title: `Worker ${worker.name ?? worker.id} is not ready`,
      detail: worker.reason ?? '',
      links,
    }));
  return [...silent, ...unready];
}

function deadJobs(now: Situation): StuckItem[] {
  return now.dead.flatMap(({ queue, groups, more }) =>
    groups.map((group) => {
      const filter: JobFilter = { state: 'dead', type: group.type, error: group.literal };
      return {
        key: `dead/${queue}/${group.key}`,
        bad: true,
        title: `${count(group.count)}${more ? '+' : ''} dead: ${group.type}`,
        detail: `${queue} · ${group.error || group.name || 'no reason given'}`,
        links: [{ text: 'See jobs', href: href(['jobs'], { queue, ...filter }) }],
        fix: { kind: 'retry', label: 'Retry these…', queue, filter } as Fix,
      };
    }),
  );
}

function openBreaker(breaker: Breaker): StuckItem {
  const { queue, type, account } = breaker;
  return {
    key: `breaker/${queue}/${type}/${account}`,
    bad: breaker.state === 'open',
    title: `Breaker ${breaker.state.replace('_', ' ')}: ${type}`,
    detail: `${queue} · ${account} · ${plural(breaker.failures, 'failure')} in a row${breaker.error ? `: ${breaker.error}` : ''}`,
    links: [
      { text: 'See jobs', href: href(['jobs'], { queue, type, account, state: 'waiting' }) },
      { text: 'Next probe', href: href(['pauses']) },
    ],
  };
}

function paused(pause: Pause): StuckItem {
  const { queue, type, account } = pause;
  const what = account ? `account ${account}` : type ? `type ${type}` : `queue ${queue}`;
  return {
    key: `pause/${queue}/${type}/${account}`,
    bad: false,
    title: `Paused: ${what}`,
    detail: `${account || type ? `${queue} · ` : ''}${pause.by ? `by ${pause.by}` : 'nobody gave a name'}`,
    links: [
      { text: 'See jobs', href: href(['jobs'], { queue, type: type ?? '', account: account ?? '', state: 'waiting' }) },
    ],
    fix: { kind: 'resume', label: 'Resume', pause },
  };
}

function halted(limit: Limit): StuckItem {
  return {
    key: `limit/${limit.name}`,
    bad: false,
    title: `Limit halted: ${limit.name}`,
    detail: `Set to 0, so nothing starts under it${limit.waiting ? `; ${plural(limit.waiting, 'job')} waiting` : ''}`,
    links: [{ text: 'Limits', href: href(['limits']) }],
    fix: { kind: 'reset', label: 'Reset', limit: limit.name },
  };
}

function slowStart(queue: Queue): StuckItem[] {
  const ms = Math.max(queue.oldest_ready_ms, queue.overdue_ms);
  if (ms < kSlowReadyMs) return [];
  const ready = queue.oldest_ready_ms >= queue.overdue_ms;
  return [{
    key: `slow/${queue.queue}`,
    bad: ms >= kBadReadyMs,
    title: `${queue.queue}: ${ready ? 'a ready job' : 'a due job'} has waited ${duration(ms)}`,
    detail: ready
      ? `${plural(queue.running, 'attempt')} running. Add workers, or raise --concurrency`
      : 'The worker is behind with jobs that became due',
    links: [
      { text: 'Ready jobs', href: href(['jobs'], { queue: queue.queue, state: 'ready' }) },
      { text: 'Oldest accounts', href: href(['accounts'], { queue: queue.queue, by: 'oldest' }) },
    ],
  }];
}

function unknownTypes(queue: Queue): StuckItem[] {
  const n = queue.waiting?.unknown_type ?? 0;
  if (n === 0) return [];
  return [{
    key: `unknown/${queue.queue}`,
    bad: true,
    title: `${plural(n, 'job')} of an unknown type`,
    detail: `${queue.queue} · No worker knows ${n === 1 ? 'its' : 'their'} type. Start one with a handler for it, or cancel`,
    links: [{ text: 'See jobs', href: href(['jobs'], { queue: queue.queue, state: 'waiting' }) }],
  }];
}

function retrying(queue: Queue): StuckItem[] {
  const n = queue.waiting?.retrying ?? 0;
  if (n === 0) return [];
  const worst = queue.failures?.find((failure) => !failure.dead);
  return [{
    key: `retrying/${queue.queue}`,
    bad: false,
    title: `${plural(n, 'job')} ${n === 1 ? 'waits' : 'wait'} to retry`,
    detail: `${queue.queue}${worst ? ` · mostly ${worst.type}: ${worst.error}` : ''}`,
    links: [{ text: 'See jobs', href: href(['jobs'], { queue: queue.queue, state: 'retrying' }) }],
    fix: { kind: 'retry', label: 'Retry now…', queue: queue.queue, filter: { state: 'retrying' } },
  }];
}

function badRecords(queue: Queue): StuckItem[] {
  const n = queue.counts?.bad ?? 0;
  if (n === 0) return [];
  return [{
    key: `bad/${queue.queue}`,
    bad: false,
    title: plural(n, 'bad record'),
    detail: `${queue.queue} · since the workers started; the producer breaks a rule of the job record`,
    links: [{ text: 'See records', href: href(['dead', 'records'], { queue: queue.queue }) }],
  }];
}

function pausedReplay(replay: Replay): StuckItem {
  return {
    key: `replay/${replay.queue}/${replay.id}`,
    bad: false,
    title: `Replay paused: ${replay.id}`,
    detail: `${replay.queue}${replay.reason ? ` · ${replay.reason}` : ''}`,
    links: [{ text: 'See replay', href: href(['replays', replay.queue, replay.id]) }],
    fix: { kind: 'replay', label: 'Resume', queue: replay.queue, id: replay.id },
  };
}
