import { type ApiRequest, ok, type Route, type Service } from '../http/api.ts';
import { SERVICE_LIST } from '../service-list.ts';
import type { World } from '../world.ts';
import { attachmentRoutes } from './attachment-routes.ts';
import { MAX_VOLUME_MICROVERSION, negotiateVolumeMicroversion, volumeMicroversionHeaders } from './microversion.ts';
import { renderVolumeProblem, requireAdmin } from './problem.ts';
import { volumeQuotaRoutes } from './quota-routes.ts';
import { snapshotRoutes } from './snapshot-routes.ts';
import { volumeTypeRoutes } from './type-routes.ts';
import { volumeActionRoutes } from './volume-actions.ts';
import type { VolumeLifecycle } from './volume-lifecycle.ts';
import { volumeRoute } from './volume-route.ts';
import { volumeRoutes } from './volume-routes.ts';
import { volumeTime } from './volume-view.ts';

export function blockStorageService(world: World, lifecycle: VolumeLifecycle): Service {
  return {
    name: 'block-storage',
    prefix: SERVICE_LIST['block-storage'].prefix,
    routes: [
      ...versionRoutes(),
      ...volumeRoutes(world, lifecycle),
      ...volumeActionRoutes(world, lifecycle),
      ...snapshotRoutes(world, lifecycle),
      ...attachmentRoutes(world),
      ...volumeTypeRoutes(world),
      ...volumeQuotaRoutes(world),
      ...zoneRoutes(world),
      ...volumeRoute('GET', '/extensions', () => ok({ extensions: [] })),
    ],
    renderProblem: renderVolumeProblem,
    negotiate: negotiateVolumeMicroversion,
    responseHeaders: volumeMicroversionHeaders,
  };
}

function versionRoutes(): Route[] {
  const versions = ({ serviceUrl }: ApiRequest): object => ({
    versions: [
      {
        id: 'v3.0',
        status: 'CURRENT',
        version: `3.${MAX_VOLUME_MICROVERSION}`,
        min_version: '3.0',
        updated: '2022-08-31T00:00:00Z',
        links: [
          { rel: 'describedby', type: 'text/html', href: 'https://docs.openstack.org/' },
          { rel: 'self', href: `${serviceUrl}/v3/` },
        ],
        'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.volume+json;version=3' }],
      },
    ],
  });
  return [
    { method: 'GET', template: '/', open: true, handle: (request) => ({ status: 300, body: versions(request) }) },
    { method: 'GET', template: '/v3', open: true, handle: (request) => ok(versions(request)) },
  ];
}

/** Availability zones and, for administrators, their services: one back end in each of the servers' zones. */
function zoneRoutes(world: World): Route[] {
  return [
    ...volumeRoute('GET', '/os-availability-zone', () =>
      ok({
        availabilityZoneInfo: world.config.zones.map(({ name }) => ({
          zoneName: name,
          zoneState: { available: true },
        })),
      }),
    ),
    ...volumeRoute('GET', '/os-services', ({ access, query }) => {
      requireAdmin(access, 'volume_extension:services:index');
      const all = world.config.zones.flatMap(({ name }) => [
        { binary: 'cinder-scheduler', host: name, zone: name },
        { binary: 'cinder-volume', host: `${name}@simulator`, zone: name },
      ]);
      const [binary, host] = [query.get('binary'), query.get('host')];
      const services = all
        .filter((one) => (binary ?? one.binary) === one.binary && (host ?? one.host) === one.host)
        .map((one) => ({
          ...one,
          status: 'enabled',
          state: 'up',
          updated_at: volumeTime(world.clock.now()),
          disabled_reason: null,
        }));
      return ok({ services });
    }),
  ];
}
