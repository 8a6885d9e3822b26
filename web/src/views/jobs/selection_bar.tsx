// What is selected, and what can be done with it: the jobs of this page that are ticked, or all that match the search.

import { ask, kOpWords } from '../../actions/ask.ts';
import type { JobAction, JobFilter } from '../../api/penstock.ts';
import type { Job } from '../../api/types.ts';
import { count } from '../../format/numbers.ts';
import { Icon } from '../../parts/icon.tsx';

export interface Selection {
  // Every job that matches, on other pages too.
  all: boolean;
  keys: ReadonlySet<string>;
}

export const kNothing: Selection = { all: false, keys: new Set() };

export function keyOf(job: Job): string {
  return `${job.account}\n${job.id}`;
}

interface Props {
  queue: string;
  filter: JobFilter;
  rows: Job[];
  more: boolean;
  selection: Selection;
  onSelect: (selection: Selection) => void;
  onDone: () => void;
}

const kOps: JobAction['op'][] = ['retry', 'reschedule', 'cancel', 'delete'];

export function SelectionBar(props: Props) {
  const { rows, selection, onSelect } = props;
  const page = rows.length > 0 && rows.every((job) => selection.all || selection.keys.has(keyOf(job)));
  const n = selection.keys.size;
  const some = selection.all || n > 0;
  const act = (op: JobAction['op']) =>
    ask({
      op,
      queue: props.queue,
      onDone: props.onDone,
      ...(selection.all
        ? { filter: props.filter }
        : { jobs: rows.filter((job) => selection.keys.has(keyOf(job))) }),
    });
  return (
    <div class="selection">
      <label class="choice">
        <input
          type="checkbox"
          checked={page}
          disabled={rows.length === 0}
          onChange={() => onSelect(page ? kNothing : { all: false, keys: new Set(rows.map(keyOf)) })}
        />
        This page
      </label>
      <button
        type="button"
        class="small"
        aria-pressed={selection.all}
        disabled={rows.length === 0}
        onClick={() => onSelect(selection.all ? kNothing : { all: true, keys: new Set() })}
      >
        {props.more ? 'All that match, on every page' : 'All that match'}
      </button>
      <span class="muted" role="status">
        {selection.all ? 'All selected' : n > 0 ? `${count(n)} selected` : 'None selected'}
      </span>
      <span class="push" />
      {kOps.map((op) => (
        <button key={op} type="button" class="small" disabled={!some} onClick={() => act(op)}>
          <Icon name={kOpWords[op].icon} /> {kOpWords[op].verb}…
        </button>
      ))}
    </div>
  );
}
