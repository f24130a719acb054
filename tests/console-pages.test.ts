import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { API_VERSION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PAGE_PATTERNS } from '../packages/console/src/app/page-patterns.ts';
import { accessibilityProblems } from './console/accessibility.ts';
import { hasBrowser } from './console/browser.ts';
import { type ConsoleTest, startConsoleTest } from './console/console-test.ts';
import { type Data, openWithData, prepareResponses } from './console/fake-responses.ts';
import { layoutProblems, themeProblems, truncatedTexts } from './console/layout.ts';
import { openByToken, operatorToken } from './console/operator-console.ts';
import { VISITS, type Visit, type VisitContext } from './console/visits.ts';
import { clientOf } from './session/client-of.ts';

/** Names from other clouds are longer than Fairway allows. */
const NAME = 'zzlong';
const NAMES = { short: NAME, long: 'zz-'.padEnd(63, 'long') };
const CONSOLE_SOURCE = join(import.meta.dirname, '../packages/console/src');
/** The text catalogues of all parts of the console, by file. */
const CATALOGUES: Readonly<Record<string, { readonly en: Readonly<Record<string, unknown>> }>> = Object.fromEntries(
  await Promise.all(
    globSync('**/{texts,*-texts}.ts', { cwd: CONSOLE_SOURCE, exclude: ['text/texts.ts'] }).map(async (file) => {
      const module = (await import(join(CONSOLE_SOURCE, file))) as Readonly<
        Record<string, { readonly en: Readonly<Record<string, unknown>> }>
      >;
      return [file, Object.values(module)[0] ?? { en: {} }] as const;
    }),
  ),
);
const ALL = Object.entries(VISITS).flatMap(([pattern, visits]) =>
  visits.map((visit, index): Visit & { readonly title: string } => ({ ...visit, title: `${pattern} ${index + 1}` })),
);

/** The data sets with objects to open. */
const HAS_OBJECTS: ReadonlySet<Data> = new Set(['long', 'hostile']);

