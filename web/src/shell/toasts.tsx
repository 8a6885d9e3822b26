// Short messages about what has just been done. Errors stay until they are dismissed.

import { messageOf } from '../api/client.ts';
import { Store, useStore } from '../live/store.ts';
import { Icon } from '../parts/icon.tsx';

interface Toast {
  id: number;
  text: string;
  bad: boolean;
}

const kMaxToasts = 4;
const kShownMs = 6000;

const toasts = new Store<Toast[]>([]);
let lastId = 0;

function show(text: string, bad: boolean): void {
  const toast = { id: ++lastId, text, bad };
  toasts.set([...toasts.get().slice(1 - kMaxToasts), toast]);
  if (!bad) setTimeout(() => dismiss(toast.id), kShownMs);
}

function dismiss(id: number): void {
  toasts.set(toasts.get().filter((toast) => toast.id !== id));
}

export function tell(text: string): void {
  show(text, false);
}

export function tellError(error: unknown): void {
  show(messageOf(error), true);
}

// Both live regions are always in the document: a screen reader announces only changes of a region that it knows.
export function Toasts() {
  const shown = useStore(toasts);
  const list = (bad: boolean) =>
    shown
      .filter((toast) => toast.bad === bad)
      .map((toast) => (
        <div key={toast.id} class={`toast ${bad ? 'bad' : 'good'}`}>
          <Icon name={bad ? 'cross' : 'check'} />
          <span>{toast.text}</span>
          <button type="button" class="quiet" onClick={() => dismiss(toast.id)} aria-label="Dismiss">
            <Icon name="close" />
          </button>
        </div>
      ));
  return (
    <div class="toasts">
      <div role="status" aria-live="polite">{list(false)}</div>
      <div role="alert">{list(true)}</div>
    </div>
  );
}
