// The sidebar: on a narrow screen, a bar with a menu.

import { useEffect, useState } from 'preact/hooks';
import { live } from '../live/live.ts';
import { signOut, tokenGiven } from '../live/session.ts';
import { useStore } from '../live/store.ts';
import { Icon, Logo } from '../parts/icon.tsx';
import { absent } from './features.ts';
import { LiveBadge } from './live_badge.tsx';
import { href, route } from './route.ts';
import { applyTheme, nextTheme, theme } from './theme.ts';

const kEntries: [path: string, text: string, icon: string][] = [
  ['', 'Overview', 'overview'],
  ['jobs', 'Jobs', 'jobs'],
  ['dead', 'Dead', 'dead'],
  ['accounts', 'Accounts', 'accounts'],
  ['bulks', 'Bulks', 'bulks'],
  ['limits', 'Limits', 'limits'],
  ['pauses', 'Pauses', 'pause'],
  ['replays', 'Replays', 'retry'],
  ['enqueue', 'Enqueue', 'enqueue'],
  // Last, because they are taken away if the worker does not have them.
  ['workers', 'Workers', 'workers'],
  ['schedules', 'Schedules', 'schedules'],
];

export function Nav() {
  const [open, setOpen] = useState(false);
  const { path } = useStore(route);
  const hidden = useStore(absent);
  const { workers } = useStore(live);
  const current = path[0] ?? '';
  useEffect(() => setOpen(false), [path]);

  return (
    <header class="side">
      <div class="brand">
        <a href="#/"><Logo /> Penstock</a>
        <LiveBadge />
        <button
          type="button"
          class="quiet menu"
          aria-expanded={open}
          aria-controls="nav"
          aria-label="Menu"
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'close' : 'menu'} />
        </button>
      </div>
      <div id="nav" class={open ? 'open' : ''}>
        <nav aria-label="Views">
          <ul>
            {kEntries
              .filter(([name]) => !hidden.has(name))
              .map(([name, text, icon]) => (
                <li key={name}>
                  <a href={href(name === '' ? [] : [name])} aria-current={current === name ? 'page' : undefined}>
                    <Icon name={icon} /> {text}
                    {name === 'workers' && workers !== null && <span class="tally">{workers}</span>}
                  </a>
                </li>
              ))}
          </ul>
        </nav>
        <Settings />
      </div>
    </header>
  );
}

function Settings() {
  const current = useStore(theme);
  const signed = useStore(tokenGiven);
  const icons = { system: 'system', light: 'sun', dark: 'moon' };
  const words = { system: 'System theme', light: 'Light theme', dark: 'Dark theme' };
  return (
    <div class="settings">
      <button type="button" class="quiet" onClick={() => applyTheme(nextTheme(current))}>
        <Icon name={icons[current]} /> {words[current]}
      </button>
      {signed && (
        <button type="button" class="quiet" onClick={signOut}>
          <Icon name="out" /> Sign out
        </button>
      )}
    </div>
  );
}
