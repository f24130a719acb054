import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import { eventuallyObject } from '@fairway/kube/testing/eventually';
import type { Page, Route } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './console/accessibility.ts';
import { hasBrowser, PHONE } from './console/browser.ts';
import { type ConsoleTest, screenshot, startConsoleTest } from './console/console-test.ts';
import { openByToken, operatorToken } from './console/operator-console.ts';
import { clientOf } from './session/client-of.ts';

/** In the format of `clusters/NAME/audit`. */
const IN_CLUSTER = {
  kind: 'AuditEventList',
  apiVersion: 'fairway.dev/v1alpha1',
  metadata: { continue: 'older' },
  items: [
    {
      auditID: '11111111-1111-4111-8111-111111111111',
      verb: 'delete',
      requestURI: '/apis/apps/v1/namespaces/web/deployments/shop',
      user: { username: 'keystone:4f2a', extra: { 'alpha.kubernetes.io/identity/user/name': ['alice'] } },
      sourceIPs: ['203.0.113.7'],
      userAgent: 'kubectl/v1.36.3',
      objectRef: { resource: 'deployments', namespace: 'web', name: 'shop', apiGroup: 'apps', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 200 },
      requestReceivedTimestamp: '2026-11-26T10:00:02.000000Z',
      stageTimestamp: '2026-11-26T10:00:02.000000Z',
      annotations: { 'authorization.k8s.io/reason': 'RBAC: allowed by ClusterRoleBinding "admins"' },
      requestObject: { kind: 'DeleteOptions', propagationPolicy: 'Background' },
    },
    {
      auditID: '22222222-2222-4222-8222-222222222222',
      verb: 'create',
      requestURI: '/api/v1/namespaces/web/pods/db/exec?command=sh',
      user: { username: 'keystone:5b3c' },
      objectRef: { resource: 'pods', namespace: 'web', name: 'db', subresource: 'exec', apiVersion: 'v1' },
      responseStatus: {
        metadata: {},
        status: 'Failure',
        reason: 'Forbidden',
        message: 'pods "db" is forbidden',
        code: 403,
      },
      stageTimestamp: '2026-11-26T10:00:01.000000Z',
    },
  ],
};
const OLDER_PAGE = {
  ...IN_CLUSTER,
  metadata: {},
  items: [
    {
      ...IN_CLUSTER.items[0],
      auditID: '33333333-3333-4333-8333-333333333333',
      verb: 'patch',
      stageTimestamp: '2026-11-26T09:00:00.000000Z',
    },
  ],
};
const LONG = 'x'.repeat(400 * 1024);
/** Events from a compromised control plane. */
const HOSTILE = [
  { userAgent: LONG, sourceIPs: Array.from({ length: 16 }, () => LONG.slice(0, 999)) },
  { user: { username: `system:node:${LONG}` }, responseStatus: { code: 500, message: LONG } },
  { objectRef: { resource: 'constructor', subresource: 'constructor', name: '__proto__', namespace: LONG } },
  { user: { username: 'mallory\u202e)uoy( ecila' }, objectRef: { resource: 'pods', name: '\u2067<img src=x>\u0000' } },
  { requestObject: Object.fromEntries(Array.from({ length: 10_000 }, (_, key) => [`key ${key}`, LONG.slice(0, 9)])) },
  { requestObject: JSON.parse(`${'['.repeat(900)}${'0,'.repeat(50_000)}0${']'.repeat(900)}`) as unknown },
].map((hostile, at) => ({ ...IN_CLUSTER.items[0], auditID: `hostile-${at}`, ...hostile }));

