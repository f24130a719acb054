import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** Debian's browser. */
const CHROMIUM = '/usr/bin/chromium';

export const hasBrowser = existsSync(CHROMIUM);

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--font-render-hinting=none'],
  });
}

const DESKTOP = { width: 1280, height: 800 };
export const PHONE = { width: 390, height: 844 };

/** An isolated browser context with a fixed language, time zone and theme. */
export function newBrowserContext(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  return browser.newContext({
    // Fairway's certificate is self-signed.
    ignoreHTTPSErrors: true,
    viewport: DESKTOP,
    locale: 'en-GB',
    timezoneId: 'Europe/Berlin',
    colorScheme: 'light',
    reducedMotion: 'reduce',
    ...options,
  });
}
