// /openapi.json against a validator, against every handler of a real worker, and as the source of a client:
//
//   npm ci --prefix web && PENSTOCK=build/release/penstock node --test tests/clients/openapi_test.mjs

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startStand } from '../browser/stand.mjs';
import { root } from '../browser/tools.mjs';
import { Ajv, astToString, generateTypes, Validator } from '../../web/test/openapi_tools.mjs';

const run = promisify(execFile);
const modules = path.join(root, 'web/node_modules');

// Values for the paths' parameters. The job, the limit and the replay exist.
const kValues = { queue: 'mail', id: 'seen', name: 'parked' };
const kBodies = {
  enqueue: { account: 'acme', type: 'noop.done', id: 'another' },
  changeJobs: { op: 'retry', state: 'dead' },
  rescheduleJob: { in: '1h' },
  resendDead: { dry_run: true },
  setLimit: { slots: 3 },
  startReplay: { id: 'seen' },
};
// In an order in which each finds what it needs; the others come before, as the document lists them.
const kLast = ['pauseReplay', 'resumeReplay', 'cancelReplay', 'deleteReplay', 'deleteJob'];

function operationsOf(document) {
  const operations = [];
  for (const [pattern, methods] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const url = pattern.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(kValues[name]));
      operations.push({ ...operation, method: method.toUpperCase(), url });
    }
  }
  const place = (operation) => kLast.indexOf(operation.operationId);
  return operations.sort((a, b) => place(a) - place(b));
}

describe('openapi', { timeout: 180_000 }, () => {
  let stand, document;
  before(async () => {
    stand = await startStand();
    document = await (await fetch(`${stand.url}/openapi.json`)).json();
    for (const job of [{ id: 'seen', type: 'sleep.long' }, { id: 'done', type: 'noop.done' }]) {
      const sent = await fetch(`${stand.url}/v1/queues/mail/jobs?wait=admitted`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ account: 'acme', ...job }),
      });
      assert.equal(sent.status, 202);
    }
  });
  after(() => stand?.end());

  test('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(structuredClone(document));
    assert.ok(valid, JSON.stringify(errors));
    assert.equal(document.openapi, '3.1.0');
  });

  test('says of every handler what it answers', async () => {
    const ajv = new Ajv({ strict: false });
    ajv.addSchema({ $id: 'api', components: document.components });
    for (const operation of operationsOf(document)) {
      const { operationId, method, url, responses } = operation;
      if (operationId === 'streamEvents') continue; // it does not end
      const body = kBodies[operationId];
      const answer = await fetch(stand.url + url, {
        method,
        headers: { 'content-type': 'application/json' },
        body: body ? JSON.stringify(body) : undefined,
      });
      const what = `${operationId}: ${method} ${url} gave ${answer.status}`;
      const declared = responses[answer.status];
      const text = await answer.text();
      assert.ok(declared, `${what}: ${text}`);
      const schema = declared.content?.['application/json']?.schema;
      if (!schema) continue;
      const validate = ajv.getSchema(`api${schema.$ref}`);
      assert.ok(validate(JSON.parse(text)), `${what}: ${ajv.errorsText(validate.errors)}: ${text}`);
    }
  });

  test('a problem is as it says', async () => {
    const ajv = new Ajv({ strict: false });
    const validate = ajv.compile(document.components.schemas.Problem);
    const answer = await fetch(`${stand.url}/v1/queues/mail/jobs/none?account=acme`);
    assert.equal(answer.headers.get('content-type'), 'application/problem+json');
    assert.ok(validate(await answer.json()));
  });

  test('a client that is generated from it compiles, and talks to the worker', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'penstock-client-'));
    try {
      await symlink(modules, path.join(folder, 'node_modules'));
      await writeFile(path.join(folder, 'api.d.ts'), astToString(await generateTypes(structuredClone(document))));
      await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
      await writeFile(path.join(folder, 'client.ts'), `
        import createClient from 'openapi-fetch';
        import type { paths } from './api.js';
        const client = createClient<paths>({ baseUrl: ${JSON.stringify(stand.url)} });
        const sent = await client.POST('/v1/queues/{queue}/jobs', {
          params: { path: { queue: 'mail' }, query: { wait: 'ended' } },
          body: { account: 'bolt', type: 'noop.done', id: 'from-client' },
        });
        const job = await client.GET('/v1/queues/{queue}/jobs/{id}', {
          params: { path: { queue: 'mail', id: 'from-client' }, query: { account: 'bolt' } },
        });
        console.log(JSON.stringify({ sent: sent.data?.jobs[0]?.state, state: job.data?.state }));
      `);
      const options = ['--module', 'nodenext', '--target', 'es2022', '--strict', '--skipLibCheck', 'client.ts'];
      await run(process.execPath, [path.join(modules, 'typescript/bin/tsc'), ...options], { cwd: folder });
      const { stdout } = await run(process.execPath, ['client.js'], { cwd: folder });
      assert.deepEqual(JSON.parse(stdout), { sent: 'succeeded', state: 'succeeded' });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
