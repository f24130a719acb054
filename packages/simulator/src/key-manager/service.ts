import { type ApiRequest, ok, type Route, type Service } from '../http/api.ts';
import { SERVICE_LIST } from '../service-list.ts';
import type { World } from '../world.ts';
import { aclRoutes } from './acl-routes.ts';
import { consumerRoutes } from './consumer-routes.ts';
import { containerRoutes } from './container-routes.ts';
import { secretMetadataRoutes } from './metadata-routes.ts';
import { keyMicroversionHeaders, negotiateKeyMicroversion } from './microversion.ts';
import { orderRoutes } from './order-routes.ts';
import { requireAnyRole } from './policy.ts';
import { notFound, renderKeyProblem } from './problem.ts';
import { keyQuotaRoutes } from './quota-routes.ts';
import { secretRoutes } from './secret-routes.ts';

/** Barbican. */
export function keyManagerService(world: World): Service {
  return {
    name: 'key-manager',
    prefix: SERVICE_LIST['key-manager'].prefix,
    routes: [
      ...versionRoutes(),
      ...secretRoutes(world),
      ...secretMetadataRoutes(world),
      ...aclRoutes(world),
      ...consumerRoutes(world),
      ...containerRoutes(world),
      ...orderRoutes(world),
      ...keyQuotaRoutes(world),
      ...storeRoutes(),
    ],
    renderProblem: renderKeyProblem,
    readsRawBodies: true,
    negotiate: negotiateKeyMicroversion,
    responseHeaders: keyMicroversionHeaders,
  };
}

function versionRoutes(): Route[] {
  return [
    {
      method: 'GET',
      template: '/',
      open: true,
      handle: (request) => ({
        status: 300,
        body: { versions: request.microversion === 0 ? { values: [version(request)] } : [version(request)] },
      }),
    },
    { method: 'GET', template: '/v1', handle: (request) => ok({ version: version(request) }) },
  ];
}

function version({ serviceUrl, microversion }: ApiRequest): object {
  const links = [
    { rel: 'self', href: `${serviceUrl}/v1/` },
    { rel: 'describedby', type: 'text/html', href: 'https://docs.openstack.org/' },
  ];
  if (microversion > 0) return { id: 'v1', status: 'CURRENT', min_version: '1.0', max_version: '1.1', links };
  const type = 'application/vnd.openstack.key-manager-v1+json';
  return { id: 'v1', status: 'stable', links, 'media-types': [{ base: 'application/json', type }] };
}

/** Lists the only secret store, which does not support transport keys. */
function storeRoutes(): Route[] {
  return [
    ...['/v1/secret-stores', '/v1/secret-stores/{store}'].map(
      (template): Route => ({
        method: 'GET',
        template,
        handle({ access }) {
          requireAnyRole(access, 'List available secret stores');
          throw notFound('Not Found. Multiple backends support is not enabled in service configuration.');
        },
      }),
    ),
    {
      method: 'GET',
      template: '/v1/transport_keys',
      handle({ access }) {
        requireAnyRole(access, 'Transport Key(s) retrieval');
        return ok({ transport_keys: [], total: 0 });
      },
    },
  ];
}
