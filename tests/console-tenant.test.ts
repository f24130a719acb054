import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './console/accessibility.ts';
import { hasBrowser, PHONE } from './console/browser.ts';
import { createCloudLoad } from './console/cloud-load.ts';
import { type ConsoleTest, screenshot, startConsoleTest } from './console/console-test.ts';
import { deleteServer } from './console/delete-server.ts';
import { clientOf } from './session/client-of.ts';

describe.skipIf(!hasBrowser)('a tenant and their clusters in the console', () => {
  let test: ConsoleTest;
  let clusterPage: string;
  let kubeconfig: string;
  beforeAll(async () => {
    test = await startConsoleTest();
  });
  beforeEach(() => void test.consoleErrors());
  afterEach(() => test.leave());
  afterAll(() => test?.close());

  const nodes = (page: Page, phase = 'Ready') => page.locator(`button.fw-node-${phase}`);
  const accepted = (page: Page) => page.getByText('No errors').waitFor();

  it('creates a cluster with a name and two clicks', async () => {
    const page = await test.openAs('demo');
    const clicks = await countClicks(page);
    await page.getByRole('link', { name: 'Create a cluster' }).click();
    await page.getByRole('heading', { name: 'Create a cluster' }).waitFor();
    await page.keyboard.type('shop');
    await accepted(page);
    await screenshot(page, 'cluster-new-light');
    await page.getByRole('button', { name: 'Create cluster' }).click();
    await page.getByRole('heading', { name: 'shop', exact: true, level: 1 }).waitFor();
    clusterPage = new URL(page.url()).pathname.replace('/console/', '');
    await expect.poll(() => nodes(page).count()).toBe(3);
    await page.getByText('3 of 3 ready').waitFor();
    await screenshot(page, 'cluster-light');

    expect(await clicks()).toBe(2);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('creates a cluster with the keyboard alone', async () => {
    const page = await test.openAs('demo', 'clusters/new');
    await page.getByRole('heading', { name: 'Create a cluster' }).waitFor();
    const clicks = await countClicks(page);
    // Waits before typing until the form has its plans and the cursor is in the name field.
    await page.getByRole('radio', { name: /^Standard/ }).waitFor();
    await page.locator('#name:focus').waitFor();
    await page.keyboard.type('keys');
    // Moves through the plans to the second one with the arrow keys of the radio buttons.
    await page.keyboard.press('Tab');
    await page.keyboard.press('ArrowDown');
    await page
      .getByRole('radio', { name: /^Standard/ })
      .and(page.locator(':checked'))
      .waitFor();
    await page.keyboard.press('ArrowUp');
    await accepted(page);
    const create = page.getByRole('button', { name: 'Create cluster' });
    await tabTo(page, create);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'keys', exact: true, level: 1 }).waitFor();

    expect(await clicks()).toBe(0);
  });

  it('shows an error at each invalid field, and continues once it is corrected', async () => {
    const page = await test.openAs('demo', 'clusters/new');
    const name = page.locator('#name');
    await name.fill('Shop!');
    await page.locator('#name-help').getByText('lowercase letters').waitFor();
    await name.fill('shop');
    await page.locator('#name-help').getByText('already exists').waitFor();
    await name.fill('other');
    await page.locator('#nodes-cidr').fill('8.8.8.0/24');
    await page.locator('#nodes-cidr-help').getByText('must be private').waitFor();
    await page.getByRole('spinbutton', { name: 'Nodes' }).fill('101');
    await page.locator('#pool-nodes-help').getByText('100').first().waitFor();
    await page.getByText(/^\d+ errors?/).waitFor();
    await screenshot(page, 'cluster-new-problems');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.locator('#nodes-cidr').fill('');
    await page.getByRole('spinbutton', { name: 'Nodes' }).fill('2');
    await accepted(page);

    expect(await name.getAttribute('aria-invalid')).toBe('false');
    expect(test.consoleErrors()).toEqual([]);
  });

  it('scales a pool', async () => {
    const page = await test.openAs('demo', clusterPage);
    await page.getByRole('link', { name: 'Scale or edit shop-general' }).click();
    await page.getByText('No changes yet.').waitFor();
    await page.getByRole('button', { name: 'More: Nodes' }).click();
    await accepted(page);
    const change = page.getByRole('region', { name: 'Changes' });
    await change.getByText('added: replicas: 4').waitFor();
    await page.getByRole('button', { name: 'Equivalent kubectl command' }).click();
    await page.getByText(`patch nodepool shop-general --type merge -p '{"spec":{"replicas":4}}'`).waitFor();
    await screenshot(page, 'pool-light');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('fixed at 4').waitFor();
    await expect.poll(() => nodes(page).count()).toBe(4);

    expect(test.consoleErrors()).toEqual([]);
  });

  it('adds a pool, and deletes it', async () => {
    const page = await test.openAs('demo', clusterPage);
    await page.getByRole('link', { name: 'Add pool' }).click();
    await page.locator('#pool-name').fill('shop-batch');
    await page.getByRole('spinbutton', { name: 'Nodes' }).fill('1');
    await accepted(page);
    await page.getByRole('button', { name: 'As YAML' }).click();
    await page.getByRole('group', { name: 'Objects to be created' }).getByText('name: shop-batch').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Add pool' }).click();
    await page.getByRole('link', { name: 'Scale or edit shop-batch' }).click();
    await page.getByRole('button', { name: 'Delete pool…' }).click();
    const confirm = page.getByRole('dialog').getByRole('button', { name: 'Delete pool', exact: true });
    expect(await confirm.isDisabled()).toBe(true);
    await page.keyboard.type('shop-batch');
    await confirm.click();
    await page.getByRole('heading', { name: 'Node pools' }).waitFor();
    await page.getByRole('row', { name: /shop-batch/ }).waitFor({ state: 'detached' });

    expect(test.consoleErrors()).toEqual([]);
  });

  it('shows a failed node whose server was deleted, and its repair by Fairway', async () => {
    const page = await test.openAs('demo', clusterPage);
    await expect.poll(() => nodes(page).count()).toBe(4);
    const label = await nodes(page).first().getAttribute('aria-label');
    const [server = ''] = (label ?? '').split(':');
    await deleteServer(test.fairway.cloudsYaml, server);
    // The cloud is polled once a minute while nothing is pending.
    await page.getByRole('button', { name: `${server}: Ready` }).waitFor({ state: 'detached' });
    await expect.poll(() => nodes(page).count()).toBe(4);
    await page.getByRole('link', { name: 'Events' }).click();
    await page.getByText(server).first().waitFor();
    await screenshot(page, 'cluster-events');

    expect(await accessibilityProblems(page)).toEqual([]);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('gets a kubeconfig that expires', async () => {
    const page = await test.openAs('demo', `${clusterPage}/access`);
    await page.locator('#expiry').selectOption('600');
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download kubeconfig' }).click(),
    ]);
    await page.getByText('It is valid until').waitFor();
    await screenshot(page, 'cluster-access');

    expect(file.suggestedFilename()).toBe('shop.kubeconfig');
    expect(readFileSync(await file.path(), 'utf8')).toContain('current-context:');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(test.consoleErrors()).toEqual([]);
    // The console's own connections end with the browser's.
    kubeconfig = join(test.fairway.home, file.suggestedFilename());
    await file.saveAs(kubeconfig);
  });

  it('shows load balancers and volumes as they appear, with their purpose', async () => {
    const page = await test.openAs('demo', `${clusterPage}/cloud`);
    await page.getByRole('heading', { name: '0 load balancers' }).waitFor();
    const client = await clientOf(kubeconfig);
    await createCloudLoad(client).finally(() => client.close());
    const balancer = page.getByRole('row', { name: /default\/web/ });
    await balancer.getByText('active', { exact: true }).waitFor();
    await balancer.getByText(/TCP 80, \d members/).waitFor();
    const volume = page.getByRole('row', { name: /default\/data/ });
    await volume.getByText('in-use').waitFor();
    await page.getByRole('heading', { name: '1 volume, 3 GiB' }).waitFor();
    await screenshot(page, 'cluster-cloud');

    expect(await accessibilityProblems(page)).toEqual([]);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('shows who has a kubeconfig, and revokes all kubeconfigs', async () => {
    const page = await test.openAs('demo', `${clusterPage}/access`);
    await page
      .getByText(/^demo \(keystone:.*\), until /)
      .first()
      .waitFor();
    await page.getByRole('button', { name: 'Revoke all kubeconfigs…' }).click();
    await page
      .getByRole('dialog')
      .getByText(/^kubectl -n \S+ annotate cluster shop fairway.dev\/revoke-kubeconfigs=/)
      .waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Revoke all', exact: true }).click();
    await page.getByText(/^All kubeconfigs from before .* have been revoked/).waitFor();
    await page.getByText('None in Fairway’s events.').waitFor();

    expect(test.consoleErrors()).toEqual([]);
  });

  it('shows what is installed in the cluster', async () => {
    const page = await test.openAs('demo', `${clusterPage}/addons`);
    await page.getByRole('row', { name: /coredns/ }).waitFor();
    await page.getByRole('link', { name: /^Edit spec.kubeProxy/ }).click();
    await page.locator('#yaml-object').waitFor();

    expect(test.consoleErrors()).toEqual([]);
  });

  it('edits YAML, and shows the difference before it is saved', async () => {
    const page = await test.openAs('demo', `${clusterPage}/yaml`);
    await page.locator('#yaml-object').selectOption('NodePool shop-general');
    await page.getByRole('button', { name: 'Edit' }).click();
    const editor = page.getByRole('textbox', { name: 'YAML of NodePool shop-general' });
    const text = await editor.inputValue();
    await editor.fill(text.replace('replicas: 4', 'replicas: many'));
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByText('spec.replicas:').waitFor();
    await editor.fill(text.replace('replicas: 4', 'replicas: 3'));
    await page.getByRole('button', { name: 'Review changes' }).click();
    await page.getByText('added:').waitFor();
    await screenshot(page, 'cluster-yaml');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save changes' }).click();
    await page.getByText('Saved.').waitFor();
    await page.getByText('replicas: 3').waitFor();

    expect(test.consoleErrors()).toEqual([]);
  });

  it('saves a maintenance window and a hibernation schedule, and previews the effect of each', async () => {
    const page = await test.openAs('demo', `${clusterPage}/schedule`);
    const panel = (title: string) =>
      page.locator('form').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
    const saveChange = async (title: string, added: RegExp) => {
      await panel(title).locator('.fw-change').getByText(added).first().waitFor();
      await panel(title).getByRole('button', { name: 'Save', exact: true }).click();
      await panel(title).getByText('Saved.').waitFor();
    };
    await panel('Maintenance window').getByText('Limit non-urgent work to a maintenance window').click();
    await saveChange('Maintenance window', /start: .?02:00/);
    await panel('Hibernation').getByRole('button', { name: 'Add a schedule' }).click();
    await saveChange('Hibernation', /hibernate: 0 20 \* \* 1-5/);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.reload();

    expect(await page.locator('#window-start').inputValue()).toBe('02:00');
    expect(await panel('Hibernation').getByLabel('Wake up at').inputValue()).toBe('0 7 * * 1-5');
    expect(test.consoleErrors()).toEqual([]);
    await panel('Hibernation').getByRole('button', { name: 'Remove the schedule' }).click();
    await saveChange('Hibernation', /hibernate: 0 20 \* \* 1-5/);
  });

  it.each([
    { name: 'dark', options: { colorScheme: 'dark' as const } },
    { name: 'phone', options: { viewport: PHONE } },
    { name: 'german', options: { locale: 'de-DE' } },
  ])('shows pages that pass axe and are no wider than the window: $name', async ({ name, options }) => {
    const page = await test.openAs('demo', 'clusters/new', options);
    const look = async (path: string, screenshotName: string) => {
      await page.locator('h1').waitFor();
      await page.locator('.pf-v6-c-spinner').waitFor({ state: 'detached' });
      await screenshot(page, `${screenshotName}-${name}`);
      const problems = await accessibilityProblems(page);
      const isTooWide = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect({ path, problems, isTooWide }).toEqual({ path, problems: [], isTooWide: false });
    };
    await page.locator('#name').fill('phone');
    await page.locator('.fw-good').waitFor();
    await look('clusters/new', 'cluster-new');
    const tabs = ['', '/access', '/cloud', '/addons', '/version', '/schedule', '/events', '/yaml', '/add-pool'];
    for (const tab of tabs) {
      await page.goto(`${test.url}${clusterPage}${tab}`);
      await look(tab, `cluster${tab.replace('/', '-')}`);
    }

    expect(test.consoleErrors()).toEqual([]);
  });

  it('loses no input when the server goes down and comes back', async () => {
    const page = await test.openAs('demo', 'clusters/new');
    await page.locator('#name').fill('later');
    await page.getByRole('spinbutton', { name: 'Nodes' }).fill('1');
    await accepted(page);
    await test.kill();
    await page.getByText('The server is not responding.').waitFor();
    await page.getByRole('button', { name: 'Create cluster' }).click();
    await page.getByText('this never creates two clusters').waitFor();
    await test.restart();
    await page.getByText('The server is responding again.').waitFor();
    await page.getByRole('button', { name: 'Create cluster' }).click();
    await page.getByRole('heading', { name: 'later', exact: true, level: 1 }).waitFor();
    await page.getByRole('link', { name: 'Scale or edit later-general' }).waitFor();

    expect(await page.getByText('fixed at 1').count()).toBe(1);
  });

  it('creates one cluster on a double click, and its pools even after a reload in between', async () => {
    const page = await test.openAs('demo', 'clusters/new');
    await page.locator('#name').fill('twice');
    await accepted(page);
    // The Cluster is created, but the response for the pool is lost.
    await page.route('**/nodepools?*', (route) =>
      route.request().url().includes('dryRun') ? route.continue() : route.abort(),
    );
    await page.getByRole('button', { name: 'Create cluster' }).dblclick();
    await page.getByText('a node pool could not be created').waitFor();
    await page.unroute('**/nodepools?*');
    await page.reload();
    await page.getByRole('link', { name: 'Scale or edit twice-general' }).waitFor();
    await page.getByRole('link', { name: 'Clusters' }).first().click();
    await page.getByText('twice', { exact: true }).waitFor();

    expect(await page.getByText('twice', { exact: true }).count()).toBe(1);
  });

  it('shows what an upgrade would do, and starts it', async () => {
    const page = await test.openAs('demo', 'clusters/new');
    await page.locator('#name').fill('older');
    await page.getByRole('radio', { name: /^Kubernetes 1\.35/ }).check();
    await accepted(page);
    await page.getByRole('button', { name: 'Create cluster' }).click();
    await page.getByRole('link', { name: 'Version' }).click();
    await page.getByText('the control plane is updated from 1.35').waitFor();
    await screenshot(page, 'cluster-upgrade');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Upgrade to 1.36' }).click();
    await page.getByRole('heading', { name: /^Kubernetes 1\.36/ }).waitFor();

    expect(test.consoleErrors()).toEqual([]);
  });

  it('hibernates a cluster after a neutral confirmation, and wakes it with the main button', async () => {
    const page = await test.openAs('demo', clusterPage);
    await page.getByRole('link', { name: 'Connect', exact: true }).waitFor();
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Hibernate…' }).click();
    await page.getByRole('dialog').getByText('the nodes are deleted').waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.getByRole('button', { name: 'Hibernate cluster' }).click();
    await page.getByText('Hibernated', { exact: true }).waitFor();
    await page.getByText('No nodes yet.').waitFor();
    expect(await page.getByRole('heading', { name: 'Action required by you' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Wake up' }).click();
    await page.getByRole('link', { name: 'Connect', exact: true }).waitFor();

    expect(test.consoleErrors()).toEqual([]);
  });

  it('deletes a cluster after its name is typed', async () => {
    const page = await test.openAs('demo', clusterPage);
    await page.getByRole('button', { name: 'Actions' }).click();
    await page.getByRole('menuitem', { name: 'Delete…' }).click();
    const confirm = page.getByRole('button', { name: 'Delete cluster' });
    await page.getByRole('dialog').waitFor();
    await screenshot(page, 'cluster-delete');
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await confirm.isDisabled()).toBe(true);
    await page.keyboard.type('shop');
    await confirm.click();
    await page.getByRole('heading', { name: 'Cluster “shop” not found' }).waitFor();

    expect(test.consoleErrors()).toEqual([]);
  });
});

/** Presses Tab until the target has the focus. */
async function tabTo(page: Page, target: ReturnType<Page['locator']>): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error('the keyboard does not lead there');
}

/** Counts pointer clicks from now on, on this page. */
async function countClicks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(
    "globalThis.clicks = 0; addEventListener('click', (event) => { if (event.detail > 0) globalThis.clicks++; }, true)",
  );
  return () => page.evaluate<number>('globalThis.clicks');
}
