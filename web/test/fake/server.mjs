// A fake worker for the page's own tests: `node test/fake/server.mjs [--port N] [--token T] [--jobs N]`. It serves the
// built page with the headers that a real worker sends, and answers the HTTP interface from memory.

import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeWorld, statusOf } from './data.mjs';
import { kRoutes, Problem } from './routes.mjs';

const here = path.dirname(fileURLToPath(import.meta.url));
const dist = process.env.PENSTOCK_PAGE_OUT ?? path.join(here, '../../dist');
const kTypes = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript; charset=utf-8', '.css': 'text/css; charset=utf-8', '.svg': 'image/svg+xml' };
const kHeaders = {
  'content-security-policy': "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
};

export function startFake({ port = 0, token = null, jobs = 4000 } = {}) {
  const world = makeWorld(jobs);
  const server = createServer((request, response) => {
    answer(world, token, request, response).catch((error) => {
      const status = error instanceof Problem ? error.status : 500;
      send(response, status, { type: 'about:blank', title: 'Problem', status, detail: error.message, member: error.member, errors: error.errors }, 'application/problem+json');
    });
  });
  return new Promise((resolve) => {
    server.listen(port, '127.0.0.1', () => resolve({ server, world, url: `http://127.0.0.1:${server.address().port}` }));
  });
}

async function answer(world, token, request, response) {
  const url = new URL(request.url, 'http://localhost');
  const allowed = token === null || request.headers.authorization === `Bearer ${token}`;
  if (url.pathname === '/' || url.pathname.startsWith('/assets/')) return file(url.pathname, allowed, response);
  if (!allowed) throw new Problem(401, 'a token is needed');
  if (url.pathname === '/v1/events') return events(world, request, response);
  const text = await bodyOf(request);
  for (const [method, pattern, handler] of kRoutes) {
    const params = method === request.method ? match(pattern, url.pathname) : null;
    if (!params) continue;
    if (params.q && !world.jobs.has(params.q)) throw new Problem(404, `this worker has no queue "${params.q}"`, 'queue');
    const lines = request.headers['content-type'] === 'application/x-ndjson';
    const body = text === '' ? {} : lines ? text.trim().split('\n').map((line) => JSON.parse(line)) : JSON.parse(text);
    const result = handler(world, params, Object.fromEntries(url.searchParams), body);
    const [status, value] = Array.isArray(result) ? result : [200, result];
    if (lines) return send(response, status, value.jobs.map((job) => JSON.stringify(job)).join('\n') + '\n', 'application/x-ndjson');
    return send(response, status, value, 'application/json');
  }
  throw new Problem(404, `there is nothing at ${url.pathname}`);
}

function match(pattern, pathname) {
  const wanted = pattern.split('/');
  const parts = pathname.split('/');
  if (wanted.length !== parts.length) return null;
  const params = {};
  for (let n = 0; n < wanted.length; n++) {
    if (wanted[n].startsWith(':')) params[wanted[n].slice(1)] = decodeURIComponent(parts[n]);
    else if (wanted[n] !== parts[n]) return null;
  }
  return params;
}

async function file(pathname, allowed, response) {
  const name = pathname === '/' ? '/index.html' : path.normalize(pathname);
  try {
    const bytes = await readFile(path.join(dist, name));
    response.writeHead(pathname === '/' && !allowed ? 401 : 200, { ...kHeaders, 'content-type': kTypes[path.extname(name)] });
    response.end(bytes);
  } catch {
    throw new Problem(404, `there is nothing at ${pathname}`);
  }
}

function events(world, request, response) {
  response.writeHead(200, { ...kHeaders, 'content-type': 'text/event-stream' });
  const tick = () => {
    const queues = [...world.jobs.keys()].map((name) => statusOf(world, name));
    response.write(`event: status\ndata: ${JSON.stringify({ at: new Date().toISOString(), queues, workers: world.workers.length })}\n\n`);
  };
  tick();
  const timer = setInterval(tick, 1000);
  request.on('close', () => clearInterval(timer));
}

async function bodyOf(request) {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}

function send(response, status, value, type) {
  response.writeHead(status, { ...kHeaders, 'content-type': type });
  response.end(typeof value === 'string' ? value : JSON.stringify(value));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const option = (name) => {
    const at = process.argv.indexOf(name);
    return at < 0 ? undefined : process.argv[at + 1];
  };
  const { url } = await startFake({ port: Number(option('--port') ?? 8089), token: option('--token') ?? null, jobs: Number(option('--jobs') ?? 4000) });
  console.log(url);
}
