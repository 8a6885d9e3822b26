// The list of jobs, one job, and what can be done with one or many.

import assert from 'node:assert/strict';
import test from 'node:test';
import { View } from './chrome.mjs';

const rows = (view) => view.page.$$eval('table.jobs tbody tr', (all) => all.map((row) => row.querySelector('.id').textContent));

async function list(stand, query) {
  const view = await View.open(stand.chrome, stand.url);
  await view.load(`#/jobs?queue=mail&${query}`);
  await view.see('Page 1');
  return view;
}

export function jobTests(stand) {
  test('jobs are paged by cursor, and never more than a page is in the document', async () => {
    const view = await list(stand, '');
    const first = await rows(view);
    assert.equal(first.length, 100);
    await view.click('Next');
    await view.see('Page 2');
    const second = await rows(view);
    assert.ok(second.length > 0 && second.length <= 100);
    assert.equal(second.filter((id) => first.includes(id)).length, 0);
    await view.click('Back');
    await view.see('Page 1');
    assert.deepEqual(await rows(view), first);
    await view.close();
  });

  test('the search finds by state, type, account, id and error', async () => {
    const view = await list(stand, '');
    const form = 'form.search ';
    await view.set(`${form}[name=state]`, 'dead');
    await view.gone('done-1', 'table');
    assert.ok((await rows(view)).every((id) => id.startsWith('dead-')));
    await view.click('Clear');
    await view.see('done-1', 'table');
    for (const [name, value, found] of [
      ['type', 'limit.parked', 'parked-1'],
      ['account', 'busy', 'busy-0'],
      ['id', 'later-', 'later-5'],
      ['error', 'failed at random', 'dead-3'],
    ]) {
      await view.type(`${form}[name=${name}]`, value);
      await view.click('Search');
      await view.see(found, 'table');
      await view.gone('done-1', 'table');
      await view.click('Clear');
      await view.see('done-1', 'table');
    }
    await view.close();
  });

  test('the search finds by time', async () => {
    const view = await list(stand, '');
    await view.click('More');
    await view.page.$eval('form.search [name=from]', (input) => {
      input.value = '2030-01-01T00:00:00';
      input.dispatchEvent(new Event('input', { bubbles: true }));
    });
    await view.click('Search');
    await view.see('No job matches.');
    await view.close();
  });

  test('a job shows its arguments as text, its failed attempts, and why it is dead', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load('#/jobs/mail/dead-a/dead-1');
    await view.see('<img src=x onerror=alert(1)>', '.code');
    await view.see('failed at random', '.why-panel');
    await view.see('Attempt 1', '.attempts');
    assert.equal(await view.page.$('.code img'), null);
    await view.close();
  });

  test('a waiting job says why it is not running, with a link to what it waits for', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load('#/jobs/mail/parked-1/parked-1');
    await view.see('Why it is not running');
    await view.see('parked', '.why-panel');
    await view.click('parked', 'link');
    await view.see('Limits', 'h1');
    await view.load('#/jobs/mail/unknown/unknown-0');
    await view.see('unknown.type', '.why-panel');
    await view.close();
  });

  test('one job is retried, rescheduled, cancelled and deleted', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load('#/jobs/mail/retrying-0/retrying-0');
    await view.see('retrying', '.title');
    await view.click('Retry');
    await view.see('Retried retrying-0.');
    await view.go('#/jobs/mail/later/later-0');
    await view.click('Reschedule…');
    await view.see('1 job selected', 'dialog');
    await view.type('dialog [name=in]', '2h');
    await view.axe('the dialog');
    await view.shoot('dialog-light');
    await view.click('Reschedule 1 job');
    await view.see('Rescheduled 1 job.');
    await view.gone('2031-01-01');
    await view.click('Cancel…');
    await view.click('Cancel 1 job');
    await view.see('Cancelled 1 job.');
    await view.go('#/jobs/mail/dead-a/dead-2');
    await view.click('Delete…');
    await view.click('Delete 1 job');
    await view.see('does not know this job');
    await view.close();
  });

  test('a dialog is left by Escape, and gives the focus back', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load('#/jobs/mail/later/later-1');
    await view.click('Cancel…');
    await view.page.waitForSelector('dialog[open]');
    await view.page.keyboard.press('Escape');
    await view.page.waitForFunction(() => document.querySelector('dialog') === null);
    assert.equal(await view.page.evaluate(() => document.activeElement.textContent.trim()), 'Cancel…');
    await view.close();
  });

  test('the ticked jobs are cancelled, and the others stay', async () => {
    const view = await list(stand, 'account=later');
    await view.click('Select later-2', 'checkbox');
    await view.click('Select later-3', 'checkbox');
    await view.see('2 selected');
    await view.click('Cancel…');
    await view.click('Cancel 2 jobs');
    await view.see('Cancelled 2 jobs.');
    await view.gone('later-2', 'table');
    assert.ok((await rows(view)).includes('later-4'));
    await view.close();
  });

  test('all jobs that match are previewed, rescheduled and deleted', async () => {
    const view = await list(stand, 'account=later');
    await view.click('All that match');
    await view.click('Reschedule…');
    await view.see('match', 'dialog .preview');
    await view.click('Reschedule 3 jobs');
    await view.see('Rescheduled 3 jobs.');
    await view.click('All that match');
    await view.click('Delete…');
    await view.see('later-4', 'dialog .preview');
    await view.click('Delete 3 jobs');
    await view.see('Deleted 3 jobs.');
    await view.see('No job matches.');
    await view.close();
  });
}
