/** Pages for operators; the navigation lists all of them or none. */
export const OPERATOR_PAGES = [
  {
    path: '/operator/projects',
    load: () => import('../pages/operator-projects/page.tsx'),
    nav: { text: 'nav.projects', section: 'operator' },
  },
  { path: '/operator/projects/:namespace', load: () => import('../pages/operator-project/page.tsx') },
  { path: '/operator/projects/:namespace/activity', load: () => import('../pages/activity/page.tsx') },
  {
    path: '/operator/stuck',
    load: () => import('../pages/operator-stuck/page.tsx'),
    nav: { text: 'nav.stuck', section: 'operator' },
  },
  {
    path: '/operator/clouds',
    load: () => import('../pages/operator-clouds/page.tsx'),
    nav: { text: 'nav.clouds', section: 'operator' },
  },
  {
    path: '/operator/capacity',
    load: () => import('../pages/operator-capacity/page.tsx'),
    nav: { text: 'nav.capacity', section: 'operator' },
  },
  {
    path: '/operator/credentials',
    load: () => import('../pages/operator-credentials/page.tsx'),
    nav: { text: 'nav.credentials', section: 'operator' },
  },
  {
    path: '/operator/releases',
    load: () => import('../pages/operator-releases/page.tsx'),
    nav: { text: 'nav.releases', section: 'operator' },
  },
  {
    path: '/operator/plans',
    load: () => import('../pages/operator-plans/page.tsx'),
    nav: { text: 'nav.plans', section: 'operator' },
  },
  {
    path: '/operator/replicas',
    load: () => import('../pages/operator-replicas/page.tsx'),
    nav: { text: 'nav.replicas', section: 'operator' },
  },
  {
    path: '/operator/orphans',
    load: () => import('../pages/operator-orphans/page.tsx'),
    nav: { text: 'nav.orphans', section: 'operator' },
  },
] as const;
