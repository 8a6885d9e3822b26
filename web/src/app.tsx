// The page: the sidebar, the view that the address names, and what lies above every view.

import type { VNode } from 'preact';
import { useEffect } from 'preact/hooks';
import { ActionDialog } from './actions/action_dialog.tsx';
import { signedOut } from './live/session.ts';
import { useStore } from './live/store.ts';
import { Title } from './parts/title.tsx';
import { probeFeatures } from './shell/features.ts';
import { NotLive } from './shell/live_badge.tsx';
import { Nav } from './shell/nav.tsx';
import { route, type Route } from './shell/route.ts';
import { SignIn } from './shell/sign_in.tsx';
import { Toasts } from './shell/toasts.tsx';
import { Accounts } from './views/accounts.tsx';
import { Bulks } from './views/bulks.tsx';
import { Dead } from './views/dead/dead.tsx';
import { Enqueue } from './views/enqueue/enqueue.tsx';
import { JobPage } from './views/jobs/job_page.tsx';
import { Jobs } from './views/jobs/jobs.tsx';
import { Limits } from './views/limits/limits.tsx';
import { Overview } from './views/overview/overview.tsx';
import { Pauses } from './views/pauses.tsx';
import { ReplayPage } from './views/replays/replay_page.tsx';
import { Replays } from './views/replays/replays.tsx';
import { Schedules } from './views/schedules.tsx';
import { Workers } from './views/workers.tsx';

export function App() {
  const out = useStore(signedOut);
  const now = useStore(route);
  useEffect(() => {
    if (!out) void probeFeatures();
  }, [out]);
  const place = now.path.join('/');
  useEffect(() => scrollTo(0, 0), [place]);
  if (out) return <SignIn />;
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>Skip to the content</a>
      <Nav />
      <main id="main" tabIndex={-1}>
        <NotLive />
        <div class="view" key={place}>{view(now)}</div>
      </main>
      <ActionDialog />
      <Toasts />
    </>
  );
}

// The fragment is the address of a view, so the link must not change it.
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById('main')?.focus();
}

const kViews: Record<string, () => VNode> = {
  accounts: () => <Accounts />,
  bulks: () => <Bulks />,
  dead: () => <Dead />,
  enqueue: () => <Enqueue />,
  jobs: () => <Jobs />,
  limits: () => <Limits />,
  pauses: () => <Pauses />,
  replays: () => <Replays />,
  schedules: () => <Schedules />,
  workers: () => <Workers />,
};

function view({ path }: Route): VNode {
  const [name, first, second, third] = path;
  if (name === undefined) return <Overview />;
  if (name === 'jobs' && first !== undefined && second !== undefined && third !== undefined) {
    return <JobPage queue={first} account={second} id={third} />;
  }
  if (name === 'replays' && first !== undefined && second !== undefined) return <ReplayPage queue={first} id={second} />;
  return kViews[name]?.() ?? <NotFound />;
}

function NotFound() {
  return (
    <>
      <Title text="Not found" />
      <p class="empty">There is no such view. <a href="#/">Overview</a></p>
    </>
  );
}
