// A headless Chromium, and what the tests do with its pages. Whatever the page reports as an error, a violation of the
// content security policy included, fails the test that is running.

import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { axeSource, puppeteer } from './tools.mjs';

const kWaitMs = 8000;
const kShots = process.env.PENSTOCK_SCREENSHOTS;

export async function startChrome() {
  return puppeteer.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--hide-scrollbars'],
  });
}

export class View {
  problems = [];

  constructor(page, url) {
    this.page = page;
    this.url = url;
  }

  static async open(chrome, url, { width = 1280, height = 900, scheme = 'light' } = {}) {
    const context = await chrome.createBrowserContext();
    const page = await context.newPage();
    const view = new View(page, url);
    view.context = context;
    page.setDefaultTimeout(kWaitMs);
    page.on('pageerror', (error) => view.problems.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // The browser reports every status of 400 and above; which of these are mistakes, the tests see in the page.
      if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
        view.problems.push(`console: ${message.text()}`);
      }
    });
    await page.evaluateOnNewDocument(() => {
      window.violations = [];
      window.shift = 0;
      new MutationObserver(() => {
        if (window.firstView === undefined && document.querySelector('.queue-card .tile')) window.firstView = performance.now();
      }).observe(document, { childList: true, subtree: true });
      addEventListener('securitypolicyviolation', (event) => window.violations.push(`${event.violatedDirective} ${event.blockedURI}`));
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
      }).observe({ type: 'layout-shift', buffered: true });
    });
    await page.setViewport({ width, height });
    await view.scheme(scheme);
    return view;
  }

  scheme(value) {
    return this.page.emulateMediaFeatures([
      { name: 'prefers-color-scheme', value },
      { name: 'prefers-reduced-motion', value: 'reduce' },
    ]);
  }

  // Loads the page anew at this place.
  async load(hash = '#/') {
    await this.page.goto('about:blank');
    await this.page.goto(`${this.url}/${hash}`);
    await this.page.waitForSelector('h1');
  }

  // Goes to another place within the loaded page.
  async go(hash) {
    await this.page.evaluate((to) => (location.hash = to), hash);
    await this.page.waitForSelector('h1');
  }

  // Waits until the content has this text.
  async see(text, selector = 'body') {
    try {
      await this.page.waitForFunction(
        (wanted, where) => [...document.querySelectorAll(where)].some((element) => element.textContent.includes(wanted)),
        { polling: 50 },
        text,
        selector,
      );
    } catch {
      const shown = await this.page.evaluate(() => document.querySelector('#app')?.innerText.slice(0, 3000));
      throw new Error(`"${text}" was not seen in ${selector}. The page shows:\n${shown}`);
    }
  }

  async gone(text, selector = 'main') {
    await this.page.waitForFunction(
      (wanted, where) => [...document.querySelectorAll(where)].every((element) => !element.textContent.includes(wanted)),
      { polling: 50 },
      text,
      selector,
    );
  }

  // Clicks a button or link by its accessible name; the last one, so that a dialog's button comes before the page's.
  async click(name, role = 'button') {
    const selector = `::-p-aria([name="${name}"][role="${role}"])`;
    await this.page.waitForSelector(selector);
    const found = await this.page.$$(selector);
    const last = found[found.length - 1];
    await last.evaluate((element) => element.scrollIntoView({ block: 'center' }));
    await this.page.waitForFunction((element) => !element.disabled, { polling: 30 }, last);
    await last.click();
  }

  async type(selector, text) {
    const input = await this.page.waitForSelector(selector);
    await input.evaluate((element) => element.select?.());
    await input.press('Backspace');
    if (text !== '') await input.type(text);
  }

  async set(selector, value) {
    await this.page.waitForSelector(selector);
    await this.page.select(selector, value);
  }

  // Reads what the page answers to a request that it could make itself.
  api(method, route, body) {
    return this.page.evaluate(async (how, where, what) => {
      const type = typeof what === 'string' ? 'application/x-ndjson' : 'application/json';
      const response = await fetch(where, {
        method: how,
        headers: what === null ? {} : { 'content-type': type },
        body: what === null ? undefined : typeof what === 'string' ? what : JSON.stringify(what),
      });
      const text = await response.text();
      try {
        return { status: response.status, body: JSON.parse(text) };
      } catch {
        return { status: response.status, body: text };
      }
    }, method, route, body ?? null);
  }

  async axe(name) {
    await this.page.evaluate(axeSource);
    const found = await this.page.evaluate(async () => {
      const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
      const result = await window.axe.run(document, { runOnly: { type: 'tag', values: tags } });
      return result.violations.map((each) => `${each.id}: ${each.help}\n  ${each.nodes.slice(0, 3).map((node) => `${node.target.join(' ')} ${node.failureSummary}`).join('\n  ')}`);
    });
    assert.deepEqual(found, [], `axe in ${name}`);
  }

  async shoot(name) {
    if (!kShots) return;
    await mkdir(kShots, { recursive: true });
    await this.page.screenshot({ path: path.join(kShots, `${name}.png`) });
  }

  async close() {
    const violations = await this.page.evaluate(() => window.violations).catch(() => []);
    await this.context.close();
    assert.deepEqual(violations, [], 'the content security policy is kept');
    assert.deepEqual(this.problems, [], 'the page reports no error');
  }
}
