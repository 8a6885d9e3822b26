// Every view and every action of the page, in a real Chromium against a real worker:
//
//   npm ci --prefix web && PENSTOCK=build/release/penstock node --test tests/browser/page_test.mjs
//
// PENSTOCK_SCREENSHOTS names a folder for a picture of each view in light and dark.

import { after, before, describe } from 'node:test';
import { accessTests } from './access.mjs';
import { appearanceTests } from './appearance.mjs';
import { startChrome } from './chrome.mjs';
import { deadTests } from './dead.mjs';
import { enqueueTests } from './enqueue.mjs';
import { jobTests } from './jobs.mjs';
import { operationTests } from './operations.mjs';
import { overviewTests } from './overview.mjs';
import { replayTests } from './replays.mjs';
import { seed } from './seed.mjs';
import { startStand } from './stand.mjs';

describe('page', { timeout: 180_000 }, () => {
  const stand = { chrome: null, url: null };
  let running;
  before(async () => {
    [running, stand.chrome] = await Promise.all([startStand(), startChrome()]);
    stand.url = running.url;
    await seed(stand.url);
  });
  after(async () => {
    await stand.chrome?.close();
    await running?.end();
  });
  // Looks come first: they show what was seeded, before anything is changed.
  appearanceTests(stand);
  overviewTests(stand);
  jobTests(stand);
  deadTests(stand);
  operationTests(stand);
  replayTests(stand);
  enqueueTests(stand);
  accessTests(stand);
});
