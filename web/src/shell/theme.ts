// Light, dark, or as the system says. Styles follow data-theme of the root element (style/theme.css).

import { Store } from '../live/store.ts';

export type Theme = 'system' | 'light' | 'dark';

const kKey = 'penstock-theme';

function stored(): Theme {
  const value = localStorage.getItem(kKey);
  return value === 'light' || value === 'dark' ? value : 'system';
}

export const theme = new Store<Theme>(stored());

export function applyTheme(next: Theme): void {
  if (next === 'system') {
    localStorage.removeItem(kKey);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(kKey, next);
    document.documentElement.dataset.theme = next;
  }
  theme.set(next);
}

export function nextTheme(current: Theme): Theme {
  return current === 'system' ? 'light' : current === 'light' ? 'dark' : 'system';
}
