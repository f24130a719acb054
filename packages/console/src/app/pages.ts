import type { ComponentType } from 'react';
import type { KeyOf } from '../text/texts.ts';
import { OPERATOR_PAGES } from './operator-pages.ts';
import type { PagePattern } from './page-patterns.ts';
import type { shellTexts } from './shell/texts.ts';

/** A page, loaded when it is first opened. `:name` in its path becomes a parameter. */
export interface PageEntry {
  readonly path: PagePattern;
  readonly load: () => Promise<{ readonly Page: ComponentType<PageProps> }>;
  /** The page's entry in the navigation, if it has one. */
  readonly nav?: { readonly text: KeyOf<typeof shellTexts>; readonly section: 'project' | 'operator' };
}

export interface PageProps {
  readonly params: Readonly<Record<string, string | undefined>>;
}

/** All pages; the first one that matches a path is displayed. */
export const PAGES: readonly PageEntry[] = [
  { path: '/', load: () => import('../pages/clusters/page.tsx'), nav: { text: 'nav.clusters', section: 'project' } },
  { path: '/clusters/new', load: () => import('../pages/new-cluster/page.tsx') },
  { path: '/clusters/:namespace/:name', load: () => import('../pages/cluster/page.tsx') },
  { path: '/clusters/:namespace/:name/add-pool', load: () => import('../pages/pool/page.tsx') },
  { path: '/clusters/:namespace/:name/pools/:pool', load: () => import('../pages/pool/page.tsx') },
  { path: '/clusters/:namespace/:name/:tab', load: () => import('../pages/cluster/page.tsx') },
  {
    path: '/machines',
    load: () => import('../pages/machines/page.tsx'),
    nav: { text: 'nav.machines', section: 'project' },
  },
  {
    path: '/credentials',
    load: () => import('../pages/credentials/page.tsx'),
    nav: { text: 'nav.ownCredentials', section: 'project' },
  },
  {
    path: '/activity',
    load: () => import('../pages/activity/page.tsx'),
    nav: { text: 'nav.activity', section: 'project' },
  },
  ...OPERATOR_PAGES,
];
