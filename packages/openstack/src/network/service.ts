import { type CachedKind, STABLE_INTERVAL_MS } from '../cache/cached-kind.ts';
import type { ClientService } from '../service.ts';
import type { ServiceApi } from '../service-api.ts';
import type { FloatingIp, Network as NetworkResource, Port, Router, Subnet } from '../types/network.ts';
import type { SecurityGroup } from '../types/security-group.ts';
import { Network } from './network.ts';
import type { NeutronFilter } from './neutron-collection.ts';
import { projectResources } from './project-resources.ts';
import { ROUTER_INTERFACE_OWNERS } from './routers.ts';

const networks: CachedKind<Network, NetworkResource, NeutronFilter> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (network, filter, call) => projectResources(network, network.networks.list(filter, call), isPublic),
};
const subnets: CachedKind<Network, Subnet, NeutronFilter> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (network, filter, call) => network.subnets.list(filter, call),
};
const routers: CachedKind<Network, Router, NeutronFilter> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (network, filter, call) => projectResources(network, network.routers.list(filter, call)),
};
const ports: CachedKind<Network, Port, NeutronFilter> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (network, filter, call) => network.ports.list(filter, call),
};
/** Ports that attach routers: there are few, whereas `ports` has one for each node. */
const routerInterfaces: CachedKind<Network, Port> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (network, _filter, call) => network.ports.list({ device_owner: ROUTER_INTERFACE_OWNERS }, call),
};
const securityGroups: CachedKind<Network, SecurityGroup, NeutronFilter> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (network, filter, call) => network.securityGroups.list(filter, call),
};
const floatingIps: CachedKind<Network, FloatingIp, NeutronFilter> = {
  slowMs: STABLE_INTERVAL_MS,
  list: (network, filter, call) => network.floatingIps.list(filter, call),
};

function isPublic({ shared, 'router:external': isExternal }: NetworkResource): boolean {
  return shared || isExternal;
}

export const networkService = {
  type: 'network',
  project: 'Neutron',
  majorVersion: /^v2\.0$/,
  probe: '/extensions',
  clientName: 'network',
  client: (api: ServiceApi) => new Network(api),
  cached: { networks, subnets, routers, routerInterfaces, ports, securityGroups, floatingIps },
} as const satisfies ClientService;
