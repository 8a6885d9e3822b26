// Signing in with a token, and what the page shows when the worker is gone.

import assert from 'node:assert/strict';
import test from 'node:test';
import { View } from './chrome.mjs';
import { external, startStand } from './stand.mjs';

const kToken = 'a-token-for-the-browser-suite-0123456789';

export function accessTests(stand) {
  test('a worker with a token asks for it, and the page goes on once it is right', { skip: external }, async () => {
    const worker = await startStand({ token: kToken });
    try {
      const view = await View.open(stand.chrome, worker.url);
      await view.load();
      await view.see('This worker requires a token.');
      await view.axe('signing in');
      await view.shoot('sign-in-light');
      await view.type('[name=token]', 'wrong');
      await view.click('Sign in');
      await view.see('does not accept this token');
      await view.type('[name=token]', kToken);
      await view.click('Sign in');
      await view.see('mail', '.queue-card');
      await view.see('Live', '.live');
      await view.page.reload();
      await view.see('mail', '.queue-card');
      await view.click('Sign out');
      await view.see('This worker requires a token.');
      assert.equal(await view.page.evaluate(() => sessionStorage.length + localStorage.length), 0);
      await view.close();
    } finally {
      await worker.end();
    }
  });

  test('when the worker is gone the page says so, and is live again when it is back', { skip: external }, async () => {
    const worker = await startStand();
    try {
      const view = await View.open(stand.chrome, worker.url);
      await view.load();
      await view.see('Live', '.live');
      await worker.stop();
      await view.see('Not live', '.live');
      await view.see('Trying again', '.not-live');
      await view.axe('not live');
      await worker.start();
      await view.click('Try now');
      await view.see('Live', '.live');
      await view.page.waitForFunction(() => document.querySelector('.not-live') === null);
      await view.close();
    } finally {
      await worker.end();
    }
  });
}
