import type { Page } from 'playwright-core';
import type { PagePattern } from '../../packages/console/src/app/page-patterns.ts';
import { TABS } from '../../packages/console/src/pages/cluster/tab.ts';

export interface VisitContext {
  readonly namespace: string;
  readonly cluster: string;
  readonly pool: string;
}

/** A state to check: a page when first shown, or after something has been opened on it. */
export interface Visit {
  readonly path: (place: VisitContext) => string;
  readonly by?: 'tenant' | 'operator';
  /** Whether the visit needs objects. */
  readonly open?: (page: Page) => Promise<unknown>;
  /** The file below `pages` whose confirmation dialog is opened. */
  readonly dialogFile?: string;
}

const clusterPath = ({ namespace, cluster }: VisitContext) => `clusters/${namespace}/${cluster}`;
const poolPath = (place: VisitContext) => `${clusterPath(place)}/pools/${place.pool}`;
const clusterSubpath =
  (rest: string): Visit['path'] =>
  (place) =>
    `${clusterPath(place)}/${rest}`;
const click = (name: string) => (page: Page) => page.getByRole('button', { name, exact: true }).first().click();
const clickButton = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
  await page.getByRole('dialog').waitFor();
};
const action = (name: string) => async (page: Page) => {
  await click('Actions')(page);
  await page.getByRole('menuitem', { name }).click();
  await page.getByRole('dialog').waitFor();
};
const menu = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).click();
  await page.getByRole('menu').or(page.getByRole('listbox')).first().waitFor();
};
const operator = (path: string): readonly Visit[] => [{ path: () => `operator/${path}`, by: 'operator' }];
const dialogVisit = (path: string, dialogFile: string, open: NonNullable<Visit['open']>): Visit => ({
  path: () => `operator/${path}`,
  by: 'operator',
  dialogFile,
  open,
});

/**
 * All pages: a new page without a line here is a type error. Every file with a confirmation dialog has a visit that
 * opens it.
 */
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
        await click('As YAML')(page);
        await page.getByRole('button', { name: 'API access, pod network, maintenance window' }).click();
        await click('Add pool')(page);
      },
    },
  ],
  '/clusters/:namespace/:name': [
    { path: clusterPath },
    { path: clusterPath, dialogFile: 'cluster/cluster-actions.tsx', open: action('Delete…') },
    { path: clusterPath, dialogFile: 'cluster/cluster-actions.tsx', open: action('Hibernate…') },
    { path: clusterPath, open: (page) => page.locator('button.fw-node').first().click() },
  ],
  '/clusters/:namespace/:name/add-pool': [
    { path: clusterSubpath('add-pool') },
    { path: clusterSubpath('add-pool'), open: click('As YAML') },
  ],
  '/clusters/:namespace/:name/pools/:pool': [
    { path: poolPath },
    { path: poolPath, open: click('More: Nodes') },
    { path: poolPath, dialogFile: 'pool/edit-pool.tsx', open: clickButton('Delete pool…') },
    {
      path: poolPath,
      dialogFile: 'pool/edit-pool.tsx',
      open: async (page) => {
        await page.locator('#pool-nodes').fill('0');
        await clickButton('Save')(page);
      },
    },
  ],
  '/clusters/:namespace/:name/:tab': [
    ...TABS.slice(1).map((tab) => ({ path: clusterSubpath(tab) })),
    { path: clusterSubpath('yaml'), open: click('Edit') },
    {
      path: clusterSubpath('access'),
      dialogFile: 'cluster/credentials-panels.tsx',
      open: clickButton('Revoke all kubeconfigs…'),
    },
    {
      path: clusterSubpath('addons'),
      dialogFile: 'cluster/addons-tab.tsx',
      open: clickButton('Let Fairway take over…'),
    },
    {
      path: clusterSubpath('schedule'),
      dialogFile: 'cluster/hibernation-panel.tsx',
      open: clickButton('Hibernate now…'),
    },
    { path: clusterSubpath('schedule'), open: click('Add a schedule') },
  ],
  '/machines': [{ path: () => 'machines' }],
  '/credentials': [
    { path: () => 'credentials' },
    { path: () => 'credentials', dialogFile: 'credentials/page.tsx', open: clickButton(/^Delete first/) },
    { path: () => 'credentials', open: click('Create another…') },
  ],
  '/activity': [{ path: () => 'activity' }],
  '/operator/projects': operator('projects'),
  '/operator/projects/:namespace': [{ path: ({ namespace }) => `operator/projects/${namespace}`, by: 'operator' }],
  '/operator/projects/:namespace/activity': [
    { path: ({ namespace }) => `operator/projects/${namespace}/activity`, by: 'operator' },
  ],
  '/operator/stuck': [
    ...operator('stuck'),
    dialogVisit('stuck', 'operator-stuck/page.tsx', async (page) => {
      await page.locator('select').first().selectOption('0');
      await clickButton(/^Pause /)(page);
    }),
  ],
  '/operator/clouds': operator('clouds'),
  '/operator/capacity': operator('capacity'),
  '/operator/credentials': operator('credentials'),
  '/operator/releases': [
    ...operator('releases'),
    dialogVisit('releases', 'operator-releases/page.tsx', clickButton(/^Retry the rollout/)),
  ],
  '/operator/plans': operator('plans'),
  '/operator/replicas': operator('replicas'),
  '/operator/orphans': [
    ...operator('orphans'),
    dialogVisit('orphans', 'operator-orphans/page.tsx', clickButton(/^Check now/)),
  ],
};
