// The time of day for "3 min ago", advanced once per second for all components that show it.

import { Store } from './store.ts';

export const clock = new Store<number>(Date.now());

setInterval(() => {
  if (!document.hidden) clock.set(Date.now());
}, 1000);
