// The npm packages of the suite, which are installed for the page: `npm ci` in web/. PENSTOCK_WEB names another folder
// whose node_modules has them.

import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
export const root = path.resolve(here, '../..');
const require = createRequire(path.join(process.env.PENSTOCK_WEB ?? path.join(root, 'web'), 'package.json'));

const loaded = require('puppeteer-core');
export const puppeteer = loaded.default ?? loaded;
export const axeSource = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
