// Enqueueing: what a newcomer does first.

import test from 'node:test';
import { View } from './chrome.mjs';

export function enqueueTests(stand) {
  test('one job is enqueued from the form, and leads to its page', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load('#/enqueue?queue=mail');
    await view.type('[name=type]', 'noop.done');
    await view.type('[name=account]', 'form-a');
    await view.type('[name=id]', 'form-1');
    await view.type('[name=args]', '{"n": 12345678901234567890}');
    await view.click('Enqueue job');
    await view.see('1 job enqueued');
    await view.click('form-1', 'link');
    await view.see('form-1', 'h1');
    await view.see('succeeded', '.title');
    await view.see('noop.done', '.facts');
    await view.close();
  });

  test('many jobs that differ in a number are enqueued at once', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load('#/enqueue?queue=mail');
    await view.type('[name=type]', 'noop.done');
    await view.type('[name=account]', 'many-{n%3}');
    await view.type('[name=id]', 'many-{n}');
    await view.type('[name=copies]', '1000');
    await view.click('Enqueue 1,000 jobs');
    await view.see('1,000 jobs enqueued');
    await view.go('#/jobs?queue=mail&account=many-2');
    await view.see('many-2', 'table');
    await view.close();
  });

  test('pasted lines and arrays are counted, and an error names its line or its job', async () => {
    const view = await View.open(stand.chrome, stand.url);
    await view.load('#/enqueue/paste?queue=mail');
    await view.type('[name=jobs]', '{"type":"noop.done","account":"a"}\n{oops}');
    await view.see('Line 2', '#pasted');
    await view.type('[name=jobs]', '{"type":"noop.done","account":"paste-a"}\n{"type":"noop.done","account":"paste-b"}');
    await view.click('Enqueue 2 jobs');
    await view.see('2 jobs enqueued');
    await view.type('[name=jobs]', '[{"type":"noop.done","account":"paste-c"}]');
    await view.click('Enqueue 1 job');
    await view.see('1 job enqueued');
    await view.type('[name=jobs]', '[{"account":"paste-c"}]');
    await view.click('Enqueue 1 job');
    await view.see('1 refused');
    await view.see('/type', '.error-text');
    await view.close();
  });
}
