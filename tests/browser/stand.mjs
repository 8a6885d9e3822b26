// What is tested: a `penstock dev` that the suite starts (PENSTOCK names the program), or a page that somebody else
// serves (PENSTOCK_PAGE_URL), or the fake worker of web/test (PENSTOCK_FAKE=1).

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { root } from './tools.mjs';

const kStartMs = 20_000;
const kStopMs = 15_000;

export const external = process.env.PENSTOCK_PAGE_URL !== undefined;
const fake = process.env.PENSTOCK_FAKE === '1';

// The types say what becomes of their jobs; the fake worker knows the same ones.
const kConfig = {
  queues: {
    mail: {
      partitions: 4,
      types: {
        'noop.done': { keep: { succeeded: '1h' } },
        'sleep.long': { keep: { succeeded: '1h' } },
        'fail.dead': { retry: { attempts: 1 } },
        // Long, so that no list changes while a test reads it.
        'fail.retrying': { retry: { attempts: 8, base: '1h', max: '6h' } },
        'fail.breaker': { retry: { attempts: 8, base: '1h', max: '6h', breaker: { failures: 1, probe: '1h' } } },
        'limit.parked': { limits: [{ name: 'parked', slots: 0 }] },
      },
    },
    reports: { partitions: 2 },
  },
};
const kHandlers = [
  'noop.done=noop', 'sleep.long=sleep:60s', 'fail.dead=fail:1', 'fail.retrying=fail:1', 'fail.breaker=fail:1',
  'limit.parked=noop', 'replayed.done=noop',
];

// So that workers are ended when the suite is.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

async function freePort() {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

// Starts a worker; with a token, it wants that for everything.
export async function startStand({ token = null } = {}) {
  if (external && token === null) return { url: process.env.PENSTOCK_PAGE_URL.replace(/\/$/, ''), end: async () => {} };
  if (fake) {
    const { startFake } = await import(path.join(root, 'web/test/fake/server.mjs'));
    let running = await startFake({ token, jobs: 0 });
    const { port } = running.server.address();
    const stop = async () => {
      running.server.closeAllConnections();
      running.server.close();
      await once(running.server, 'close');
    };
    return { url: running.url, end: stop, stop, start: async () => (running = await startFake({ token, jobs: 0, port })) };
  }
  const folder = await mkdtemp(path.join(os.tmpdir(), 'penstock-browser-'));
  const port = await freePort();
  const config = { ...kConfig, state_dir: path.join(folder, 'state'), http: { listen: `127.0.0.1:${port}` } };
  if (token !== null) {
    config.http.token_file = path.join(folder, 'token');
    await writeFile(config.http.token_file, `${token}\n`, { mode: 0o600 });
  }
  await writeFile(path.join(folder, 'penstock.json'), JSON.stringify(config));
  const url = `http://127.0.0.1:${port}`;
  let worker = await startWorker(folder, url);
  const stop = () => stopWorker(worker);
  return {
    url,
    stop,
    start: async () => (worker = await startWorker(folder, url)),
    end: async () => {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function startWorker(folder, url) {
  const program = process.env.PENSTOCK ?? path.join(root, 'build/release/penstock');
  const handlers = kHandlers.flatMap((handler) => ['--handler', handler]);
  const args = ['--config', path.join(folder, 'penstock.json'), 'dev', '--grace', '1s', ...handlers];
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  process.once('exit', () => child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (text) => (log = (log + text).slice(-20_000)));
  const end = Date.now() + kStartMs;
  while (Date.now() < end) {
    if (child.exitCode !== null) break;
    const ready = await fetch(`${url}/readyz`).catch(() => null);
    if (ready?.ok) return child;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  child.kill('SIGKILL');
  throw new Error(`the worker did not start:\n${log}`);
}

async function stopWorker(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), kStopMs);
  await gone;
  clearTimeout(timer);
}
