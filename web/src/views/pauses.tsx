// What operators have paused, and the breakers that are open.

import { useState } from 'preact/hooks';
import type { Breaker, Pause } from '../api/types.ts';
import { count } from '../format/numbers.ts';
import { live } from '../live/live.ts';
import { useLoad } from '../live/load.ts';
import { api, operatorName, setOperatorName } from '../live/session.ts';
import { useStore } from '../live/store.ts';
import { StateBadge } from '../parts/badge.tsx';
import { Field, Text } from '../parts/field.tsx';
import { Icon } from '../parts/icon.tsx';
import { Content } from '../parts/notice.tsx';
import { Time } from '../parts/time.tsx';
import { Title } from '../parts/title.tsx';
import { href } from '../shell/route.ts';
import { tell, tellError } from '../shell/toasts.tsx';

const kEveryMs = 3000;

export function Pauses() {
  const pauses = useLoad((signal) => api.pauses(signal), [], kEveryMs);
  const breakers = useLoad((signal) => api.breakers(signal), [], kEveryMs);
  return (
    <>
      <Title text="Pauses" />
      <Content of={pauses}>{(rows) => <PauseTable pauses={rows} changed={pauses.reload} />}</Content>
      <PauseForm changed={pauses.reload} />
      {!breakers.absent && (
        <Content of={breakers}>{(rows) => <BreakerTable breakers={rows} />}</Content>
      )}
    </>
  );
}

function PauseTable({ pauses, changed }: { pauses: Pause[]; changed: () => void }) {
  const resume = async (pause: Pause) => {
    try {
      await api.pause('resume', pause, operatorName());
      tell('Resumed.');
      changed();
    } catch (error) {
      tellError(error);
    }
  };
  return (
    <section class="panel" aria-label="Pauses">
      {pauses.length === 0 ? <p class="empty all-clear"><Icon name="check" /> Nothing is paused</p> : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Table of pauses">
          <table>
            <thead><tr><th>Queue</th><th>Type</th><th>Account</th><th>Since</th><th>By</th><th><span class="hidden">Actions</span></th></tr></thead>
            <tbody>
              {pauses.map((pause) => (
                <tr key={`${pause.queue}/${pause.type}/${pause.account}`}>
                  <td>{pause.queue}</td>
                  <td>{pause.type ?? <span class="muted">all</span>}</td>
                  <td>{pause.account ?? <span class="muted">all</span>}</td>
                  <td class="nowrap"><Time at={pause.since} /></td>
                  <td>{pause.by}</td>
                  <td class="actions">
                    <a href={href(['jobs'], { queue: pause.queue, type: pause.type ?? '', account: pause.account ?? '', state: 'waiting' })}>
                      See jobs
                    </a>
                    <button type="button" class="small" aria-label={`Resume ${pause.account ?? pause.type ?? pause.queue}`}
                      onClick={() => void resume(pause)}>
                      <Icon name="play" /> Resume
                    </button>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function PauseForm({ changed }: { changed: () => void }) {
  const { queues } = useStore(live);
  const [chosen, setQueue] = useState('');
  const [what, setWhat] = useState<'queue' | 'type' | 'account'>('queue');
  const [name, setName] = useState('');
  const [by, setBy] = useState(operatorName());
  const queue = chosen || (queues?.[0]?.queue ?? '');
  const types = queues?.find((each) => each.queue === queue)?.types ?? [];
  const submit = async (event: Event) => {
    event.preventDefault();
    setOperatorName(by);
    try {
      await api.pause('pause', { queue, ...(what === 'queue' ? {} : { [what]: name }) }, by);
      tell(`Paused ${what === 'queue' ? queue : name}.`);
      changed();
    } catch (error) {
      tellError(error);
    }
  };
  return (
    <form class="panel pad form" onSubmit={submit}>
      <h2>Pause</h2>
      <div class="pair">
        <Field label="Queue">
          <select name="queue" value={queue} onChange={(event) => setQueue(event.currentTarget.value)}>
            {queues?.map((each) => <option key={each.queue} value={each.queue}>{each.queue}</option>)}
          </select>
        </Field>
        <Field label="What">
          <select name="what" value={what} onChange={(event) => setWhat(event.currentTarget.value as typeof what)}>
            <option value="queue">the whole queue</option>
            <option value="type">one type</option>
            <option value="account">one account</option>
          </select>
        </Field>
        {what !== 'queue' && (
          <Field label={what === 'type' ? 'Type' : 'Account'}>
            <Text name="name" value={name} required list={what === 'type' ? 'pause-types' : undefined} onInput={setName} />
          </Field>
        )}
        <Field label="By" hint="Shown to everyone who asks why a job waits">
          <Text name="by" value={by} placeholder="your name" onInput={setBy} />
        </Field>
      </div>
      <datalist id="pause-types">{types.map((type) => <option key={type} value={type} />)}</datalist>
      <button type="submit" class="primary"><Icon name="pause" /> Pause</button>
    </form>
  );
}

function BreakerTable({ breakers }: { breakers: Breaker[] }) {
  return (
    <section class="panel" aria-labelledby="breakers">
      <header class="pager"><h2 id="breakers">Breakers</h2></header>
      {breakers.length === 0 ? <p class="empty all-clear"><Icon name="check" /> No breaker is open</p> : (
        <div class="scroll" tabIndex={0} role="region" aria-label="Table of breakers">
          <table class="wide breakers">
            <thead>
              <tr><th>Queue</th><th>Type</th><th>Account</th><th>State</th><th class="n">Failures</th><th>Next probe</th><th>Error</th><th><span class="hidden">Links</span></th></tr>
            </thead>
            <tbody>
              {breakers.map((breaker) => (
                <tr key={`${breaker.queue}/${breaker.type}/${breaker.account}`}>
                  <td>{breaker.queue}</td>
                  <td>{breaker.type}</td>
                  <td>{breaker.account}</td>
                  <td><StateBadge state={breaker.state} /></td>
                  <td class="n">{count(breaker.failures)}</td>
                  <td class="nowrap"><Time at={breaker.until} /></td>
                  <td class="clip error-name" title={breaker.error ?? ''}>{breaker.error}</td>
                  <td class="actions">
                    <a href={href(['jobs'], { queue: breaker.queue, type: breaker.type, account: breaker.account })}>See jobs</a>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
