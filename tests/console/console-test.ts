import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { PROJECT, RunningFairway } from '../session/running-fairway.ts';
import { launchBrowser, newBrowserContext } from './browser.ts';

/** A Fairway on the simulated cloud, and a browser. */
export interface ConsoleTest {
  readonly fairway: RunningFairway;
  /** Kills Fairway without warning. */
  kill(): Promise<void>;
  /** Starts Fairway again in the same place. */
  restart(): Promise<void>;
  readonly url: string;
  /** The credentials of all users of the simulated cloud. */
  readonly password: string;
  /** A page with a new session. The test fails if the page violates its policy or a script fails. */
  open(path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** A page after signing in as a user of the simulated cloud. */
  openAs(user: string, path?: string, options?: BrowserContextOptions): Promise<Page>;
  /** Closes all pages, which would otherwise keep their watches. */
  leave(): Promise<void>;
  /** Page errors since the last call. */
  consoleErrors(): readonly string[];
  close(): Promise<void>;
}

/** The documentation site that the console under test links to; it does not exist. */
const DOCUMENTATION = 'https://docs.example.com/{page}.html';
/** Ends hanging tests. */
const TIMEOUT_MS = 300_000;

export async function startConsoleTest(...additionalArguments: readonly string[]): Promise<ConsoleTest> {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-console-'));
  const settings = join(folder, 'fairway.yaml');
  writeFileSync(settings, `console:\n  documentation: ${DOCUMENTATION}\n`);
  const options = ['--config', settings, ...additionalArguments];
  let fairway = await RunningFairway.start(join(folder, 'home'), '--listen', '127.0.0.1:0', ...options);
  const browser: Browser = await launchBrowser();
  const people: BrowserContext[] = [];
  let consoleErrors: string[] = [];
  const [, password = ''] = /password: "(.*)"/.exec(readFileSync(fairway.cloudsYaml, 'utf8')) ?? [];
  const url = `${fairway.url}/console/`;
  const open = async (path = '', more: BrowserContextOptions = {}) => {
    const person = await newBrowserContext(browser, more);
    people.push(person);
    person.setDefaultTimeout(TIMEOUT_MS);
    const page = await person.newPage();
    page.on('pageerror', (error) => void consoleErrors.push(error.message));
    page.on('console', (message) => {
      // The browser's own message for an error response, which pages show in their own words.
      const isFailedRequest = message.text().startsWith('Failed to load resource');
      if (message.type() === 'error' && !isFailedRequest) consoleErrors.push(message.text());
    });
    await page.goto(new URL(path, url).href);
    return page;
  };
  return {
    get fairway() {
      return fairway;
    },
    kill: () => fairway.kill(),
    async restart() {
      fairway = await RunningFairway.start(fairway.home, '--listen', new URL(url).host, ...options);
    },
    url,
    password,
    open,
    async openAs(user, path, more) {
      const page = await open(path, more);
      await signIn(page, user, password);
      return page;
    },
    async leave() {
      for (const person of people.splice(0)) await person.close();
    },
    consoleErrors() {
      const reportedErrors = consoleErrors;
      consoleErrors = [];
      return reportedErrors;
    },
    async close() {
      for (const person of people) await person.close();
      await browser.close();
      await fairway.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

/** Signs in with the form and the keyboard alone. */
export async function signIn(page: Page, user: string, password: string): Promise<void> {
  await page.locator('#username').fill(user);
  await page.locator('#password').fill(password);
  await page.keyboard.press('Enter');
  await page.locator('#content').waitFor();
}

/** The directory for the documentation's screenshots; none are taken if it is not set. */
const SCREENSHOT_FOLDER = process.env['FAIRWAY_PICTURES'];

/** Takes a screenshot of the current page for the documentation. */
export async function screenshot(page: Page, name: string): Promise<void> {
  if (SCREENSHOT_FOLDER === undefined) return;
  const folder = join(PROJECT, SCREENSHOT_FOLDER);
  mkdirSync(folder, { recursive: true });
  await page.evaluate('document.fonts.ready');
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled', caret: 'hide' });
}
