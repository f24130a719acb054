import { type ApiRequest, type ApiResponse, ok, type Route, type Service } from '../http/api.ts';
import { SERVICE_LIST } from '../service-list.ts';
import type { World } from '../world.ts';
import { applicationCredentialRoutes } from './application-credential-routes.ts';
import { catalogFor } from './catalog.ts';
import { collection } from './collection.ts';
import { federationRoutes } from './federation-routes.ts';
import { renderIdentityProblem, requireAdmin } from './problem.ts';
import { projectRoutes } from './project-routes.ts';
import { revocationRoutes } from './revocations.ts';
import { roleRoutes } from './role-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { trustRoutes } from './trust-routes.ts';
import { userCredentialRoutes } from './user-credential-routes.ts';
import { userRoutes } from './user-routes.ts';

export function identityService(world: World): Service {
  return {
    name: 'identity',
    prefix: SERVICE_LIST.identity.prefix,
    routes: [
      ...versionRoutes(),
      ...tokenRoutes(world),
      ...projectRoutes(world),
      ...userRoutes(world),
      ...roleRoutes(world),
      ...applicationCredentialRoutes(world),
      ...trustRoutes(world),
      ...userCredentialRoutes(world),
      ...federationRoutes(world),
      ...revocationRoutes(world),
      ...catalogRoutes(world),
    ],
    renderProblem: renderIdentityProblem,
    responseHeaders: () => ({ Vary: 'X-Auth-Token' }),
  };
}

function versionRoutes(): Route[] {
  const version = ({ serviceUrl }: ApiRequest): object => ({
    id: 'v3.14',
    status: 'stable',
    updated: '2020-04-07T00:00:00Z',
    links: [{ rel: 'self', href: `${serviceUrl}/v3/` }],
    'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
  });
  return [
    {
      method: 'GET',
      template: '/',
      open: true,
      handle: (request) => ({ status: 300, body: { versions: { values: [version(request)] } } }),
    },
    { method: 'GET', template: '/v3', open: true, handle: (request) => ok({ version: version(request) }) },
  ];
}

function catalogRoutes(world: World): Route[] {
  const { region } = world.config;
  const regionView = { id: region, description: '', parent_region_id: null };
  return [
    { method: 'GET', template: '/v3/regions', handle: (request) => collection(request, 'regions', [regionView], []) },
    { method: 'GET', template: '/v3/services', handle: (request) => listServices(world, request) },
    { method: 'GET', template: '/v3/endpoints', handle: (request) => listEndpoints(world, request) },
  ];
}

function listServices(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'list_services');
  const services = catalogFor(world, request.origin, '%(project_id)s').map(({ id, type, name }) => ({
    id,
    type,
    name,
    enabled: true,
  }));
  return collection(request, 'services', services, ['name', 'type']);
}

function listEndpoints(world: World, request: ApiRequest): ApiResponse {
  requireAdmin(request.access, 'list_endpoints');
  const endpoints = catalogFor(world, request.origin, '%(project_id)s').flatMap((service) =>
    service.endpoints.map((endpoint) => ({ ...endpoint, service_id: service.id, enabled: true })),
  );
  return collection(request, 'endpoints', endpoints, ['interface', 'service_id', 'region_id']);
}
