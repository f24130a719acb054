import { machines } from '@fairway/api/kinds/machine';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './console/accessibility.ts';
import { hasBrowser, PHONE } from './console/browser.ts';
import { type ConsoleTest, screenshot, startConsoleTest } from './console/console-test.ts';
import { createCluster, haltRollout, openByToken, operatorToken, waitForPhase } from './console/operator-console.ts';
import { SimulatorControl } from './session/simulator-control.ts';
import { coreType, People } from './session/tenant.ts';

const MINOR = '1.35';
const PAGES = [
  { path: 'projects', heading: 'Projects' },
  { path: 'projects/team-a', heading: 'Project team-a' },
  { path: 'stuck', heading: 'Stuck objects' },
  { path: 'clouds', heading: 'Clouds' },
  { path: 'capacity', heading: 'Capacity' },
  { path: 'credentials', heading: 'Credentials' },
  { path: 'releases', heading: 'Releases' },
  { path: 'plans', heading: 'Plans' },
  { path: 'replicas', heading: 'Replicas' },
  { path: 'orphans', heading: 'Orphans' },
] as const;
/** Screenshots of other pages would show nothing new. */
const CHECKED_IN_ALL_THEMES: ReadonlySet<string> = new Set(['stuck', 'clouds']);

describe.skipIf(!hasBrowser)('the console for operators', () => {
  let test: ConsoleTest;
  let people: People;
  let client: KubeClient;
  let cloud: SimulatorControl;
  let token: string;

  beforeAll(async () => {
    test = await startConsoleTest('--cloud-check', '5s');
    people = await People.of(test.fairway.kubeconfig);
    ({ client } = people.admin);
    cloud = await SimulatorControl.of(test.fairway.cloudsYaml);
    token = await operatorToken(client);
    await people.createNamespace('team-a', 'simulator');
    await people.createNamespace('team-b', 'simulator-other');
    await cloud.arm({ times: null, action: { kind: 'outOfStock', flavor: 'b3-16' } });
    await createCluster(client, { namespace: 'team-b', name: 'batch', flavor: 'b3-16', replicas: 1 });
    await haltRollout(client, MINOR, async () => {
      await createCluster(client, { namespace: 'team-a', name: 'web', version: MINOR, replicas: 3 });
      return waitForPhase(client, { namespace: 'team-a', name: 'web' }, 'Ready');
    });
  });
  beforeEach(() => void test.consoleErrors());
  afterAll(async () => {
    people?.close();
    await test?.close();
  });

  async function waitUntilSettled(page: Page, heading: string): Promise<void> {
    await page.getByRole('heading', { name: heading, level: 1 }).waitFor();
    await page.getByRole('progressbar', { name: 'Loading…' }).waitFor({ state: 'detached' });
  }

  it('signs in with a token, shows all projects, and opens the clusters of one', async () => {
    const page = await openByToken(test, token, '');
    await page.getByRole('link', { name: 'Projects' }).click();
    const row = page.getByRole('row').filter({ hasText: 'team-a' });
    await row.getByText('3/3').waitFor();
    await row.getByText('1 ready').waitFor();
    await row.getByText('6', { exact: true }).waitFor();
    await page.getByRole('row').filter({ hasText: 'team-b' }).getByText('0/1').waitFor();

    await page.getByRole('textbox').fill('team-a');
    await page.getByText('1 of 2 shown').waitFor();
    await page.getByRole('link', { name: 'team-a' }).click();
    await page.getByRole('heading', { name: 'Project team-a' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'web' }).getByText('Ready', { exact: true }).waitFor();

    expect(await page.getByText('batch').count()).toBe(0);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('finds a machine for which the cloud has no host, and pauses the machine, with the keyboard alone', async () => {
    const page = await openByToken(test, token, 'operator/stuck');
    await page.getByRole('combobox', { name: 'For at least' }).selectOption({ label: 'any time' });
    const row = page.getByRole('row').filter({ hasText: 'Machine' }).filter({ hasText: 'FlavorOutOfStock' });
    await row.getByText('Cloud', { exact: true }).waitFor();
    const pause = row.getByRole('button', { name: /^Pause Machine team-b\/batch-pool-/ });
    const focus = async () => {
      for (let presses = 0; presses < 80; presses++) {
        await page.keyboard.press('Tab');
        if (await pause.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      }
      throw new Error('the button is not reached by Tab');
    };
    await focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^kubectl annotate machine batch-pool-\S+ -n team-b fairway\.dev\/paused=true/).waitFor();
    await screenshot(page, 'operator-pause');
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    expect(await pause.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await page.keyboard.press('Enter');
    await dialog.getByRole('button', { name: 'Pause', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^Resume Machine team-b\/batch-pool-/ }).waitFor();

    const { items } = await client.resource(machines).list({ namespace: 'team-b' });
    expect(items[0]?.metadata.annotations?.['fairway.dev/paused']).toBe('true');
    await page.getByRole('button', { name: /^Resume Machine team-b\/batch-pool-/ }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume', exact: true }).click();
    await pause.waitFor();
    expect(test.consoleErrors()).toEqual([]);
  });

  it.each([
    { name: 'light', options: {} },
    { name: 'dark', options: { colorScheme: 'dark' as const } },
    { name: 'phone', options: { viewport: PHONE } },
    { name: 'german', options: { locale: 'de-DE' } },
  ])('shows pages that pass axe and fit the window: $name', async ({ name, options }) => {
    const page = await openByToken(test, token, 'operator/projects', options);
    for (const { path, heading } of PAGES) {
      await page.goto(`${test.url}operator/${path}`);
      if (name === 'german') await page.locator('h1').waitFor();
      else await waitUntilSettled(page, heading);
      if (path === 'stuck') await page.getByRole('combobox').selectOption('0');
      if (path === 'clouds') await page.locator('figcaption').first().waitFor();
      if (name === 'light' || CHECKED_IN_ALL_THEMES.has(path)) {
        await screenshot(page, `operator-${path.replace('/', '-')}-${name}`);
      }

      const fitsViewport = await page.evaluate('document.documentElement.scrollWidth <= innerWidth');
      const problems = name === 'german' ? [] : await accessibilityProblems(page);
      expect({ path, fits: fitsViewport, problems }).toEqual({ path, fits: true, problems: [] });
    }
    expect(test.consoleErrors()).toEqual([]);
  });

  it('retries a halted rollout, and follows it to its end', async () => {
    const page = await openByToken(test, token, 'operator/releases');
    const release = page.getByRole('region', { name: `Kubernetes ${MINOR}` });
    await release.getByText('Halted', { exact: true }).waitFor();
    await release.getByText('team-a/web').waitFor();
    await release.getByRole('button', { name: `Retry the rollout of ${MINOR}` }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Retry', exact: true }).click();

    await release.getByText('Complete', { exact: true }).waitFor();
    await release.getByText('1 of 1 clusters updated').waitFor();
    expect(test.consoleErrors()).toEqual([]);
  });

  it('shows a cloud that returns 500, and its recovery', async () => {
    const page = await openByToken(test, token, 'operator/clouds');
    const shown = page.getByRole('region', { name: 'simulator', exact: true });
    await shown.getByText('Healthy', { exact: true }).waitFor();
    await cloud.arm({ service: 'compute', times: null, action: { kind: 'answer', status: 500 } });
    await shown.getByText('Failing', { exact: true }).waitFor();
    await page.getByText(/clusters? can’t reach/).waitFor();
    await screenshot(page, 'operator-clouds-failing');
    await cloud.disarm();

    await shown.getByText('Healthy', { exact: true }).waitFor();
    await page.getByText(/clusters? can’t reach/).waitFor({ state: 'detached' });
    expect(test.consoleErrors()).toEqual([]);
  });

  it('shows replicas and the clusters of each, from their Leases', async () => {
    const page = await openByToken(test, token, 'operator/replicas');
    await page.getByRole('heading', { name: 'A single replica manages everything' }).waitFor();
    const leases = client.resource({ ...coreType('leases', 'Lease'), group: 'coordination.k8s.io' });
    const lease = (name: string, role: string, holderIdentity: string, annotations: Record<string, string> = {}) => {
      const labels = { 'fairway.dev/shard-group': 'fairway', 'fairway.dev/shard-role': role };
      const time = new Date().toISOString().replace('Z', '000Z');
      const spec = { holderIdentity, leaseDurationSeconds: 8, acquireTime: time, renewTime: time };
      return leases.create({ metadata: { namespace: 'fairway-system', name, labels, annotations }, spec } as never);
    };
    const shards = Array.from({ length: 64 }, (_, shard) =>
      lease(`fairway-${shard}`, 'shard', shard % 2 === 0 ? 'north' : 'south', { 'fairway.dev/shard': String(shard) }),
    );
    await Promise.all(shards);
    await Promise.all(['north', 'south'].map((member) => lease(`fairway-member-${member}`, 'member', member)));

    for (const member of ['north', 'south']) {
      await page.getByRole('row').filter({ hasText: member }).getByText('32', { exact: true }).waitFor();
    }
    await screenshot(page, 'operator-replicas-two');
    expect(await accessibilityProblems(page)).toEqual([]);
    // Nothing renews these Leases: after they expire, their replicas count as dead and their shards as unowned.
    await page.getByText('No heartbeat').nth(1).waitFor();
    expect(test.consoleErrors()).toEqual([]);
  });

  it('hides all operator pages from tenants, at any address', async () => {
    const page = await test.openAs('demo');
    await page.locator('h1').waitFor();
    expect(await page.getByRole('link', { name: 'Replicas' }).count()).toBe(0);
    for (const { path } of PAGES) {
      await page.goto(`${test.url}operator/${path}`);
      await page.getByRole('heading', { name: 'You don’t have access to this page' }).waitFor();
      expect(await page.locator('#content').innerText()).not.toMatch(/web|batch|team-b|north/);
      expect(await page.getByRole('table').count()).toBe(0);
    }
    expect(test.consoleErrors()).toEqual([]);
  });
});
