// Bundles the page: `node build.mjs [OUTDIR]`, by default into dist. Writes index.html, assets/page.js,
// assets/page.css and assets/icon.svg, and removes nothing else. The same sources give the same bytes.
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = path.dirname(fileURLToPath(import.meta.url));
const out = path.resolve(process.argv[2] ?? process.env.PENSTOCK_PAGE_OUT ?? path.join(here, 'dist'));

// The libraries' licenses have to accompany their code.
const licenses = await Promise.all(['preact', 'uplot'].map(async (name) => {
  const text = await readFile(path.join(here, 'node_modules', name, 'LICENSE'), 'utf8');
  return `${name}: ${text.trim()}`;
}));

await mkdir(path.join(out, 'assets'), { recursive: true });
await esbuild.build({
  absWorkingDir: here,
  entryPoints: { page: 'src/main.tsx' },
  outdir: path.join(out, 'assets'),
  bundle: true,
  minify: true,
  format: 'iife',
  target: ['es2022'],
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'none',
  banner: { js: `/*! ${licenses.join('\n\n')} */` },
  charset: 'utf8',
  logLevel: 'warning',
});
await copyFile(path.join(here, 'src/index.html'), path.join(out, 'index.html'));
await copyFile(path.join(here, 'src/icon.svg'), path.join(out, 'assets/icon.svg'));
