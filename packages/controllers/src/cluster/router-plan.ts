import type { Network, Port, Router, Subnet } from '@fairway/openstack/types/network';
import type { DesiredNetwork, NetworkStep, ObservedNetwork, ResolvedNetwork } from './network-state.ts';
import { listIDs, UnplannableError } from './unplannable-error.ts';

/** The gateway_ip of a subnet that is about to be created; undefined leaves it to Neutron. */
export function newGatewayIp({ gateway }: DesiredNetwork): string | null | undefined {
  if (gateway.mode === 'None') return null;
  return gateway.mode === 'Custom' ? gateway.address : undefined;
}

/**
 * The steps to the desired gateway of the nodes' subnet. Fairway's own subnet and router follow the spec. Those of the
 * tenant are never changed, and a mismatch is a problem. Returns the router in use.
 */
export function planRouter(
  desired: DesiredNetwork,
  observed: ObservedNetwork,
  subnet: Subnet | undefined,
  steps: NetworkStep[],
): Router | undefined {
  const isOwnSubnet = desired.networkID === undefined;
  const attached = observed.routerPorts.filter((port) => addressIn(port, subnet) !== undefined);
  if (desired.gateway.mode !== 'Router') {
    planWithoutRouter(desired, observed, { subnet, attached, isOwnSubnet }, steps);
    return undefined;
  }
  const router = chooseRouter(desired, observed, { subnet, attached, isOwnSubnet }, steps);
  if (router === undefined) return undefined;
  requireExternalNetwork(desired, observed, router, steps);
  const port = attached.find(({ device_id }) => device_id === router.id);
  const address = port && addressIn(port, subnet);
  // Nodes would lose their default route when they renew their DHCP lease.
  if (subnet && isOwnSubnet && address !== undefined && !subnet.gateway_ip) {
    steps.push({ kind: 'setGateway', subnet, address });
  }
  return router;
}

interface AttachedRouter {
  readonly subnet: Subnet | undefined;
  /** Ports between routers and the subnet. */
  readonly attached: readonly Port[];
  readonly isOwnSubnet: boolean;
}

function planWithoutRouter(
  { gateway, gatewayRequired, publicNodePorts }: DesiredNetwork,
  { owned }: ObservedNetwork,
  { subnet, attached, isOwnSubnet }: AttachedRouter,
  steps: NetworkStep[],
): void {
  const { mode, address } = gateway;
  if (gatewayRequired) {
    throw new UnplannableError(
      'GatewayMissing',
      `spec.network.gateway.mode: ${mode}: the plan requires a router in front of the nodes; set it to Router`,
    );
  }
  const holder = isOwnSubnet ? gatewayHolder(attached, subnet) : undefined;
  const discardedIDs = [...owned.routers.map(({ id }) => id), ...(holder === undefined ? [] : [holder])];
  if (discardedIDs.length > 0 && publicNodePorts) {
    throw new UnplannableError(
      'GatewayMissing',
      `spec.network.gateway.mode: ${mode}: pools have floating IPs that need router ${discardedIDs[0]}, so it is retained; disable floating IPs in the pools first, or set the mode to Router`,
    );
  }
  for (const { id } of owned.routers) steps.push({ kind: 'deleteExtra', type: 'router', id });
  if (subnet === undefined) return;
  if (holder !== undefined && !owned.routers.some(({ id }) => id === holder)) {
    steps.push({ kind: 'detachRouter', routerID: holder, subnet });
  }
  const present = subnet.gateway_ip ?? null;
  const expected = mode === 'None' ? null : (address ?? present);
  if (mode === 'Custom' && expected === null) {
    throw new UnplannableError(
      'GatewayMissing',
      `spec.network.gateway.address: subnet ${subnet.id} has no gateway_ip; ${isOwnSubnet ? 'specify the address of the gateway' : setGatewayAdvice(subnet)}`,
    );
  }
  // In an existing subnet, None means that Fairway provides nothing.
  if (present === expected || (!isOwnSubnet && mode === 'None')) return;
  if (!isOwnSubnet) {
    throw new UnplannableError(
      'GatewayMissing',
      `spec.network.gateway.address: ${address}: subnet ${subnet.id} has the gateway_ip ${present ?? 'null'}, which nodes use; ${setGatewayAdvice(subnet)}`,
    );
  }
  // A gateway_ip that a router occupies cannot be changed, so the router is detached first.
  if (holder === undefined && owned.routers.length === 0) steps.push({ kind: 'setGateway', subnet, address: expected });
}

function setGatewayAdvice({ id }: Subnet): string {
  return `set it with \`openstack subnet set --gateway ADDRESS ${id}\``;
}

