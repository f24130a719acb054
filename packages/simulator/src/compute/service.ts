import { type ApiRequest, ok, type Route, type Service } from '../http/api.ts';
import { SERVICE_LIST } from '../service-list.ts';
import type { World } from '../world.ts';
import { flavorRoutes } from './flavor-routes.ts';
import { serverGroupRoutes } from './group-routes.ts';
import { hostRoutes } from './host-routes.ts';
import { keyPairRoutes } from './keypair-routes.ts';
import { MAX_MICROVERSION, microversionHeaders, negotiateMicroversion } from './microversion.ts';
import { renderComputeProblem } from './problem.ts';
import { computeQuotaRoutes } from './quota-routes.ts';
import { serverActionRoutes } from './server-actions.ts';
import { serverInterfaceRoutes } from './server-interfaces.ts';
import { serverLabelRoutes } from './server-labels.ts';
import type { ServerLifecycle } from './server-lifecycle.ts';
import { serverRoutes } from './server-routes.ts';
import type { ServerVolumes } from './server-volumes.ts';
import { volumeAttachmentRoutes } from './volume-attachments.ts';

export function computeService(world: World, lifecycle: ServerLifecycle, volumes: ServerVolumes): Service {
  const newest = world.config.computeMicroversion ?? MAX_MICROVERSION;
  return {
    name: 'compute',
    prefix: SERVICE_LIST.compute.prefix,
    routes: [
      ...versionRoutes(newest),
      ...serverRoutes(world, lifecycle),
      ...serverActionRoutes(world, lifecycle),
      ...serverLabelRoutes(world),
      ...serverInterfaceRoutes(world),
      ...volumeAttachmentRoutes(world, volumes),
      ...flavorRoutes(world),
      ...serverGroupRoutes(world),
      ...keyPairRoutes(world),
      ...computeQuotaRoutes(world),
      ...hostRoutes(world),
      { method: 'GET', template: '/v2.1/extensions', handle: () => ok({ extensions: [] }) },
    ],
    renderProblem: renderComputeProblem,
    negotiate: (headers) => negotiateMicroversion(headers, newest),
    responseHeaders: microversionHeaders,
  };
}

function versionRoutes(newest: number): Route[] {
  const version = ({ serviceUrl }: ApiRequest): object => ({
    id: 'v2.1',
    status: 'CURRENT',
    version: `2.${newest}`,
    min_version: '2.1',
    updated: '2013-07-23T11:33:21Z',
    links: [
      { rel: 'self', href: `${serviceUrl}/v2.1/` },
      { rel: 'describedby', type: 'text/html', href: 'http://docs.openstack.org/' },
    ],
    'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.compute+json;version=2.1' }],
  });
  return [
    { method: 'GET', template: '/', open: true, handle: (request) => ok({ versions: [version(request)] }) },
    { method: 'GET', template: '/v2.1', open: true, handle: (request) => ok({ version: version(request) }) },
  ];
}