describe.skipIf(!hasBrowser)('every page of the console', () => {
  let test: ConsoleTest;
  let client: KubeClient;
  let place: VisitContext;
  let pages: Readonly<Record<NonNullable<Visit['by']>, Page>>;

  beforeAll(async () => {
    test = await startConsoleTest();
    client = await clientOf(test.fairway.kubeconfig);
    const tenant = await test.openAs('demo');
    const sessionQuery = `fetch('/console/session', { headers: { 'x-fairway-console': '1' } }).then((answer) => answer.json())`;
    const { namespace } = (await tenant.evaluate<{ session: { namespace: string } }>(sessionQuery)).session;
    place = { namespace, cluster: NAME, pool: `${NAME}-pool` };
    await create('Cluster', clusters.plural, place.cluster, { plan: 'free' });
    await create('NodePool', nodePools.plural, place.pool, { clusterName: NAME, flavor: 'b3-8', replicas: 2 });
    // The activity page shows a refused request with its reason.
    const secondPool = create('NodePool', nodePools.plural, place.pool, { clusterName: NAME, flavor: 'b3-8' });
    const [{ status }] = await Promise.allSettled([secondPool]);
    if (status === 'fulfilled') throw new Error('the same name was accepted twice');
    await eventuallyObject(
      client.resource(clusters),
      { namespace, name: NAME },
      ({ status }) => status?.phase === 'Ready',
    );
    pages = { tenant, operator: await openByToken(test, await operatorToken(client), '') };
    for (const page of Object.values(pages)) await prepareResponses(page, NAMES);
  });
  afterAll(async () => {
    client?.close();
    await test?.close();
  });

  async function create(kind: string, plural: string, name: string, spec: object): Promise<void> {
    const body = JSON.stringify({ apiVersion: API_VERSION, kind, metadata: { name }, spec });
    const path = `/apis/${API_VERSION}/namespaces/${place.namespace}/${plural}`;
    await client.raw({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body });
  }

  /**
   * Opens a page without reloading the console, and waits until nothing is pending, or, if there are no responses,
   * until the page reports that.
   */
  async function show(page: Page, path: string, data: Data): Promise<void> {
    await page.evaluate(`history.pushState(null, '', '/console/${path}')`);
    const spinner = page.locator('.pf-v6-c-spinner');
    await page.locator('main h1').or(spinner).first().waitFor();
    if (data !== 'slow') {
      await page.locator('main h1').first().waitFor();
      await spinner.waitFor({ state: 'detached' });
    }
  }

  /** Opens and checks all pages with this data; resolves with the findings by page. */
  async function checkAllVisits(
    data: Data,
    collectProblems: (page: Page) => Promise<readonly string[]>,
  ): Promise<Readonly<Record<string, readonly string[]>>> {
    for (const page of Object.values(pages)) {
      await openWithData(page, data, `${test.url}nowhere`);
      await page.locator('h1').waitFor();
    }
    const found: Record<string, readonly string[]> = {};
    for (const { title, path, by = 'tenant', open } of ALL) {
      if (open !== undefined && !HAS_OBJECTS.has(data)) continue;
      const page = pages[by];
      await show(page, path(place).replaceAll(NAMES.short, data === 'long' ? NAMES.long : NAMES.short), data);
      try {
        await open?.(page);
        const problems = await collectProblems(page);
        if (problems.length > 0) found[title] = problems;
      } catch (error) {
        // The other pages are still checked.
        found[title] = [String(error)];
      }
      // Closes all dialogs and menus.
      if (open === undefined) continue;
      await page.keyboard.press('Escape');
      await show(page, 'nowhere', data);
    }
    return found;
  }

  it('is visited by this test, as is every confirmation dialog', () => {
    const dialogFiles = globSync('pages/**/*.tsx', { cwd: CONSOLE_SOURCE }).filter((file) =>
      /<(?:ConfirmedAction|Dialog|Modal)\b/.test(readFileSync(join(CONSOLE_SOURCE, file), 'utf8')),
    );

    expect(Object.keys(VISITS)).toEqual(PAGE_PATTERNS);
    expect(Object.entries(VISITS).filter(([, visits]) => visits.every(({ open }) => open !== undefined))).toEqual([]);
    expect(
      [...new Set(ALL.flatMap(({ dialogFile }) => dialogFile ?? []))].map((file) => `pages/${file}`).toSorted(),
    ).toEqual(dialogFiles.toSorted());
  });

  it.each(['long', 'empty', 'away'] as const)(
    'fits every width completely, and is readable in both themes: %s',
    async (data) => {
      const isVisible = async (page: Page, what: string) => (await page.locator(what).count()) > 0;
      const collectProblems = async (page: Page) => {
        const found = await layoutProblems(page);
        // The library's own menu, which axe reports as outside all landmarks.
        if (await isVisible(page, '.pf-v6-c-menu')) return found;
        // axe can't determine colours behind a dialog.
        const themes = (await isVisible(page, '[role="dialog"]')) ? [] : await themeProblems(page);
        return [...found, ...themes, ...(data === 'long' ? await accessibilityProblems(page) : [])];
      };

      expect(await checkAllVisits(data, collectProblems)).toEqual({});
      expect(test.consoleErrors()).toEqual([]);
    },
  );

  it.each(['away', 'partly', 'slow', 'forbidden', 'fault'] as const)(
    'fits completely, and makes no claim about unknown data, with the server %s',
    async (data) => {
      const collectProblems = async (page: Page) => [
        ...(await layoutProblems(page)),
        ...emptyStatesIn(await page.locator('main').innerText()),
      ];

      expect(await checkAllVisits(data, collectProblems)).toEqual({});
      expect(test.consoleErrors()).toEqual([]);
    },
  );

  it('fits completely, and shows foreign names and texts unchanged', async () => {
    const collectProblems = async (page: Page) => [
      ...(await layoutProblems(page)),
      ...(await truncatedTexts(page)).map((text) => `shows what nobody sees: ${text}`),
      ...((await page.evaluate("'isHarmed' in globalThis || document.querySelector('img[src=x]') !== null"))
        ? ['has read a name as HTML']
        : []),
    ];

    expect(await checkAllVisits('hostile', collectProblems)).toEqual({});
    expect(test.consoleErrors()).toEqual([]);
  });

  it.each(['Password', 'Application credential', 'Token'])(
    'fits completely on the sign-in page: %s',
    async (signInMethod) => {
      const page = await test.open();
      await page.getByRole('button', { name: signInMethod, exact: true }).click();
      await page.getByRole('button', { name: 'Sign in', exact: true }).click();

      expect([...(await layoutProblems(page)), ...(await themeProblems(page))]).toEqual([]);
      expect(test.consoleErrors()).toEqual([]);
    },
  );

  it.each([
    { path: 'clusters/nowhere/nothing', text: /You don’t have access to this page|Cluster “nothing” not found/ },
    { path: 'nonsense', text: 'Page not found' },
  ])('reports that an address does not exist: $path', async ({ path, text }) => {
    const page = await test.openAs('demo', path);
    await page.locator('h1').getByText(text).waitFor();

    expect(test.consoleErrors()).toEqual([]);
  });
});

/** Texts about the cluster itself, whose state is known even when nothing but clusters could be loaded. */
const CLUSTER_TEXTS: ReadonlySet<string> = new Set(['rest.schedule.none']);

/** Console texts about missing items, except those that contain a name. */
const NONE = Object.values(CATALOGUES).flatMap(({ en }) =>
  Object.entries(en).flatMap(([key, text]) =>
    /(?:^|\.)(?:none|empty|missing|unused|empty\.title)$/.test(key) &&
    !CLUSTER_TEXTS.has(key) &&
    typeof text === 'string' &&
    // A dash is not a claim.
    /\p{L}/u.test(text) &&
    !text.includes('{')
      ? [text]
      : [],
  ),
);

/** Statements in a text that something is missing. */
function emptyStatesIn(text: string): readonly string[] {
  const zeroCounts = text.match(/\b0 (?:of|load|volume|node|cluster|pool|machine)|\b0\/0\b/g) ?? [];
  // A single word may be part of other sentences.
  const lines = new Set(text.split(/[\n\t]/).map((line) => line.trim()));
  const isMentioned = (each: string): boolean => (each.includes(' ') ? text.includes(each) : lines.has(each));
  return [...NONE.filter(isMentioned), ...zeroCounts].map((each) => `states: ${each}`);
}
