// The first view: how large it is, whether it stays in place, and what it says. How fast it is there is printed, not
// asserted: that says more of the machine than of the page.

import assert from 'node:assert/strict';
import test from 'node:test';
import { View } from './chrome.mjs';

export function overviewTests(stand) {
  test('the first view has less than 100 KB, and does not shift', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load();
    const times = [];
    for (let round = 0; round < 10; round++) {
      await view.page.goto('about:blank');
      await view.page.goto(`${view.url}/#/`);
      await view.page.waitForSelector('.queue-card .tile');
      times.push(await view.page.evaluate(() => window.firstView));
    }
    times.sort((a, b) => a - b);
    const bytes = await view.page.evaluate(() =>
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/assets/'))]
        .reduce((sum, entry) => sum + entry.encodedBodySize, 0));
    console.log(`# first view: ${times.map((time) => Math.round(time)).join(', ')} ms, ${bytes} bytes`);
    assert.equal((await fetch(`${view.url}/assets/page.js`)).headers.get('content-encoding'), 'gzip');
    assert.ok(bytes < 100_000, `${bytes} bytes`);
    await view.page.waitForSelector('.stuck li');
    await new Promise((resolve) => setTimeout(resolve, 2500));
    assert.ok((await view.page.evaluate(() => window.shift)) < 0.05, `shift ${await view.page.evaluate(() => window.shift)}`);
    await view.close();
  });

  test('it is live', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load();
    await view.see('Live', '.live');
    await view.close();
  });

  test('it says what is stuck, and leads to the jobs concerned', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load();
    await view.see('fail.dead', '.stuck');
    await view.see('unknown type', '.stuck');
    await view.see('to retry', '.stuck');
    const link = await view.page.evaluate(() => [...document.querySelectorAll('.stuck li')].find((item) => item.textContent.includes('fail.dead')).querySelector('a').hash);
    await view.go(link);
    await view.see('dead-0', 'table');
    await view.gone('done-1', 'table');
    await view.close();
  });

  test('waiting jobs are counted by reason, failures by error, and the last hour is drawn', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load();
    await view.see('not due yet', '.waiting');
    await view.see('waiting to retry', '.waiting');
    await view.see('failed at random', '.failures');
    await view.page.waitForSelector('.chart canvas');
    await view.close();
  });

  test('a queue can be paused and resumed, and its pause is in the list of what is stuck', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load();
    await view.click('Pause reports');
    await view.see('Paused reports.');
    await view.see('Paused: queue reports', '.stuck');
    await view.click('Resume (Paused: queue reports)');
    await view.gone('Paused: queue reports', '.stuck');
    await view.close();
  });

  test('the keyboard reaches the content at once, and a new view takes the focus', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load();
    const focused = () => view.page.evaluate(() => document.activeElement.id || document.activeElement.textContent);
    await view.page.keyboard.press('Tab');
    assert.equal(await focused(), 'Skip to the content');
    await view.page.keyboard.press('Enter');
    assert.equal(await focused(), 'main');
    await view.click('Bulks', 'link');
    await view.see('Bulks', 'h1');
    assert.equal(await focused(), 'Bulks');
    assert.equal(await view.page.title(), 'Bulks · Penstock');
    await view.close();
  });
}
