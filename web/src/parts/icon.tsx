// The icons, drawn on a grid of 16. They stand beside text that says the same, so screen readers skip them.

const kPaths: Record<string, string> = {
  dot: 'M8 7.5a.5.5 0 1 0 0 1 .5.5 0 0 0 0-1',
  clock: 'M8 2a6 6 0 1 0 0 12A6 6 0 0 0 8 2M8 5v3.2l2.2 1.6',
  arrow: 'M3 8h10M9 4l4 4-4 4',
  back: 'M13 8H3M7 4 3 8l4 4',
  hand: 'M5 2.5h6M5 13.5h6M5.5 2.5c0 3 5 4 5 5.5s-5 2.5-5 5.5M10.5 2.5c0 3-5 4-5 5.5s5 2.5 5 5.5',
  play: 'M5 3l8 5-8 5z',
  retry: 'M13 8a5 5 0 1 1-1.6-3.6M13 2v3h-3',
  check: 'M3 8.5l3.2 3.5L13 4.5',
  cross: 'M8 5v3.5M8 11v.1M8 1.8 14.5 13.5h-13z',
  close: 'M4 4l8 8M12 4l-8 8',
  stop: 'M4 4h8v8H4z',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  copy: 'M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3',
  overview: 'M2.5 2.5h4.5v5H2.5zM9 2.5h4.5v3H9zM2.5 9.5h4.5v4H2.5zM9 7.5h4.5v6H9z',
  jobs: 'M5.5 4h8M5.5 8h8M5.5 12h8M2.5 4h.1M2.5 8h.1M2.5 12h.1',
  dead: 'M8 5v3.5M8 11v.1M8 1.8 14.5 13.5h-13z',
  accounts: 'M8 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5M3 13.5c.5-2.5 2.5-3.5 5-3.5s4.5 1 5 3.5',
  bulks: 'M2.5 5 8 2.5 13.5 5 8 7.5zM2.5 8 8 10.5 13.5 8M2.5 11 8 13.5l5.5-2.5',
  limits: 'M2.5 11.5a5.5 5.5 0 1 1 11 0M8 11.5l2.5-4',
  schedules: 'M2.5 3.5h11v10h-11zM2.5 6.5h11M5.5 2v2.5M10.5 2v2.5',
  workers: 'M2.5 2.5h11v4h-11zM2.5 9.5h11v4h-11zM5 4.5h.1M5 11.5h.1',
  enqueue: 'M8 3v10M3 8h10',
  trash: 'M3 4.5h10M6 4.5v-2h4v2M4.5 4.5l.5 9h6l.5-9',
  sun: 'M8 5.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M8 1.5v1.5M8 13v1.5M1.5 8H3M13 8h1.5M3.4 3.4l1 1M11.6 11.6l1 1M3.4 12.6l1-1M11.6 4.4l1-1',
  moon: 'M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5',
  system: 'M2.5 3h11v8h-11zM6 13.5h4M8 11v2.5',
  menu: 'M2.5 4h11M2.5 8h11M2.5 12h11',
  out: 'M9.5 8H2.5M5 5 2.5 8 5 11M7 2.5h6.5v11H7',
};

export function Icon({ name }: { name: string }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={kPaths[name] ?? kPaths.dot} />
    </svg>
  );
}

export function Logo() {
  return (
    <svg class="logo" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="7" fill="#0b6478" />
      <path d="M7 8h6.5v9.5c0 2.5 2 4.5 4.5 4.5H25" fill="none" stroke="#fff" stroke-width="4.2" stroke-linecap="round" />
      <circle cx="24.5" cy="10" r="2.8" fill="#7fdcef" />
    </svg>
  );
}
