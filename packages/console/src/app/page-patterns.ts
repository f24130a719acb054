/** Paths of all pages, below /console; `:name` is a parameter. */
export const PAGE_PATTERNS = [
  '/',
  '/clusters/new',
  '/clusters/:namespace/:name',
  '/clusters/:namespace/:name/add-pool',
  '/clusters/:namespace/:name/pools/:pool',
  '/clusters/:namespace/:name/:tab',
  '/machines',
  '/credentials',
  '/activity',
  '/operator/projects',
  '/operator/projects/:namespace',
  '/operator/projects/:namespace/activity',
  '/operator/stuck',
  '/operator/clouds',
  '/operator/capacity',
  '/operator/credentials',
  '/operator/releases',
  '/operator/plans',
  '/operator/replicas',
  '/operator/orphans',
] as const;
export type PagePattern = (typeof PAGE_PATTERNS)[number];
