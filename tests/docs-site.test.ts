import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { promisify } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser, launchBrowser, newBrowserContext } from './console/browser.ts';
import { type ServedFolder, serveFolder } from './docs-site/serve-folder.ts';
import { PROJECT } from './session/running-fairway.ts';

const execute = promisify(execFile);
/** Timeouts that end hanging tests. */
const BUILD_TIMEOUT_MS = 1_800_000;
const TIMEOUT_MS = 300_000;
const WIDTHS = [390, 1440];
/** One page of each kind: front page, index, prose with pictures, wide tables, long field paths. */
const CHECKED_PAGES = [
  '/',
  '/docs/',
  '/docs/tour.html',
  '/docs/benchmarks.html',
  '/docs/cli.html',
  '/docs/tenants/console.html',
  '/docs/operators/causes.html',
  '/docs/operators/configuration.html',
  '/docs/operators/metrics.html',
  '/docs/reference/cluster.html',
];

describe.skipIf(!hasBrowser)('the docs site in Chromium', () => {
  let folder: string;
  let served: ServedFolder;
  let browser: Browser;
  let consoleErrors: string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fairway-docs-'));
    await execute('npx', ['vitepress', 'build', 'tools/site', '--outDir', folder], { cwd: PROJECT });
    served = await serveFolder(folder);
    browser = await launchBrowser();
  }, BUILD_TIMEOUT_MS);
  afterAll(async () => {
    await browser?.close();
    await served?.[Symbol.asyncDispose]();
    rmSync(folder, { recursive: true });
  });

  async function open(path: string, width: number): Promise<Page> {
    const context = await newBrowserContext(browser, { viewport: { width, height: 900 } });
    context.setDefaultTimeout(TIMEOUT_MS);
    const page = await context.newPage();
    consoleErrors = [];
    page.on('pageerror', ({ message }) => void consoleErrors.push(message));
    page.on('response', (response) => {
      if (response.status() >= 400) consoleErrors.push(`${response.status()} ${response.url()}`);
    });
    await page.goto(served.url + path);
    await page.locator('h1').first().waitFor();
    return page;
  }

  it.each(WIDTHS)('is no wider than a window of %d px', async (width) => {
    const page = await open('/', width);
    const widePages: string[] = [];
    for (const path of CHECKED_PAGES) {
      await page.goto(served.url + path);
      await page.locator('h1').first().waitFor();
      const found = await page.evaluate<number>('document.documentElement.scrollWidth');
      if (found > width) widePages.push(`${path}: ${found} px`);
    }
    await page.context().close();

    expect(widePages).toEqual([]);
    expect(consoleErrors).toEqual([]);
  });

  it.each(WIDTHS)('finds a page by searching for a word, and opens it, at %d px', async (width) => {
    const page = await open('/', width);
    const input = page.locator('#localsearch-input');
    const button = page.getByRole('button', { name: 'Search' });
    // The button does nothing until its script has loaded.
    const isOpen = async () => (await input.isVisible()) || button.click().then(() => false);
    await expect.poll(isOpen).toBe(true);
    await input.fill('hibernation');
    const results = page.getByRole('option');
    await results.first().waitFor();
    const titles = await results.allInnerTexts();
    await results.first().locator('a').click();
    await page.waitForURL(/\/docs\/.*\.html/);
    await page.locator('h1').first().waitFor();
    const text = await page.locator('main').innerText();
    await page.context().close();

    expect(titles.length).toBeGreaterThan(3);
    expect(text).toMatch(/hibernat/i);
    expect(consoleErrors).toEqual([]);
  });

  it('links only to existing pages and sections', () => {
    const pages = new Map(
      globSync('**/*.html', { cwd: folder }).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
    );
    const brokenLinks = [...pages].flatMap(([path, html]) =>
      [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].flatMap(([, link = '']) => {
        const { origin, pathname, hash } = new URL(link, `http://site/${path}`);
        if (origin !== 'http://site') return [];
        const target = posix.join('.', pathname, pathname.endsWith('/') ? 'index.html' : '').replace(/^\//, '');
        const text = pages.get(target);
        const exists =
          text !== undefined && (hash === '' || text.includes(`id="${decodeURIComponent(hash.slice(1))}"`));
        return exists ? [] : [`${path}: ${link}`];
      }),
    );

    expect(pages.size).toBeGreaterThan(100);
    expect([...new Set(brokenLinks)]).toEqual([]);
  });
});
