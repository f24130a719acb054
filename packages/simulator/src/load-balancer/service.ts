import type { Route, Service } from '../http/api.ts';
import { SERVICE_LIST } from '../service-list.ts';
import type { World } from '../world.ts';
import { availabilityZoneRoutes } from './availability-zones.ts';
import { flavorRoutes } from './flavors.ts';
import { policyRoutes } from './l7-policies.ts';
import { ruleRoutes } from './l7-rules.ts';
import { listenerRoutes } from './listeners.ts';
import type { LoadBalancerLifecycle } from './load-balancer-lifecycle.ts';
import { loadBalancerRoutes } from './load-balancers.ts';
import { memberRoutes } from './members.ts';
import { monitorRoutes } from './monitors.ts';
import { poolRoutes } from './pools.ts';
import { renderLoadBalancerProblem } from './problem.ts';
import { providerRoutes } from './provider-routes.ts';
import { quotaRoutes } from './quota-routes.ts';
import { versionRoutes } from './versions.ts';

/** Octavia's API is served under both spellings of its version. */
const BASE_PATHS = ['/v2/lbaas', '/v2.0/lbaas'];

export function loadBalancerService(world: World, lifecycle: LoadBalancerLifecycle): Service {
  const routes: readonly Route[] = [
    ...loadBalancerRoutes(world, lifecycle),
    ...listenerRoutes(world, lifecycle),
    ...poolRoutes(world, lifecycle),
    ...memberRoutes(world, lifecycle),
    ...monitorRoutes(world, lifecycle),
    ...policyRoutes(world, lifecycle),
    ...ruleRoutes(world, lifecycle),
    ...quotaRoutes(world),
    ...providerRoutes(world),
    ...flavorRoutes(world),
    ...availabilityZoneRoutes(world),
  ];
  return {
    name: 'load-balancer',
    prefix: SERVICE_LIST['load-balancer'].prefix,
    routes: [
      ...versionRoutes(world),
      ...BASE_PATHS.flatMap((root) => routes.map((route) => ({ ...route, template: `${root}${route.template}` }))),
    ],
    renderProblem: renderLoadBalancerProblem,
    malformedBody: 'Request is not in valid JSON format',
  };
}
