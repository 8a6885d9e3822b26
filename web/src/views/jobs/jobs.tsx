// The list of jobs: one page at a time, by cursor, so that the document stays small however many jobs there are.

import { useEffect, useState } from 'preact/hooks';
import { fillPage } from '../../api/paging.ts';
import { plural } from '../../format/numbers.ts';
import { useLoad } from '../../live/load.ts';
import { api } from '../../live/session.ts';
import { useStore } from '../../live/store.ts';
import { Icon } from '../../parts/icon.tsx';
import { Missing, Problem } from '../../parts/notice.tsx';
import { useQueue } from '../../parts/queue_select.tsx';
import { Title } from '../../parts/title.tsx';
import { route } from '../../shell/route.ts';
import { filterOf, isEmpty } from './filters.ts';
import { JobTable } from './job_table.tsx';
import { SearchForm } from './search_form.tsx';
import { SelectionBar, kNothing, type Selection } from './selection_bar.tsx';

const kPageSize = 100;

export function Jobs() {
  const { query } = useStore(route);
  const queue = useQueue();
  return (
    <>
      <Title text="Jobs" />
      {queue === null ? <p class="empty">Loading…</p> : <List key={queue} queue={queue} query={query} />}
    </>
  );
}

function List({ queue, query }: { queue: string; query: Record<string, string> }) {
  const filter = filterOf(query);
  const question = JSON.stringify(filter);
  // The cursors of the pages up to this one; they hold only for the question that they came from.
  const [trail, setTrail] = useState<{ question: string; cursors: (string | null)[] }>({ question, cursors: [null] });
  const [selection, setSelection] = useState<Selection>(kNothing);
  const cursors = trail.question === question ? trail.cursors : [null];
  const after = cursors[cursors.length - 1] ?? null;
  const loaded = useLoad(
    async (signal) => {
      const found = await fillPage((next, limit) => api.jobs(queue, filter, next, limit, signal), after, kPageSize);
      return { ...found, number: cursors.length };
    },
    [queue, question, after],
  );
  useEffect(() => setSelection(kNothing), [question, after]);

  const page = loaded.data;
  const turn = (next: (string | null)[]) => {
    setTrail({ question, cursors: next });
    document.getElementById('jobs')?.scrollIntoView({ block: 'nearest' });
  };
  // The worker carries commands out a moment after it has acknowledged them.
  const changed = () => {
    setSelection(kNothing);
    loaded.reload();
    setTimeout(loaded.reload, 1000);
  };
  const number = cursors.length;
  return (
    <>
      <SearchForm queue={queue} filter={filter} />
      {loaded.error ? <Problem error={loaded.error} retry={loaded.reload} /> : null}
      <section class="panel list" aria-label="Jobs found" aria-busy={loaded.loading} id="jobs">
        <SelectionBar
          queue={queue}
          filter={filter}
          rows={page?.rows ?? []}
          more={(page?.after ?? null) !== null || number > 1}
          selection={selection}
          onSelect={setSelection}
          onDone={changed}
        />
        {page && page.rows.length > 0 && <JobTable jobs={page.rows} selection={selection} onSelect={setSelection} />}
        {page && page.rows.length === 0 && (
          <p class="empty">
            {page.after !== null
              ? 'No match so far. There are more jobs to look through: continue with Next.'
              : isEmpty(filter) && number === 1 ? 'The queue has no jobs. ' : 'No job matches.'}
            {isEmpty(filter) && number === 1 && page.after === null && <a href="#/enqueue">Enqueue one</a>}
          </p>
        )}
        {!page && !loaded.error && <p class="empty" role="status">Loading…</p>}
        <footer class="pager">
          <span role="status">
            {page && page.rows.length > 0 && `Page ${page.number}: ${plural(page.rows.length, 'job')}`}
          </span>
          <button type="button" onClick={loaded.reload}><Icon name="retry" /> Refresh</button>
          <button type="button" disabled={number === 1} onClick={() => turn([null])}>First</button>
          <button type="button" disabled={number === 1} onClick={() => turn(cursors.slice(0, -1))}>
            <Icon name="back" /> Back
          </button>
          <button type="button" disabled={!page?.after} onClick={() => page?.after && turn([...cursors, page.after])}>
            Next <Icon name="arrow" />
          </button>
        </footer>
      </section>
      <Missing partitions={page?.missing ?? []} />
    </>
  );
}
