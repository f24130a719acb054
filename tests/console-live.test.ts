import { API_VERSION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessibilityProblems } from './console/accessibility.ts';
import { hasBrowser, PHONE } from './console/browser.ts';
import { type ConsoleTest, screenshot, startConsoleTest } from './console/console-test.ts';
import { openByToken, operatorToken } from './console/operator-console.ts';
import { clientOf } from './session/client-of.ts';

describe.skipIf(!hasBrowser)('the console while objects change', () => {
  let test: ConsoleTest;
  let operator: KubeClient;
  let namespace: string;
  beforeAll(async () => {
    test = await startConsoleTest();
    operator = await clientOf(test.fairway.kubeconfig);
    const page = await test.openAs('demo');
    const sessionQuery = `fetch('/console/session', { headers: { 'x-fairway-console': '1' } }).then((answer) => answer.json())`;
    namespace = (await page.evaluate<{ session: { namespace: string } }>(sessionQuery)).session.namespace;
    await page.context().close();
  });
  afterAll(async () => {
    operator.close();
    await test.close();
  });

  async function createCluster(name: string, replicas: number): Promise<void> {
    const create = async (kind: string, plural: string, object: object) => {
      const body = JSON.stringify({ apiVersion: API_VERSION, kind, ...object });
      const path = `/apis/${API_VERSION}/namespaces/${namespace}/${plural}`;
      await operator.raw({ method: 'POST', path, headers: { 'content-type': 'application/json' }, body });
    };
    await create('Cluster', clusters.plural, { metadata: { name }, spec: { plan: 'free' } });
    const spec = { clusterName: name, flavor: 'b3-8', replicas };
    await create('NodePool', nodePools.plural, { metadata: { name: `${name}-pool` }, spec });
  }

  it('shows what other users create, change and delete, without a reload', async () => {
    const page = await test.openAs('demo');
    await page.getByRole('heading', { name: 'No clusters yet' }).waitFor();
    await screenshot(page, 'clusters-empty');
    await createCluster('web', 2);

    const row = page.getByRole('row').filter({ hasText: 'web' });
    await row.waitFor();
    await row.getByText('2/2').waitFor();
    await row.getByText('Ready', { exact: true }).waitFor();
    await operator
      .resource(nodePools)
      .patch('web-pool', { type: 'merge', value: { spec: { replicas: 3 } } }, { namespace });
    await row.getByText('3/3').waitFor();

    expect(test.consoleErrors()).toEqual([]);
  });

  it.each([
    { name: 'light', options: {} },
    { name: 'dark', options: { colorScheme: 'dark' as const } },
    { name: 'phone', options: { viewport: PHONE } },
  ])('has lists that pass axe: $name', async ({ name, options }) => {
    const page = await test.openAs('demo', '', options);
    await page.getByText('web', { exact: true }).waitFor();
    await screenshot(page, `clusters-${name}`);
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.goto(`${test.url}machines`);
    await page.getByText('web-pool', { exact: true }).first().waitFor();
    await screenshot(page, `machines-${name}`);

    expect(await accessibilityProblems(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('searches for all words, and reports when no object matches', async () => {
    const page = await test.openAs('demo', 'machines');
    await page.getByRole('button', { name: /^All 3/ }).waitFor();
    await page.getByRole('textbox').fill('b3-8 web');
    await page.getByText('3 of 3 shown').waitFor();
    await page.getByRole('textbox').fill('b3-8 nowhere');
    await page.getByRole('heading', { name: 'No matches' }).waitFor();
    await page.getByRole('button', { name: 'Show all' }).click();

    await page.getByText('web-pool', { exact: true }).first().waitFor();
    expect(await page.getByRole('textbox').inputValue()).toBe('');
  });

  it('shows an operator the clusters of all projects, with a token', async () => {
    const page = await openByToken(test, await operatorToken(operator), '');
    await page.getByRole('row').filter({ hasText: 'web' }).getByText(namespace).waitFor();

    expect(await page.getByText('All projects').isVisible()).toBe(true);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(test.consoleErrors()).toEqual([]);
  });

  it('reports that the server is down, continues when it is back, and keeps everyone signed in', async () => {
    const page = await test.openAs('demo');
    await page.getByText('web', { exact: true }).waitFor();
    await test.kill();
    await page.getByText('The server is not responding.').waitFor();
    await screenshot(page, 'server-away');
    // The previous data is still there.
    await page.getByText('web', { exact: true }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await test.restart();
    await page.getByText('The server is responding again.').waitFor();
    await createCluster('later', 1);

    await page.getByText('later', { exact: true }).waitFor();
    // A new page finds the session too, because it is only in the cookie.
    await page.reload();
    await page.getByText('later', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Signed in as demo' }).isVisible()).toBe(true);
  });
});
