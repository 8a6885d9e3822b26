// Dead jobs by type and reason, and the records of the dead topic.

import test from 'node:test';
import { View } from './chrome.mjs';

export function deadTests(stand) {
  test('dead jobs are grouped by type and reason, and retried together after a preview', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load('#/dead?queue=mail');
    await view.see('fail.dead', '.group');
    await view.see('failed at random, as fail: asks', '.group');
    await view.click('Retry these (fail.dead, failed at random, as fail: asks)');
    await view.see('11 jobs', 'dialog .preview');
    await view.click('Retry 11 jobs');
    await view.see('Retried 11 jobs.');
    await view.close();
  });

  test('dead records are listed with their bytes, and sent back after a dry run', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load('#/dead/records?queue=mail');
    await view.set('main .toolbar select', '');
    await view.page.waitForSelector('.record');
    const name = await view.page.$eval('.record', (record) => record.getAttribute('aria-label').replace('Record ', ''));
    await view.click(`Bytes of record ${name}`);
    await view.see('000000', '.record .code');
    await view.click(`Send back record ${name}`);
    await view.see('can be sent', 'dialog .preview');
    await view.page.keyboard.press('Escape');
    await view.click('Send all back…');
    await view.see('can be sent', 'dialog .preview');
    await view.close();
  });
}
