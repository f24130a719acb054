import { type ApiRequest, ok, type Route, type Service } from '../http/api.ts';
import { SERVICE_LIST } from '../service-list.ts';
import type { World } from '../world.ts';
import { accessRuleRoutes } from './access-routes.ts';
import { exportLocationRoutes } from './export-locations.ts';
import { shareMessageRoutes } from './message-routes.ts';
import { MAX_SHARE_MICROVERSION, negotiateShareMicroversion, shareMicroversionHeaders } from './microversion.ts';
import { renderShareProblem, requireAdmin, requireReaderRole } from './problem.ts';
import { shareQuotaRoutes } from './quota-routes.ts';
import { renamedRoute, shareRoute, shareTime } from './route.ts';
import { shareActionRoutes } from './share-actions.ts';
import { BACKEND, type ShareLifecycle } from './share-lifecycle.ts';
import { shareRoutes } from './share-routes.ts';
import { shareSnapshotRoutes } from './snapshot-routes.ts';
import { shareTypeRoutes } from './type-routes.ts';

/** Manila with back ends that do not use share servers. */
export function sharedFileSystemService(world: World, lifecycle: ShareLifecycle): Service {
  return {
    name: 'shared-file-system',
    prefix: SERVICE_LIST['shared-file-system'].prefix,
    routes: [
      ...versionRoutes(),
      ...shareRoutes(world, lifecycle),
      ...shareActionRoutes(world, lifecycle),
      ...exportLocationRoutes(world),
      ...accessRuleRoutes(world),
      ...shareSnapshotRoutes(world, lifecycle),
      ...shareTypeRoutes(world),
      ...shareQuotaRoutes(world),
      ...shareMessageRoutes(world),
      ...backendRoutes(world),
      shareRoute('GET', '/extensions', () => ok({ extensions: [] })),
    ],
    renderProblem: renderShareProblem,
    negotiate: negotiateShareMicroversion,
    responseHeaders: shareMicroversionHeaders,
  };
}

function versionRoutes(): Route[] {
  const versions = ({ serviceUrl }: ApiRequest): object => ({
    versions: [
      {
        id: 'v2.0',
        status: 'CURRENT',
        version: `2.${MAX_SHARE_MICROVERSION}`,
        min_version: '2.0',
        updated: '2015-08-27T11:33:21Z',
        links: [
          { rel: 'describedby', type: 'text/html', href: 'http://docs.openstack.org/' },
          { rel: 'self', href: `${serviceUrl}/v2/` },
        ],
        'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.share+json;version=1' }],
      },
    ],
  });
  return [
    { method: 'GET', template: '/', open: true, handle: (request) => ({ status: 300, body: versions(request) }) },
    { method: 'GET', template: '/v2', handle: (request) => ok(versions(request)) },
  ];
}

/** Availability zones and, for administrators, their services and pools: one back end in each of the servers' zones. */
function backendRoutes(world: World): Route[] {
  const { config, clock } = world;
  return [
    ...renamedRoute('GET', ['/os-availability-zone', '/availability-zones'], ({ access }) => {
      requireReaderRole(access);
      return ok({
        availability_zones: config.zones.map(({ name }) => ({
          id: name,
          name,
          created_at: shareTime(0),
          updated_at: null,
        })),
      });
    }),
    ...renamedRoute('GET', ['/os-services', '/services'], ({ access, query }) => {
      requireAdmin(access);
      const updated_at = shareTime(clock.now());
      const services = [
        { binary: 'manila-scheduler', host: 'scheduler', zone: config.zones[0]?.name ?? '' },
        ...config.zones.map(({ name }) => ({ binary: 'manila-share', host: `${name}@${BACKEND}`, zone: name })),
      ].map((service, i) => ({ id: i + 1, ...service, status: 'enabled', state: 'up', updated_at }));
      const filters = ['binary', 'host', 'zone', 'status', 'state'] as const;
      const matchesQuery = (service: (typeof services)[number]): boolean =>
        filters.every((name) => !query.has(name) || service[name] === query.get(name));
      return ok({ services: services.filter(matchesQuery) });
    }),
    shareRoute('GET', '/scheduler-stats/pools', ({ access }) => {
      requireAdmin(access);
      const pools = config.zones.map(({ name }) => ({
        name: `${name}@${BACKEND}#${BACKEND}`,
        host: name,
        backend: BACKEND,
        pool: BACKEND,
      }));
      return ok({ pools });
    }),
  ];
}
