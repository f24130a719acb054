import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityProblems } from '../console/accessibility.ts';
import { hasBrowser, PHONE } from '../console/browser.ts';
import { type ConsoleTest, screenshot, signIn, startConsoleTest } from '../console/console-test.ts';

describe.skipIf(!hasBrowser)('the console in Chromium', () => {
  let test: ConsoleTest;
  beforeAll(async () => {
    test = await startConsoleTest();
  });
  beforeEach(() => void test.consoleErrors());
  afterAll(() => test?.close());

  it('redirects a browser from the API’s address to the sign-in page', async () => {
    const page = await test.open(test.fairway.url);

    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    expect(page.url()).toBe(test.url);
    expect(await page.title()).toBe('Sign in · Fairway');
  });

  it('signs in with the form, shows the clusters of the project, and signs out permanently', async () => {
    const page = await test.openAs('demo');
    await page.getByRole('heading', { name: 'No clusters yet' }).waitFor();
    await page.getByRole('button', { name: 'Project: demo' }).waitFor();
    const cookies = await page.context().cookies();

    await page.getByRole('button', { name: 'Signed in as demo' }).click();
    await page.getByRole('menuitem', { name: /Sign out/ }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    // A copy of the cookie is useless, because the token has been revoked.
    await page.context().addCookies(cookies);
    await page.reload();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();

    expect(cookies).toEqual([
      expect.objectContaining({
        name: '__Host-fairway-session',
        httpOnly: true,
        secure: true,
        sameSite: 'Strict',
        path: '/',
      }),
    ]);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('reports when the session ends, and keeps input until the user has signed in again', async () => {
    const page = await test.open('clusters/new');
    await page.clock.install();
    await page.reload();
    await signIn(page, 'demo', test.password);
    const name = page.locator('#name');
    await name.fill('half-written');
    await page.clock.fastForward('00:56:00');
    await page.getByText(/^Your session ends at/).waitFor();
    await screenshot(page, 'session-soon');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Sign in again' }).click();
    await page.getByText('Sign in again to continue after your session ends').waitFor();
    await page.getByRole('button', { name: 'Not now' }).click();
    expect(await name.inputValue()).toBe('half-written');
    await page.context().clearCookies();
    await page.clock.fastForward('00:05:00');
    await page.getByText('Your session has ended.').waitFor();
    await screenshot(page, 'session-ended');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await name.isVisible()).toBe(false);
    expect(await page.evaluate('document.activeElement.tagName')).toBe('H1');
    await page.locator('#password').fill(test.password);
    await page.keyboard.press('Enter');
    await name.waitFor();

    expect(await name.inputValue()).toBe('half-written');
    expect(new URL(page.url()).pathname).toBe('/console/clusters/new');
    expect(test.consoleErrors()).toEqual([]);
  });

  it('signs out in all tabs at the same time', async () => {
    const page = await test.openAs('demo');
    const other = await page.context().newPage();
    await other.goto(`${test.url}machines`);
    await other.getByRole('heading', { name: 'No machines' }).waitFor();
    await page.getByRole('button', { name: 'Signed in as demo' }).click();
    await page.getByRole('menuitem', { name: /Sign out/ }).click();

    await other.getByText('You are signed out.').waitFor();
    expect(test.consoleErrors()).toEqual([]);
  });

  it('signs in with Keystone’s single sign-on, and returns to the same page', async () => {
    const page = await test.open('machines');
    await page.getByRole('link', { name: 'Sign in with Simulated identity provider' }).click();
    await page.locator('[name=username]').fill('demo');
    await page.locator('[name=password]').fill(test.password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'No machines' }).waitFor();

    expect(new URL(page.url()).pathname).toBe('/console/machines');
    await page.getByRole('button', { name: 'Project: demo' }).waitFor();
    // The sign-in that the user had begun has ended.
    const cookies = await page.context().cookies(test.url);
    expect(cookies.map(({ name }) => name)).toEqual(['__Host-fairway-session']);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('does not sign a user in with a form from another site, even during a sign-in', async () => {
    const page = await test.open();
    await page.getByRole('link', { name: 'Sign in with Simulated identity provider' }).click();
    await page.locator('[name=username]').waitFor();
    const evil = await page.context().newPage();
    await evil.goto('about:blank');
    const [reply] = await Promise.all([
      evil.waitForResponse((response) => response.url().endsWith('/console/sso')),
      evil.evaluate(`(() => {
        const form = Object.assign(document.createElement('form'), { method: 'post', action: '${test.url}sso' });
        form.append(Object.assign(document.createElement('input'), { name: 'token', value: 'gAAAAAB-of-mallory' }));
        document.body.append(form);
        form.submit();
      })()`),
    ]);
    await evil.getByText('Only the Keystone page').waitFor();
    await evil.goto(`${test.url}sso`);
    await evil.getByText('Single sign-on failed').waitFor();

    expect(reply.status()).toBe(403);
  });

  it('reports a wrong password, and allows another attempt', async () => {
    const page = await test.open();
    await page.locator('#username').fill('other');
    await page.locator('#password').fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByText('The user name, domain or password is wrong.').waitFor();
    await screenshot(page, 'sign-in-refused');

    await signIn(page, 'other', test.password);
    await page.getByRole('button', { name: 'Project: other' }).waitFor();
    expect(test.consoleErrors()).toEqual([]);
  });

  it('reports missing input at the field', async () => {
    const page = await test.open();
    await page.getByRole('button', { name: 'Sign in' }).click();

    await page.getByText('Required.').first().waitFor();
    expect(await page.evaluate('document.activeElement.id')).toBe('username');
    expect(await page.locator('#password').getAttribute('aria-invalid')).toBe('true');
  });

  it.each([
    { name: 'light', options: {} },
    { name: 'dark', options: { colorScheme: 'dark' as const } },
    { name: 'phone', options: { viewport: PHONE } },
    { name: 'german', options: { locale: 'de-DE' } },
  ])('passes axe and follows its policy: $name', async ({ name, options }) => {
    const page = await test.open('', options);
    await page.locator('#username').waitFor();
    await screenshot(page, `sign-in-${name}`);
    expect(await accessibilityProblems(page)).toEqual([]);
    await signIn(page, 'demo', test.password);
    await page.locator('h1').waitFor();

    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(test.consoleErrors()).toEqual([]);
  });

  it.each([
    { locale: 'en-GB', name: 'Documentation', machines: 'Machines' },
    { locale: 'de-DE', name: 'Dokumentation', machines: 'Maschinen' },
  ])('links each view to the page that explains it: $locale', async ({ locale, name, machines }) => {
    const page = await test.open('', { locale });
    const link = page.getByRole('link', { name, exact: true });
    const target = () => link.getAttribute('href');
    await page.locator('#username').waitFor();
    expect(await target()).toBe('https://docs.example.com/docs/tenants/signing-in.html');
    await signIn(page, 'demo', test.password);
    expect(await target()).toBe('https://docs.example.com/docs/tenants/console.html');
    await page.getByRole('link', { name: machines }).click();

    await expect.poll(target).toBe('https://docs.example.com/docs/tenants/healing.html');
    expect(await link.count()).toBe(1);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('can be used with only the keyboard', async () => {
    const page = await test.openAs('demo');
    await page.locator('h1').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content');
    const toggle = page.getByRole('button', { name: 'Appearance and language' });
    for (let presses = 0; presses < 20; presses++) {
      await page.keyboard.press('Tab');
      if (await toggle.evaluate((element) => element === element.ownerDocument.activeElement)) break;
    }
    await page.keyboard.press('Enter');
    const german = page.getByRole('option', { name: 'Deutsch' });
    for (let presses = 0; presses < 10; presses++) {
      await page.keyboard.press('ArrowDown');
      if (await german.evaluate((element) => element === element.ownerDocument.activeElement)) break;
    }
    await page.keyboard.press('Enter');

    await page.getByRole('heading', { name: 'Noch keine Cluster' }).waitFor();
    expect(await page.evaluate('document.documentElement.lang')).toBe('de');
  });

  it('does not show another project, at any address', async () => {
    const page = await test.openAs('other');
    const reply = await page.evaluate<number>(
      `fetch('/apis/fairway.dev/v1alpha1/clusters', { headers: { 'x-fairway-console': '1' } }).then(({ status }) => status)`,
    );

    expect(reply).toBe(403);
  });
});
