import type { Page } from 'playwright-core';
import type { PagePattern } from '../../packages/console/src/app/page-patterns.ts';
import { TABS } from '../../packages/console/src/pages/cluster/tab.ts';

export interface Place {
  readonly namespace: string;
  readonly cluster: string;
  readonly pool: string;
}

/** A state to check: a page when first shown, or after something has been opened on it. */
export interface Visit {
  readonly path: (place: Place) => string;
  readonly by?: 'tenant' | 'operator';
  /** It needs objects. */
  readonly open?: (page: Page) => Promise<unknown>;
  /** The file, below `pages`, whose question is opened. */
  readonly asks?: string;
}

const clusterPath = ({ namespace, cluster }: Place) => `clusters/${namespace}/${cluster}`;
const poolPath = (place: Place) => `${clusterPath(place)}/pools/${place.pool}`;
const ofCluster =
  (rest: string): Visit['path'] =>
  (place) =>
    `${clusterPath(place)}/${rest}`;
const press = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click();
const ask = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
  await page.getByRole('dialog').waitFor();
};
const action = (name: string) => async (page: Page) => {
  await press('Actions')(page);
  await page.getByRole('menuitem', { name }).click();
  await page.getByRole('dialog').waitFor();
};
const menu = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).click();
  await page.getByRole('menu').or(page.getByRole('listbox')).first().waitFor();
};
const operator = (path: string): readonly Visit[] => [{ path: () => `operator/${path}`, by: 'operator' }];
const asked = (path: string, asks: string, open: NonNullable<Visit['open']>): Visit => ({
  path: () => `operator/${path}`,
  by: 'operator',
  asks,
  open,
});

/** All pages: a new page without a line here is a type error. Every file that asks a question has a visit that opens it. */
export const VISITS: Readonly<Record<PagePattern, readonly Visit[]>> = {
  '/': [
    { path: () => '' },
    { path: () => '', open: menu('Appearance and language') },
    { path: () => '', open: menu(/^Signed in as/) },
    { path: () => '', open: menu(/^Project:/) },
  ],
  '/clusters/new': [
    { path: () => 'clusters/new' },
    {
      path: () => 'clusters/new',
      open: async (page) => {
        await page.locator('#name').fill('a'.repeat(63));
        await press('As YAML')(page);
        await page.getByRole('button', { name: 'API access, pod network, maintenance window' }).click();
        await press('Add pool')(page);
      },
    },
  ],
  '/clusters/:namespace/:name': [
    { path: clusterPath },
    { path: clusterPath, asks: 'cluster/cluster-actions.tsx', open: action('Delete…') },
    { path: clusterPath, asks: 'cluster/cluster-actions.tsx', open: action('Hibernate…') },
    { path: clusterPath, open: (page) => page.locator('button.fw-node').first().click() },
  ],
  '/clusters/:namespace/:name/add-pool': [
    { path: ofCluster('add-pool') },
    { path: ofCluster('add-pool'), open: press('As YAML') },
  ],
  '/clusters/:namespace/:name/pools/:pool': [
    { path: poolPath },
    { path: poolPath, open: press('More: Nodes') },
    { path: poolPath, asks: 'pool/edit-pool.tsx', open: ask('Delete pool…') },
    {
      path: poolPath,
      asks: 'pool/edit-pool.tsx',
      open: async (page) => {
        await page.locator('#pool-nodes').fill('0');
        await ask('Save')(page);
      },
    },
  ],
  '/clusters/:namespace/:name/:tab': [
    ...TABS.slice(1).map((tab) => ({ path: ofCluster(tab) })),
    { path: ofCluster('yaml'), open: press('Edit') },
    { path: ofCluster('access'), asks: 'cluster/credentials-panels.tsx', open: ask('Revoke all kubeconfigs…') },
    { path: ofCluster('addons'), asks: 'cluster/addons-tab.tsx', open: ask('Let Fairway take over…') },
    { path: ofCluster('schedule'), asks: 'cluster/hibernation-panel.tsx', open: ask('Hibernate now…') },
    { path: ofCluster('schedule'), open: press('Add a schedule') },
  ],
  '/machines': [{ path: () => 'machines' }],
  '/credentials': [
    { path: () => 'credentials' },
    { path: () => 'credentials', asks: 'credentials/page.tsx', open: ask(/^Delete first/) },
    { path: () => 'credentials', open: press('Create another…') },
  ],
  '/activity': [{ path: () => 'activity' }],
  '/operator/projects': operator('projects'),
  '/operator/projects/:namespace': [{ path: ({ namespace }) => `operator/projects/${namespace}`, by: 'operator' }],
  '/operator/projects/:namespace/activity': [
    { path: ({ namespace }) => `operator/projects/${namespace}/activity`, by: 'operator' },
  ],
  '/operator/stuck': [
    ...operator('stuck'),
    asked('stuck', 'operator-stuck/page.tsx', async (page) => {
      await page.locator('select').first().selectOption('0');
      await ask(/^Pause /)(page);
    }),
  ],
  '/operator/clouds': operator('clouds'),
  '/operator/capacity': operator('capacity'),
  '/operator/credentials': operator('credentials'),
  '/operator/releases': [
    ...operator('releases'),
    asked('releases', 'operator-releases/page.tsx', ask(/^Retry the rollout/)),
  ],
  '/operator/plans': operator('plans'),
  '/operator/replicas': operator('replicas'),
  '/operator/orphans': [...operator('orphans'), asked('orphans', 'operator-orphans/page.tsx', ask(/^Check now/))],
};
