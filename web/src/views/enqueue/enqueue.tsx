// Enqueues jobs: one or many from a form, or as pasted.

import { useState } from 'preact/hooks';
import { useStore } from '../../live/store.ts';
import { QueueSelect, useQueue } from '../../parts/queue_select.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Title } from '../../parts/title.tsx';
import { href, route } from '../../shell/route.ts';
import { JobForm } from './job_form.tsx';
import { PasteForm } from './paste_form.tsx';
import { Result } from './result.tsx';
import type { Enqueued } from './answer.ts';

export function Enqueue() {
  const { path } = useStore(route);
  const queue = useQueue();
  const [result, setResult] = useState<Enqueued | null>(null);
  const paste = path[1] === 'paste';
  const query = { queue: queue ?? undefined };
  return (
    <>
      <Title text="Enqueue">{queue !== null && <QueueSelect queue={queue} />}</Title>
      <Tabs
        label="How"
        tabs={[
          { text: 'Form', href: href(['enqueue'], query), current: !paste },
          { text: 'Paste JSON', href: href(['enqueue', 'paste'], query), current: paste },
        ]}
      />
      {queue !== null && (
        paste ? <PasteForm queue={queue} onResult={setResult} /> : <JobForm key={queue} queue={queue} onResult={setResult} />
      )}
      <div aria-live="polite">{result && <Result result={result} />}</div>
    </>
  );
}