describe.skipIf(!hasBrowser)('activity in the console', () => {
  let test: ConsoleTest;
  let namespace: string;
  beforeAll(async () => {
    test = await startConsoleTest();
    const page = await test.openAs('demo', 'clusters/new');
    await page.locator('#name').fill('shop');
    await page.getByRole('spinbutton', { name: 'Nodes' }).fill('1');
    await page.getByText('No errors').waitFor();
    await page.getByRole('button', { name: 'Create cluster' }).click();
    await page.getByRole('heading', { name: 'shop', exact: true, level: 1 }).waitFor();
    namespace = new URL(page.url()).pathname.split('/')[3] ?? '';
    const otherPage = await test.openAs('other');
    await otherPage.evaluate(
      `fetch('/apis/fairway.dev/v1alpha1/namespaces/${namespace}/clusters/shop', { method: 'DELETE', headers: { 'x-fairway-console': '1' } })`,
    );
  });
  beforeEach(() => void test.consoleErrors());
  afterEach(() => test.leave());
  afterAll(() => test?.close());

  const rows = (page: Page, text: RegExp) => page.getByRole('row').filter({ hasText: text });
  const POLL_OPTIONS = { interval: 1_000 };
  const hasRefreshed = (page: Page, text: RegExp) => async () => {
    await page.getByRole('button', { name: 'Refresh' }).click();
    return rows(page, text).count();
  };
  async function requestAuditEvents(): Promise<void> {
    const client = await clientOf(test.fairway.kubeconfig);
    const value = { spec: { apiServer: { audit: {} } } };
    const { metadata } = await client.resource(clusters).patch('shop', { type: 'merge', value }, { namespace });
    const isApplied = ({ status }: Cluster) =>
      status?.observedGeneration === metadata.generation && isConditionTrue(status?.conditions, 'ControlPlaneReady');
    await eventuallyObject(client.resource(clusters), { namespace, name: 'shop' }, isApplied);
    client.close();
  }
  const audited = '**/clusters/shop/audit?*';
  const respond = (route: Route, status: number, json: object) => route.fulfill({ status, json });

  it('shows a project’s history: who created what, from where, and which requests were dry runs', async () => {
    const page = await test.openAs('demo');
    await page.getByRole('link', { name: 'Activity' }).click();
    const created = rows(page, /demo \(you\).*created cluster shop/);
    await created.getByText('127.0.0.1').waitFor();
    await created.getByText('Done').waitFor();
    await rows(page, /demo \(you\).*did a dry run to create.*dry run/i)
      .first()
      .waitFor();
    await page.getByText(/\d+ events · As of \d+:\d\d:\d\d/).waitFor();
    await screenshot(page, 'activity-light');

    expect(await accessibilityProblems(page)).toEqual([]);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('shows refused requests and their users, and keeps the filter in its address', async () => {
    const page = await test.openAs('demo', 'activity');
    await page.getByRole('checkbox', { name: 'Only denied or failed' }).check();
    await page.getByLabel('Action', { exact: true }).selectOption('delete');
    const refused = rows(page, /tried to delete cluster shop/);
    await refused.getByText('Denied').waitFor();
    await rows(page, /created cluster shop/).waitFor({ state: 'detached' });
    await page.reload();
    await refused.getByText('Denied').waitFor();

    expect(new URL(page.url()).search).toBe('?outcome=unsuccessful&verb=delete');
    // Other users' addresses are not shown.
    await refused.getByText('Not recorded').waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();
    await rows(page, /created cluster shop/).waitFor();
    expect(new URL(page.url()).search).toBe('');
    expect(test.consoleErrors()).toEqual([]);
  });

  it('opens the details of an event, and filters by its user, with the keyboard alone', async () => {
    const page = await test.openAs('demo', 'activity?verb=create');
    const show = page.getByRole('button', { name: /^Show details: demo \(you\) created cluster shop/ });
    await show.focus();
    await page.keyboard.press('Enter');
    await page.getByRole('group', { name: 'Audit ID' }).waitFor();
    await page.getByText('Give this ID to your operator').waitFor();
    await page.getByText(/HeadlessChrome|Mozilla/).waitFor();
    await page.getByText(/RBAC: allowed by/).waitFor();
    await screenshot(page, 'activity-details');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Only actions by demo (you)' }).focus();
    await page.keyboard.press('Enter');
    await rows(page, /created cluster shop/).waitFor();

    expect(new URL(page.url()).searchParams.get('user')).toMatch(/^keystone:/);
    expect(await page.getByLabel('User', { exact: true }).locator('option:checked').textContent()).toBe('demo (you)');
    expect(test.consoleErrors()).toEqual([]);
  });

  it('shows newer events on request', async () => {
    const page = await test.openAs('demo', 'activity?object=shop&verb=patch');
    await page.getByText(/As of/).waitFor();
    await page.evaluate(
      `fetch('/apis/fairway.dev/v1alpha1/namespaces/${namespace}/clusters/shop', {
        method: 'PATCH',
        headers: { 'x-fairway-console': '1', 'content-type': 'application/merge-patch+json' },
        body: JSON.stringify({ metadata: { annotations: { note: 'x' } } }),
      })`,
    );
    await expect.poll(hasRefreshed(page, /demo \(you\).*changed cluster shop/), POLL_OPTIONS).toBeGreaterThan(0);
  });

  it('waits as long as the server requests, and shows the time of the retry', async () => {
    const page = await test.openAs('demo');
    const requestTimes: number[] = [];
    await page.route('**/auditevents?*', (route) => {
      requestTimes.push(Date.now());
      if (requestTimes.length > 1) return route.continue();
      const json = { kind: 'Status', code: 429, reason: 'TooManyRequests', message: 'too many' };
      return route.fulfill({ status: 429, headers: { 'retry-after': '2' }, json });
    });
    await page.getByRole('link', { name: 'Activity' }).click();
    await page.getByText(/The server is busy\. The console retries at \d+:\d\d:\d\d/).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await rows(page, /created cluster shop/).waitFor();

    const [first = 0, second = 0] = requestTimes;
    expect(second - first).toBeGreaterThanOrEqual(2_000);
    expect(requestTimes.length).toBe(2);
  });

  it('distinguishes kubectl’s dry run of a deletion from a deletion', async () => {
    const page = await test.openAs('demo', 'activity?object=shop&verb=delete');
    const body = JSON.stringify({ kind: 'DeleteOptions', apiVersion: 'v1', dryRun: ['All'] });
    await page.evaluate(
      `fetch('/apis/fairway.dev/v1alpha1/namespaces/${namespace}/clusters/shop', {
        method: 'DELETE',
        headers: { 'x-fairway-console': '1', 'content-type': 'application/json' },
        body: ${JSON.stringify(body)},
      })`,
    );
    await expect
      .poll(hasRefreshed(page, /demo \(you\).*did a dry run to delete cluster shop.*dry run/i), POLL_OPTIONS)
      .toBeGreaterThan(0);
  });

  it('shows what to set if a cluster’s audit events are off, and shows new events once they are on', async () => {
    const page = await test.openAs('demo', `clusters/${namespace}/shop`);
    await page.getByLabel('Cluster sections').getByRole('link', { name: 'Activity' }).click();
    await page.getByText('Audit logging is not enabled').waitFor();
    await page.getByText(`kubectl -n ${namespace} patch cluster shop`).waitFor();
    await page.getByText('set spec.apiServer.audit', { exact: false }).first().waitFor();
    await screenshot(page, 'cluster-activity-off');
    expect(await accessibilityProblems(page)).toEqual([]);
    await requestAuditEvents();
    const downloaded = page.waitForEvent('download');
    await page.goto(`${test.url}clusters/${namespace}/shop/access`);
    await page.getByRole('button', { name: 'Download kubeconfig' }).click();
    const kubeconfig = join(test.fairway.home, 'shop.kubeconfig');
    await (await downloaded).saveAs(kubeconfig);
    const own = await clientOf(kubeconfig);
    const metadata = { name: 'mine', namespace: 'default' };
    await own.resource(ConfigMaps).create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
    own.close();
    await page.goto(`${test.url}clusters/${namespace}/shop/activity?object=mine`);
    await expect
      .poll(hasRefreshed(page, /\(you\).*created ConfigMap mine in default.*Done.*127\.0\.0\.1/), POLL_OPTIONS)
      .toBeGreaterThan(0);

    expect(test.consoleErrors()).toEqual([]);
  });

  it.each([
    { window: 'wide', options: {} },
    { window: 'phone', options: { viewport: PHONE } },
  ])('shows hostile events as text, quickly, and no wider than the window: $window', async ({ options }) => {
    const page = await test.openAs('demo', undefined, options);
    await page.route(audited, (route) => respond(route, 200, { ...IN_CLUSTER, metadata: {}, items: HOSTILE }));
    await page.goto(`${test.url}clusters/${namespace}/shop/activity`);
    await rows(page, /mallory\\u202e\)uoy\( ecila.*deleted pod \\u2067<img src=x>\\u0000/).waitFor();
    await rows(page, /deleted constructor of constructor __proto__/).waitFor();
    for (const _ of HOSTILE)
      await page
        .getByRole('button', { name: /^Show details/ })
        .first()
        .click();

    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(await page.evaluate('document.body.innerText.length')).toBeLessThan(100_000);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('shows the copy button next to a long command, not on top of it', async () => {
    const page = await test.openAs('demo', undefined, { viewport: PHONE });
    const json = { kind: 'Status', code: 409, reason: 'Conflict', message: 'set spec.apiServer.audit' };
    await page.route(audited, (route) => respond(route, 409, json));
    await page.goto(`${test.url}clusters/${namespace}/shop/activity`);
    const command = await page.locator('.fw-copyable pre').boundingBox();
    const button = await page.locator('.fw-copyable button').boundingBox();

    expect((command?.x ?? 0) + (command?.width ?? 0)).toBeLessThanOrEqual(button?.x ?? 0);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  });

  it('shows what was done in a cluster, and older events on demand', async () => {
    const page = await test.openAs('demo', `clusters/${namespace}/shop`);
    await page.route(audited, (route) => {
      const isOlder = new URL(route.request().url()).searchParams.has('continue');
      return respond(route, 200, isOlder ? OLDER_PAGE : { ...IN_CLUSTER, items: repeatItems(IN_CLUSTER.items) });
    });
    await page.getByLabel('Cluster sections').getByRole('link', { name: 'Activity' }).click();
    await rows(page, /alice.*deleted Deployment shop in web/)
      .first()
      .waitFor();
    await rows(page, /keystone:5b3c.*tried to run a command in pod db in web.*Denied/)
      .first()
      .waitFor();
    await page
      .getByRole('button', { name: /^Show details: alice deleted Deployment shop/ })
      .first()
      .click();
    await page.getByRole('group', { name: 'Request body' }).getByText('propagationPolicy').waitFor();
    await screenshot(page, 'cluster-activity');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Show older events' }).click();
    await page.getByText('There are no older events here.').waitFor();

    await page.getByText('31 events').waitFor();
    expect(test.consoleErrors()).toEqual([]);
  });

  it('reports plainly that a server is too old to support activity', async () => {
    const page = await test.openAs('demo');
    const json = {
      kind: 'Status',
      code: 404,
      reason: 'NotFound',
      message: 'the server could not find the requested resource',
    };
    await page.route(audited, (route) => respond(route, 404, json));
    await page.goto(`${test.url}clusters/${namespace}/shop/activity`);

    await page.getByText('The server says: the server could not find the requested resource').waitFor();
    expect(test.consoleErrors()).toEqual([]);
  });

  it.each([
    { name: 'dark', options: { colorScheme: 'dark' as const } },
    { name: 'phone', options: { viewport: PHONE } },
    { name: 'german', options: { locale: 'de-DE' } },
  ])('passes axe, and is no wider than the window: $name', async ({ name, options }) => {
    const page = await test.openAs('demo', 'activity', options);
    await page.locator('.fw-activity tbody tr').first().waitFor();
    await screenshot(page, `activity-${name}`);
    await page.locator('.fw-activity tbody button').first().click();
    await page.locator('.fw-activity-details').waitFor();
    await screenshot(page, `activity-details-${name}`);

    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('shows operators the events of each project that they select', async () => {
    const client = await clientOf(test.fairway.kubeconfig);
    const token = await operatorToken(client).finally(() => client.close());
    const page = await openByToken(test, token, 'activity');
    await page.getByText('Activity by project').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('link', { name: 'Select a project' }).click();
    await page.getByRole('link', { name: namespace }).click();
    await page.getByRole('main').getByRole('link', { name: 'Activity' }).click();
    await page.getByRole('heading', { name: `Activity in project ${namespace}` }).waitFor();
    await rows(page, /created cluster shop/).waitFor();

    expect(test.consoleErrors()).toEqual([]);
  });
});

/** Thirty events, so that a page is full enough to be displayed. */
function repeatItems<T extends { readonly auditID: string }>(items: readonly T[]): readonly T[] {
  return Array.from({ length: 15 }, (_, round) =>
    items.map((item) => ({ ...item, auditID: `${item.auditID}-${round}` })),
  ).flat();
}
