// Accounts, bulks, limits, pauses, breakers and workers.

import assert from 'node:assert/strict';
import test from 'node:test';
import { View } from './chrome.mjs';

async function at(stand, hash, text) {
  const view = await View.open(stand.chrome, stand.url);
  await view.load(hash);
  await view.see(text, 'main');
  return view;
}

export function operationTests(stand) {
  test('accounts are listed by the length of their line, and one can be paused', async () => {
    const view = await at(stand, '#/accounts?queue=mail', 'busy');
    await view.click('Busiest', 'link');
    await view.see('busy', 'table');
    await view.click('Oldest job', 'link');
    await view.see('busy', 'table');
    await view.click('Pause busy');
    await view.see('Paused the account busy.');
    await view.go('#/pauses');
    await view.click('Resume busy');
    await view.gone('busy', 'table');
    await view.close();
  });

  test('a bulk shows how far it is, and is cancelled', async () => {
    const view = await at(stand, '#/bulks?queue=mail', 'launch');
    await view.see('0 of 4', 'table');
    await view.click('Cancel the bulk launch');
    await view.see('4 jobs', 'dialog .preview');
    await view.click('Cancel 4 jobs');
    await view.see('4 of 4', 'table');
    await view.close();
  });

  test('a limit is set by its slider, set exactly, and reset', async () => {
    const view = await at(stand, '#/limits?find=parked', 'parked');
    const slider = 'form.limit input[type=range]';
    await view.page.focus(slider);
    await view.page.keyboard.press('ArrowRight');
    assert.equal(await view.page.$eval('form.limit [name=slots]', (input) => input.value), '1');
    await view.page.keyboard.press('Enter');
    await view.see('set: 1 slot', 'form.limit');
    await view.type('form.limit [name=slots]', '3');
    await view.page.keyboard.press('Enter');
    await view.see('set: 3 slots', 'form.limit');
    await view.click('Reset');
    await view.see('Reset parked to the config.');
    await view.gone('set: 3 slots', 'form.limit');
    await view.type('form.form [name=name]', 'parked-too');
    await view.type('form.form [name=slots]', '0');
    await view.page.keyboard.press('Enter');
    await view.see('Set parked-too to 0 slots.');
    await view.see('halted', 'form.limit');
    await view.go('#/');
    await view.click('Reset (Limit halted: parked-too)');
    await view.gone('parked-too', '.stuck');
    await view.close();
  });

  test('a queue, a type and an account are paused and resumed, with the name of the operator', async () => {
    const view = await at(stand, '#/pauses', 'Pause');
    for (const [what, name] of [['queue', ''], ['type', 'fail.dead'], ['account', 'done-1']]) {
      await view.set('form.form [name=queue]', 'mail');
      await view.set('form.form [name=what]', what);
      if (name !== '') await view.type('form.form [name=name]', name);
      await view.type('form.form [name=by]', 'ada');
      await view.page.click('form.form button[type=submit]');
      const shown = name || 'mail';
      await view.see(`Paused ${shown}.`);
      await view.see('ada', 'table');
      await view.click(`Resume ${shown}`);
      await view.page.waitForFunction((label) => !document.querySelector(`[aria-label="${label}"]`), {}, `Resume ${shown}`);
    }
    await view.close();
  });

  test('open breakers are listed, with their jobs', async () => {
    const view = await at(stand, '#/pauses', 'Breakers');
    await view.see('open', '.breakers');
    await view.close();
  });

  test('workers are listed with their partitions, phases and version', async () => {
    const view = await at(stand, '#/workers', 'Partition');
    await view.see('running', '.worker');
    await view.see('version', '.worker');
    await view.see('mail', '.worker');
    await view.close();
  });

  test('what the worker does not have is not offered, and an unknown address says so', async () => {
    const view = await at(stand, '#/nowhere', 'There is no such view.');
    const { status } = await view.api('GET', 'v1/schedules');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const offered = await view.page.$$eval('nav a', (links) => links.some((link) => link.textContent.includes('Schedules')));
    assert.equal(offered, status === 200);
    await view.close();
  });
}
