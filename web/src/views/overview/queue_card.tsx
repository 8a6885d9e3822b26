// One queue at a glance: rates, what waits and why, what fails, and the last hour.

import { useState } from 'preact/hooks';
import type { Queue } from '../../api/types.ts';
import { duration, rate, short } from '../../format/numbers.ts';
import { waitingTotal } from '../../format/waiting.ts';
import { notePause, pausedQueues } from '../../live/paused.ts';
import { api, operatorName } from '../../live/session.ts';
import { useStore } from '../../live/store.ts';
import { Badge } from '../../parts/badge.tsx';
import { Icon } from '../../parts/icon.tsx';
import { href } from '../../shell/route.ts';
import { tell, tellError } from '../../shell/toasts.tsx';
import { Failures } from './failures.tsx';
import { HistoryCharts } from './history_charts.tsx';
import { kSlowReadyMs } from './stuck.ts';
import { Waiting } from './waiting.tsx';

export function QueueCard({ queue, charts }: { queue: Queue; charts: boolean }) {
  const [open, setOpen] = useState(charts);
  const pausedHere = useStore(pausedQueues);
  const { rates } = queue;
  const name = queue.queue;
  const waiting = queue.waiting ? waitingTotal(queue.waiting) : null;
  const paused = queue.paused ?? pausedHere.has(name);
  const oldest = Math.max(queue.oldest_ready_ms, queue.overdue_ms);
  return (
    <section class="panel queue-card" aria-labelledby={`queue-${name}`}>
      <header>
        <h2 id={`queue-${name}`}><a href={href(['jobs'], { queue: name })}>{name}</a></h2>
        {paused && <Badge tone="warn" icon="pause" text="paused" />}
        <Phases phases={queue.phases} />
        <span class="push" />
        <PauseButton queue={name} paused={paused} />
      </header>
      <dl class="tiles">
        {rates && <Tile label="In" value={rate(rates.in)} unit="/s" />}
        {rates && <Tile label="Out" value={rate(rates.out)} unit="/s" />}
        {rates && <Tile label="Failed" value={rate(rates.failed)} unit="/s" tone={rates.failed > 0 ? 'bad' : ''} />}
        <Tile label="Running" value={short(queue.running)} to={href(['jobs'], { queue: name, state: 'running' })} />
        {waiting === null
          ? <Tile label="Jobs" value={short(queue.jobs)} to={href(['jobs'], { queue: name })} />
          : <Tile label="Waiting" value={short(waiting)} to={href(['jobs'], { queue: name })} />}
        <Tile label="Oldest ready" value={duration(oldest)} tone={oldest >= kSlowReadyMs ? 'bad' : ''}
          to={href(['jobs'], { queue: name, state: 'ready' })} />
      </dl>
      {queue.waiting && <Waiting queue={name} waiting={queue.waiting} />}
      {open ? (
        <HistoryCharts queue={name} />
      ) : (
        <button type="button" class="quiet more" onClick={() => setOpen(true)}>Show the last hour</button>
      )}
      {queue.failures && <Failures queue={name} failures={queue.failures} />}
    </section>
  );
}

function Tile(props: { label: string; value: string; unit?: string; tone?: string; to?: string }) {
  const content = (
    <>
      {props.value}
      {props.unit && <small>{props.unit}</small>}
    </>
  );
  return (
    <div class={`tile ${props.tone ?? ''}`}>
      <dt>{props.label}</dt>
      <dd>{props.to ? <a href={props.to}>{content}</a> : content}</dd>
    </div>
  );
}

function Phases({ phases }: { phases: Record<string, number> }) {
  const others = Object.entries(phases).filter(([phase, n]) => phase !== 'running' && n > 0);
  const running = phases.running ?? 0;
  return (
    <span class="phases muted">
      {running} {running === 1 ? 'partition runs' : 'partitions run'}
      {others.map(([phase, n]) => (
        <Badge key={phase} tone="warn" icon="retry" text={`${n} ${phase}`} />
      ))}
    </span>
  );
}

function PauseButton({ queue, paused }: { queue: string; paused: boolean }) {
  const change = async () => {
    try {
      await api.pause(paused ? 'resume' : 'pause', { queue }, operatorName());
      notePause(queue, !paused);
      tell(`${paused ? 'Resumed' : 'Paused'} ${queue}.`);
    } catch (error) {
      tellError(error);
    }
  };
  return (
    <button type="button" class="small" onClick={change} aria-label={`${paused ? 'Resume' : 'Pause'} ${queue}`}>
      <Icon name={paused ? 'play' : 'pause'} /> {paused ? 'Resume' : 'Pause'}
    </button>
  );
}
