import type { Tab } from '../pages/cluster/tab.ts';
import { PAGE_PATTERNS, type PagePattern } from './page-patterns.ts';

/** A documentation page, by its path in the repository, optionally with the anchor of a section. */
export type DocumentationPage = `docs/${string}.md` | `docs/${string}.md#${string}`;

const CONSOLE = 'docs/tenants/console.md';
/** The cluster's views have pages of their own. */
const VIEW_PATTERN = '/clusters/:namespace/:name/:tab';

/** The documentation for each page. */
export const PAGE_DOCUMENTATION: Readonly<Record<Exclude<PagePattern, typeof VIEW_PATTERN>, DocumentationPage>> = {
  '/': CONSOLE,
  '/clusters/new': 'docs/tenants/console.md#creating-a-cluster',
  '/clusters/:namespace/:name': 'docs/tenants/console.md#a-cluster',
  '/clusters/:namespace/:name/add-pool': 'docs/tenants/node-pools.md',
  '/clusters/:namespace/:name/pools/:pool': 'docs/tenants/node-pools.md',
  '/machines': 'docs/tenants/healing.md',
  '/credentials': 'docs/operators/tenants.md#application-credentials',
  '/activity': 'docs/tenants/audit.md',
  '/operator/projects': 'docs/operators/console.md#pages-for-operators',
  '/operator/projects/:namespace': 'docs/operators/tenants.md',
  '/operator/projects/:namespace/activity': 'docs/operators/audit.md',
  '/operator/stuck': 'docs/operators/causes.md',
  '/operator/clouds': 'docs/operators/openstack.md',
  '/operator/capacity': 'docs/operators/quotas.md',
  '/operator/credentials': 'docs/operators/tenants.md#when-a-credential-stops-working',
  '/operator/releases': 'docs/operators/rollouts.md',
  '/operator/plans': 'docs/operators/plans.md',
  '/operator/replicas': 'docs/operators/replicas.md',
  '/operator/orphans': 'docs/operators/orphans.md',
};

/** The documentation for each view of a cluster. */
export const VIEW_DOCUMENTATION: Readonly<Record<Tab, DocumentationPage>> = {
  overview: PAGE_DOCUMENTATION['/clusters/:namespace/:name'],
  access: 'docs/tenants/credentials.md',
  cloud: 'docs/tenants/load-balancers.md',
  addons: 'docs/tenants/addons.md',
  version: 'docs/tenants/upgrades.md',
  schedule: 'docs/tenants/hibernation.md',
  events: 'docs/tenants/progress.md',
  activity: 'docs/tenants/audit.md#within-a-cluster',
  yaml: 'docs/reference/cluster.md',
};

export const SIGN_IN_DOCUMENTATION: DocumentationPage = 'docs/tenants/signing-in.md';

/** The documentation for the page at this address, below /console. */
export function documentationOf(location: string): DocumentationPage {
  const parts = location.split('/');
  const pattern = PAGE_PATTERNS.find((each) => isAt(each.split('/'), parts));
  if (pattern === undefined) return CONSOLE;
  if (pattern !== VIEW_PATTERN) return PAGE_DOCUMENTATION[pattern];
  const view = parts.at(-1) ?? '';
  return isView(view) ? VIEW_DOCUMENTATION[view] : VIEW_DOCUMENTATION.overview;
}

/** The URL of a page. `template` is the operator's setting; `{page}` stands for the path without `.md`. */
export function documentationUrl(template: string, page: DocumentationPage): string {
  const [path = '', anchor] = page.split('#');
  const url = template.replace('{page}', path.replace(/\.md$/, ''));
  return anchor === undefined ? url : `${url}#${anchor}`;
}

function isAt(pattern: readonly string[], parts: readonly string[]): boolean {
  return pattern.length === parts.length && pattern.every((part, i) => part.startsWith(':') || part === parts[i]);
}

function isView(name: string): name is Tab {
  return Object.hasOwn(VIEW_DOCUMENTATION, name);
}
