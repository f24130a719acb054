import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { aPlan } from '@fairway/api/testing/objects';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { hasBrowser } from './console/browser.ts';
import { type ConsoleTest, startConsoleTest } from './console/console-test.ts';
import { createCluster, waitForPhase } from './console/operator-console.ts';
import { clientOf } from './session/client-of.ts';

const NAME = 'shop';
const POOL = `${NAME}-pool`;

describe.skipIf(!hasBrowser)('input in a console form', () => {
  let test: ConsoleTest;
  let client: KubeClient;
  let namespace: string;

  beforeAll(async () => {
    test = await startConsoleTest();
    client = await clientOf(test.fairway.kubeconfig);
    const page = await test.openAs('demo');
    const sessionQuery = `fetch('/console/session', { headers: { 'x-fairway-console': '1' } }).then((answer) => answer.json())`;
    ({ namespace } = (await page.evaluate<{ session: { namespace: string } }>(sessionQuery)).session);
    await createCluster(client, { namespace, name: NAME, replicas: 2 });
    await waitForPhase(client, { namespace, name: NAME }, 'Ready');
  });
  beforeEach(() => void test.consoleErrors());
  afterEach(() => test?.leave());
  afterAll(async () => {
    client?.close();
    await test?.close();
  });

  const poolPath = () => `clusters/${namespace}/${NAME}/pools/${POOL}`;
  const nodes = (page: Page) => page.locator('#pool-nodes');
  const replicas = async () => (await client.resource(nodePools).get(POOL, { namespace })).spec.replicas;

  it('is kept when the session ends, and is saved after signing in again', async () => {
    const page = await test.openAs('demo', poolPath());
    await nodes(page).fill('4');
    // A request of an earlier input could end the session while the next one is typed.
    const typed = Promise.withResolvers<void>();
    await page.route('**/*', async (route) => {
      await typed.promise;
      await route.continue();
    });
    await page.context().clearCookies();
    // The console validates the input, and detects that the session has expired.
    await nodes(page).fill('3');
    typed.resolve();
    await page.getByText('Your session has ended.').waitFor();
    await page.locator('#password').fill(test.password);
    await page.keyboard.press('Enter');
    await nodes(page).waitFor();

    expect(await nodes(page).inputValue()).toBe('3');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: NAME, exact: true }).waitFor();
    expect(await replicas()).toBe(3);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('does not overwrite a change from another tab without confirmation', async () => {
    const page = await test.openAs('demo', poolPath());
    const other = await page.context().newPage();
    await other.goto(`${test.url}${poolPath()}`);
    await nodes(page).fill('5');
    await nodes(other).fill('6');
    await other.getByRole('button', { name: 'Save' }).click();
    await other.getByRole('heading', { name: NAME, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('spec.replicas is now: 6').waitFor();

    expect(await replicas()).toBe(6);
    expect(await nodes(page).inputValue()).toBe('5');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: NAME, exact: true }).waitFor();
    expect(await replicas()).toBe(5);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('is restored by going back and forward unless it was cancelled', async () => {
    const page = await test.openAs('demo', 'clusters/new');
    await page.locator('#name').fill('half-written');
    await page.getByRole('link', { name: 'Machines' }).click();
    await page.getByRole('heading', { name: 'Machines' }).waitFor();
    await page.goBack();
    expect(await page.locator('#name').inputValue()).toBe('half-written');
    await page.getByRole('link', { name: 'Cancel' }).click();
    await page.getByRole('link', { name: 'Create a cluster' }).click();

    expect(await page.locator('#name').inputValue()).toBe('');
    expect(test.consoleErrors()).toEqual([]);
  });

  it('is submitted once on a double click, and by Enter', async () => {
    const page = await test.openAs('demo', `clusters/${namespace}/${NAME}/add-pool`);
    const added: string[] = [];
    page.on('request', (request) => {
      const isCreation = request.method() === 'POST' && /\/nodepools\?(?!.*dryRun)/.test(request.url());
      if (isCreation) added.push(request.url());
    });
    await page.locator('#pool-name').fill('twice');
    await page.getByRole('button', { name: 'Add pool' }).dblclick();
    await page.getByRole('heading', { name: NAME, exact: true }).waitFor();
    await page
      .getByRole('link', { name: /Scale or edit twice|twice/ })
      .first()
      .waitFor();

    expect(added).toHaveLength(1);
    expect((await client.resource(clusters).list({ namespace })).items).toHaveLength(1);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('offers what the plan allows, with the reasons of its limits', async () => {
    const limitNotes = [
      {
        limit: 'kubernetes',
        value: '',
        enforcement: 'Refuse',
        reason: 'newer versions are not certified yet',
        link: 'https://example.org/limits',
      },
      { limit: 'allowed.features', value: 'Autoscaling', enforcement: 'Refuse', alternative: 'resize by hand' },
    ] as const;
    const features = ['OIDC', 'Reset'] as const;
    const spec = { displayName: 'Limited', kubernetes: { newest: '1.35' }, allowed: { features: [...features] } };
    await client.resource(plans).create(aPlan({ ...spec, limitNotes: [...limitNotes] }, { name: 'limited' }));
    const page = await test.openAs('demo', 'clusters/new');
    await page.getByRole('radio', { name: 'Limited' }).check();
    const panel = page.getByRole('region', { name: 'Limits of this plan' });
    await panel.waitFor();

    expect(await panel.innerText()).toContain('Kubernetes up to 1.35 Newer versions are not certified yet.');
    expect(await panel.innerText()).toContain('No autoscaling of node pools Resize by hand.');
    const link = panel.getByRole('link', { name: 'More about this limit' });
    expect(await link.getAttribute('href')).toBe('https://example.org/limits');
    expect(await link.getAttribute('rel')).toBe('noreferrer');
    expect(await page.getByRole('radio', { name: /^Kubernetes 1\.36/ }).isDisabled()).toBe(true);
    expect(await page.getByRole('radio', { name: /^Kubernetes 1\.35/ }).isChecked()).toBe(true);
    expect(await page.getByRole('switch', { name: 'Autoscaling' }).isDisabled()).toBe(true);
    expect(test.consoleErrors()).toEqual([]);
  });
});
