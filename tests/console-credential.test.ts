import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './console/accessibility.ts';
import { hasBrowser, PHONE } from './console/browser.ts';
import { type ConsoleTest, screenshot, startConsoleTest } from './console/console-test.ts';

/** A user for whose project the operator has not configured a cloud. */
const USER = 'other';
const PERMISSION_QUESTION = 'Fairway needs your permission to act in this project';

describe.skipIf(!hasBrowser)('the console for a tenant whose project has no cloud yet', () => {
  let test: ConsoleTest;
  beforeAll(async () => {
    test = await startConsoleTest();
  });
  beforeEach(() => void test.consoleErrors());
  afterAll(() => test?.close());

  it.each([
    { name: 'light', options: {}, title: PERMISSION_QUESTION },
    { name: 'dark', options: { colorScheme: 'dark' as const }, title: PERMISSION_QUESTION },
    { name: 'phone', options: { viewport: PHONE }, title: PERMISSION_QUESTION },
    { name: 'german', options: { locale: 'de-DE' }, title: 'Fairway benötigt Ihre Erlaubnis' },
  ])(
    'shows the permissions that Fairway needs in the project, and passes axe: $name',
    async ({ name, options, title }) => {
      const page = await test.openAs(USER, 'clusters/new', options);
      await page.getByText(title).waitFor();
      await screenshot(page, `cluster-new-allow-${name}`);

      expect(await accessibilityProblems(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
      expect(test.consoleErrors()).toEqual([]);
    },
  );

  it('creates the first cluster with a name and three clicks', async () => {
    const page = await test.openAs(USER);
    const writes = writesOf(page);
    await page.evaluate(
      "globalThis.clicks = 0; addEventListener('click', (event) => { if (event.detail > 0) globalThis.clicks++; }, true)",
    );
    await page.getByRole('link', { name: 'Create a cluster' }).click();
    await page.getByText(PERMISSION_QUESTION).waitFor();
    await page.locator('#name').fill('first');
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('No errors').waitFor();
    expect(await page.locator('#credential').inputValue()).toBe('console');
    await page.getByRole('button', { name: 'Create cluster' }).click();
    await page.getByRole('heading', { name: 'first', exact: true, level: 1 }).waitFor();
    await page.getByText('3 of 3 ready').waitFor();

    expect(await page.evaluate('globalThis.clicks')).toBe(3);
    // Like `fairway credential create`.
    expect(writes).toEqual(['POST delegation', 'POST secrets', 'POST cloudcredentials', 'PUT secrets owned']);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('shows what a lost response may have left behind, even after a reload, and continues under another name', async () => {
    const page = await test.openAs(USER, 'clusters/new');
    await page.route('**/session/delegation', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Use another cloud credential…' }).click();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('It is unknown whether the application credential was created').waitFor();
    await page.unroute('**/session/delegation');
    await page.reload();
    const left = page.getByText(/^openstack application credential delete fairway-.*-console-2$/);
    await left.waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    const writes = writesOf(page);
    await page.getByRole('button', { name: 'Use another cloud credential…' }).click();
    await page.getByRole('button', { name: 'Allow' }).dblclick();
    await page.getByRole('button', { name: 'Use another cloud credential…' }).waitFor();
    await expect.poll(() => page.locator('#credential').inputValue()).toBe('console-3');
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await left.waitFor({ state: 'detached' });

    expect(writes).toEqual(['POST delegation', 'POST secrets', 'POST cloudcredentials', 'PUT secrets owned']);
  });

  it('continues with existing objects if storing is interrupted, and duplicates nothing', async () => {
    const page = await test.openAs(USER, 'clusters/new');
    const writes = writesOf(page);
    await page.getByRole('button', { name: 'Use another cloud credential…' }).click();
    // In a new browser, the name already exists in Keystone.
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByText('use another name').waitFor();
    await page.route('**/cloudcredentials?*', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByText('The server did not respond').waitFor();
    await page.unroute('**/cloudcredentials?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await expect.poll(() => page.locator('#credential').inputValue()).toBe('console-4');

    expect(writes.filter((write) => write === 'POST delegation')).toHaveLength(2);
    expect(writes.at(-1)).toBe('PUT secrets owned');
  });

  it('shows the purpose of each credential, switches a cluster to another, and deletes the first', async () => {
    const page = await test.openAs(USER, 'credentials');
    const row = page.getByRole('row', { name: /^console\s/ });
    await row.getByRole('link', { name: 'first' }).waitFor();
    await page.getByText('accepted').nth(2).waitFor();
    await screenshot(page, 'credentials-light');
    expect(await accessibilityProblems(page)).toEqual([]);
    await row.getByRole('combobox').selectOption('console-3');
    await page
      .getByRole('dialog')
      .getByText(/patch cluster first --type merge/)
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Switch to console-3' }).click();
    await page.getByRole('button', { name: 'Delete console…', exact: true }).click();
    await page.getByRole('dialog').getByText('openstack application credential delete').waitFor();
    await page.keyboard.type('console');
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await row.waitFor({ state: 'detached' });

    expect(test.consoleErrors()).toEqual([]);
  });

  it.each([
    { name: 'dark', options: { colorScheme: 'dark' as const } },
    { name: 'phone', options: { viewport: PHONE } },
    { name: 'german', options: { locale: 'de-DE' } },
  ])('lists all credentials, passes axe, and is no wider than the window: $name', async ({ options }) => {
    const page = await test.openAs(USER, 'credentials', options);
    await page.getByText('console-3', { exact: true }).first().waitFor();

    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth > innerWidth')).toBe(false);
    expect(test.consoleErrors()).toEqual([]);
  });
});

/** Collects the page's writes for the delegation from now on, except dry runs. */
function writesOf(page: Page): readonly string[] {
  const writes: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    const [, kind] = /\/(delegation|secrets|cloudcredentials)(\/|$)/.exec(pathname) ?? [];
    if (kind === undefined || request.method() === 'GET') return;
    const isOwned = request.postData()?.includes('"ownerReferences":[{') === true;
    writes.push(`${request.method()} ${kind}${isOwned ? ' owned' : ''}`);
  });
  return writes;
}
