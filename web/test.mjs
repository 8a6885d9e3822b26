// Runs the unit tests: bundles test/*.test.ts for Node, because Node 18 cannot read TypeScript, and passes the
// result to Node's own runner.
import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = await mkdtemp(path.join(os.tmpdir(), 'penstock-page-test-'));
let status = 1;
try {
  const files = (await readdir(path.join(here, 'test'))).filter((name) => name.endsWith('.test.ts'));
  await esbuild.build({
    absWorkingDir: here,
    entryPoints: files.map((name) => `test/${name}`),
    outdir: out,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node18',
    jsx: 'automatic',
    jsxImportSource: 'preact',
    logLevel: 'warning',
  });
  await writeFile(path.join(out, 'package.json'), '{"type":"module"}');
  const built = files.map((name) => path.join(out, name.replace(/\.ts$/, '.js')));
  status = spawnSync(process.execPath, ['--test', ...built], { stdio: 'inherit' }).status ?? 1;
} finally {
  await rm(out, { recursive: true, force: true });
}
process.exit(status);
