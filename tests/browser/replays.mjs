// Replays: a dry run, and a replay from its start to its deletion.

import test from 'node:test';
import { View } from './chrome.mjs';

export function replayTests(stand) {
  test('a replay is counted, started, paused, resumed, cancelled and deleted', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load('#/replays?queue=mail');
    await view.type('form.form [name=id]', 'again');
    await view.type('form.form [name=accounts]', 'done-1, done-2');
    // Slow enough that it is still running when it is paused.
    await view.type('form.form [name=rate]', '1/s');
    await view.click('Dry run');
    await view.see('copies', '.preview');
    await view.page.click('form.form button[type=submit]');
    await view.see('Started the replay again.');
    await view.see('Terms', 'main');
    await view.axe('a replay');
    await view.shoot('replay-light');
    await view.click('Pause');
    await view.see('paused', '.title');
    await view.go('#/');
    await view.see('Replay paused: again', '.stuck');
    await view.click('Resume (Replay paused: again)');
    await view.see('Resumed the replay again.');
    await view.go('#/replays/mail/again');
    await view.see('running', '.title');
    await view.click('Cancel…');
    await view.click('Cancel the replay');
    await view.see('cancelled', '.title');
    await view.click('Delete…');
    await view.click('Delete the replay');
    await view.see('Deleted.');
    await view.see('Replays', 'h1');
    await view.gone('again', 'table');
    await view.close();
  });
}
