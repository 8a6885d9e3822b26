// How every view looks and whether everyone can use it: axe in both themes, no sideways scrolling on a phone.

import assert from 'node:assert/strict';
import test from 'node:test';
import { View } from './chrome.mjs';

// Each view with a text that shows that it has loaded.
export const kViews = {
  overview: ['#/', 'Waiting'],
  jobs: ['#/jobs?queue=mail', 'Page 1'],
  job: ['#/jobs/mail/dead-a/dead-0', 'Why it is dead'],
  waiting: ['#/jobs/mail/parked-0/parked-0', 'Why it is not running'],
  dead: ['#/dead?queue=mail', 'fail.dead'],
  records: ['#/dead/records?queue=mail', 'Reason'],
  accounts: ['#/accounts?queue=mail', 'busy'],
  bulks: ['#/bulks?queue=mail', 'launch'],
  limits: ['#/limits', 'parked'],
  pauses: ['#/pauses', 'the whole queue'],
  replays: ['#/replays?queue=mail', 'Start a replay'],
  workers: ['#/workers', 'Partition'],
  enqueue: ['#/enqueue?queue=mail', 'Arguments'],
  paste: ['#/enqueue/paste?queue=mail', 'Insert an example'],
};

export function appearanceTests(stand) {
  for (const scheme of ['light', 'dark']) {
    test(`every view is accessible in ${scheme}`, async () => {
      const view = await View.open(stand.chrome, stand.url, { scheme, width: 1440 });
      await view.load();
      for (const [name, [hash, text]] of Object.entries(kViews)) {
        await view.go(hash);
        await view.see(text, 'main');
        await view.axe(`${name}, ${scheme}`);
        if (name === 'overview') await view.page.waitForSelector('.chart canvas');
        await view.shoot(`${name}-${scheme}`);
      }
      await view.close();
    });
  }

  test('every view fits a phone of 360 pixels', async () => {
    const view = await View.open(stand.chrome, stand.url, { width: 360, height: 740 });
    await view.load();
    for (const [name, [hash, text]] of Object.entries(kViews)) {
      await view.go(hash);
      await view.see(text, 'main');
      const width = await view.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= 360, `${name} is ${width} pixels wide`);
      await view.shoot(`${name}-phone`);
    }
    await view.axe('a phone');
    await view.click('Menu');
    await view.axe('the menu');
    await view.page.click('nav a[href="#/workers"]');
    await view.see('Partition', 'main');
    await view.close();
  });

  test('everything that can be clicked is at least 24 pixels high, or a link within text', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load('#/jobs?queue=mail');
    await view.see('Page 1');
    const small = await view.page.evaluate(() =>
      [...document.querySelectorAll('button, select, input, nav a')]
        .map((element) => element.closest('label') ?? element)
        .filter((element) => element.offsetParent && element.getBoundingClientRect().height < 24)
        .map((element) => element.outerHTML.slice(0, 120)));
    assert.deepEqual(small, []);
    await view.close();
  });

  test('the theme can be chosen, and is remembered', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load();
    const background = () => view.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await background();
    await view.click('System theme');
    await view.click('Light theme');
    await view.see('Dark theme');
    const dark = await background();
    assert.notEqual(dark, light);
    await view.load();
    assert.equal(await background(), dark);
    await view.close();
  });
}
