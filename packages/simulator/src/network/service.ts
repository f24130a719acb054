import { type ApiRequest, ok, type Route, type Service } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import { SERVICE_LIST } from '../service-list.ts';
import type { World } from '../world.ts';
import { extensionRoutes } from './extensions.ts';
import { floatingIpKind } from './floating-ips.ts';
import { networkKind } from './networks.ts';
import { portKind } from './ports.ts';
import { disallowed, renderNetworkProblem } from './problem.ts';
import { networkQuotaRoutes } from './quota-routes.ts';
import { rbacPolicyRoutes } from './rbac-policies.ts';
import { resourceRoutes } from './resource.ts';
import { routerActionRoutes } from './router-actions.ts';
import { routerKind } from './routers.ts';
import { securityGroupRuleKind } from './security-group-rules.ts';
import { securityGroupKind } from './security-groups.ts';
import { subnetPoolRoutes } from './subnet-pools.ts';
import { subnetKind } from './subnets.ts';
import { tagRoutes } from './tag-routes.ts';

export function networkService(world: World): Service {
  const networks = networkKind(world);
  const subnets = subnetKind(world);
  const ports = portKind(world);
  const routers = routerKind(world);
  const groups = securityGroupKind(world);
  const rules = securityGroupRuleKind(world);
  const floatingIps = floatingIpKind(world);
  return {
    name: 'network',
    prefix: SERVICE_LIST.network.prefix,
    routes: [
      ...versionRoutes(),
      ...extensionRoutes(),
      ...resourceRoutes(world, networks),
      ...resourceRoutes(world, subnets),
      ...resourceRoutes(world, ports),
      ...resourceRoutes(world, routers),
      ...resourceRoutes(world, groups),
      ...resourceRoutes(world, rules),
      ...resourceRoutes(world, floatingIps),
      ...subnetPoolRoutes(world),
      ...rbacPolicyRoutes(world),
      ...tagRoutes(world, networks),
      ...tagRoutes(world, subnets),
      ...tagRoutes(world, ports),
      ...tagRoutes(world, routers),
      ...tagRoutes(world, groups),
      ...tagRoutes(world, rules),
      ...tagRoutes(world, floatingIps),
      ...routerActionRoutes(world),
      ...networkQuotaRoutes(world),
      ...zoneAndAgentRoutes(world),
    ],
    renderProblem: renderNetworkProblem,
    malformedBody: 'Body contains invalid data',
  };
}

function versionRoutes(): Route[] {
  const version = ({ serviceUrl }: ApiRequest): object => ({
    id: 'v2.0',
    status: 'CURRENT',
    links: [{ rel: 'self', href: `${serviceUrl}/v2.0/` }],
  });
  return [
    { method: 'GET', template: '/', open: true, handle: (request) => ok({ versions: [version(request)] }) },
    { method: 'GET', template: '/v2.0', open: true, handle: (request) => ok({ resources: [], ...version(request) }) },
  ];
}

function zoneAndAgentRoutes(world: World): Route[] {
  const zones = world.config.zones.flatMap(({ name }) =>
    ['network', 'router'].map((resource) => ({ name, resource, state: 'available' })),
  );
  return [
    { method: 'GET', template: '/v2.0/availability_zones', handle: () => ok({ availability_zones: zones }) },
    {
      method: 'GET',
      template: '/v2.0/agents',
      handle: ({ access }) => {
        if (!isAdmin(access)) throw disallowed('get_agent');
        return ok({ agents: [] });
      },
    },
  ];
}