function chooseRouter(
  desired: DesiredNetwork,
  { networks, routers, owned }: ObservedNetwork,
  { subnet, attached, isOwnSubnet }: AttachedRouter,
  steps: NetworkStep[],
): Router | undefined {
  const { routerID } = desired.gateway;
  const holder = gatewayHolder(attached, subnet);
  const isAttached = (id: string) => attached.some(({ device_id }) => device_id === id);
  if (routerID === undefined) {
    const present = routers.find(({ id }) => id === holder) ?? routers.find(({ id }) => isAttached(id));
    if (present) return present;
    const [own] = owned.routers;
    if (own === undefined) {
      // A tenant's subnet may already have a router: check before creating one.
      if (isOwnSubnet || subnet !== undefined) {
        steps.push({ kind: 'createRouter', externalNetworkID: externalNetworkOf(desired, networks) });
      }
      return undefined;
    }
    if (subnet) attach(own, subnet, isOwnSubnet, steps);
    return own;
  }
  const router = routers.find(({ id }) => id === routerID);
  if (router === undefined) {
    throw new UnplannableError(
      'RouterNotFound',
      `spec.network.gateway.routerID: the project has no router ${routerID}; pick one from \`openstack router list\``,
    );
  }
  if (subnet !== undefined && !isAttached(router.id)) {
    if (!isOwnSubnet) {
      throw new UnplannableError(
        'RouterNotFound',
        `spec.network.gateway.routerID: router ${router.id} is not attached to subnet ${subnet.id}; attach it with \`openstack router add subnet ${router.id} ${subnet.id}\``,
      );
    }
    if (holder === undefined) attach(router, subnet, isOwnSubnet, steps);
    else if (desired.publicNodePorts) {
      throw new UnplannableError(
        'GatewayMissing',
        `spec.network.gateway.routerID: ${router.id}: pools have floating IPs that need router ${holder}, so it is retained; disable floating IPs in the pools first`,
      );
    } else if (!owned.routers.some(({ id }) => id === holder)) {
      steps.push({ kind: 'detachRouter', routerID: holder, subnet });
    }
  }
  // Fairway's own router is no longer needed, unless the spec selects it.
  for (const { id } of owned.routers) {
    if (id !== router.id) steps.push({ kind: 'deleteExtra', type: 'router', id });
  }
  return router;
}

function attach(router: Router, subnet: Subnet, isOwnSubnet: boolean, steps: NetworkStep[]): void {
  if (subnet.gateway_ip || !isOwnSubnet) steps.push({ kind: 'attachRouter', routerID: router.id, subnet });
  // Neutron attaches a router at the gateway_ip.
  else steps.push({ kind: 'setGateway', subnet, address: undefined });
}

/** Checks the router's external network; sets it on Fairway's own router. */
function requireExternalNetwork(
  desired: DesiredNetwork,
  { networks, owned }: ObservedNetwork,
  router: Router,
  steps: NetworkStep[],
): void {
  const present = router.external_gateway_info?.network_id;
  const { externalNetworkID: expected, routerID } = desired.gateway;
  if (owned.routers.some(({ id }) => id === router.id)) {
    if (present !== undefined && (expected === undefined || expected === present)) return;
    const externalNetworkID = externalNetworkOf(desired, networks);
    steps.push({ kind: 'setExternalNetwork', router, externalNetworkID });
    return;
  }
  const field = routerID === undefined ? 'spec.network.gateway' : 'spec.network.gateway.routerID';
  if (present === undefined && desired.gatewayRequired) {
    throw new UnplannableError(
      'GatewayMissing',
      `${field}: the plan requires Internet access, and router ${router.id} has no external gateway; set it with \`openstack router set --external-gateway NETWORK ${router.id}\``,
    );
  }
  if (expected === undefined || expected === present) return;
  throw new UnplannableError(
    'GatewayMissing',
    `spec.network.gateway.externalNetworkID: ${expected}: router ${router.id} is connected to ${present ?? 'no external network'}, and Fairway does not change a router that it did not create; omit the field, or use another router`,
  );
}

function externalNetworkOf({ gateway }: DesiredNetwork, networks: readonly Network[]): string {
  const external = networks.filter((network) => network['router:external']);
  if (gateway.externalNetworkID !== undefined) {
    if (external.some(({ id }) => id === gateway.externalNetworkID)) return gateway.externalNetworkID;
    throw new UnplannableError(
      'ExternalNetworkNotFound',
      `spec.network.gateway.externalNetworkID: the project has no access to external network ${gateway.externalNetworkID}; available: ${listIDs(external)}`,
    );
  }
  const chosen = external.length === 1 ? external[0] : external.find((network) => network.is_default);
  if (chosen) return chosen.id;
  throw new UnplannableError(
    'ExternalNetworkNotFound',
    external.length === 0
      ? 'spec.network.gateway.mode: the cloud has no external network for a router; use mode None or Custom, or ask the operator for one'
      : `spec.network.gateway.externalNetworkID: the cloud has several external networks and no default (${listIDs(external)}); specify one`,
  );
}

/** The router that has the subnet's gateway_ip. Additional routers may be attached, for other routes. */
function gatewayHolder(attached: readonly Port[], subnet: Subnet | undefined): string | undefined {
  if (!subnet?.gateway_ip) return undefined;
  return attached.find((port) => addressIn(port, subnet) === subnet.gateway_ip)?.device_id;
}

function addressIn({ fixed_ips }: Port, subnet: Subnet | undefined): string | undefined {
  return fixed_ips.find(({ subnet_id }) => subnet_id === subnet?.id)?.ip_address;
}

/** The status of the router in use. */
export function describeRouter(router: Router): ResolvedNetwork {
  const gateway = router.external_gateway_info;
  const egressAddress = gateway?.external_fixed_ips?.find((ip) => ip.ip_address?.includes('.'))?.ip_address;
  return {
    routerID: router.id,
    ...(gateway && { externalNetworkID: gateway.network_id }),
    ...(egressAddress !== undefined && { egressAddress }),
  };
}
