import type { ConditionReason } from '@fairway/api/conditions';
import type { Network, Port, Router, Subnet } from '@fairway/openstack/types/network';
import type { SecurityGroup, SecurityGroupRuleCreate } from '@fairway/openstack/types/security-group';
import type { Problem } from '@fairway/tenancy/problem';
import { type RuleChanges, ruleChanges } from './security-rules.ts';

/** The desired node network of a Cluster, with the plan's defaults filled in. */
export interface DesiredNetwork {
  readonly networkID: string | undefined;
  readonly subnetID: string | undefined;
  readonly nodesCIDR: string;
  readonly dnsNameservers: readonly string[];
  readonly gateway: {
    readonly mode: 'Router' | 'Custom' | 'None';
    readonly externalNetworkID: string | undefined;
    readonly routerID: string | undefined;
    readonly address: string | undefined;
  };
  readonly loadBalancersSubnetID: string | undefined;
  readonly publicNodePorts: boolean;
}

/** What the project holds; `owned` are the resources with the mark of this cluster, the one in use first. */
export interface ObservedNetwork {
  readonly networks: readonly Network[];
  readonly subnets: readonly Subnet[];
  readonly routers: readonly Router[];
  /** Ports that attach routers to subnets. */
  readonly routerPorts: readonly Port[];
  readonly owned: {
    readonly networks: readonly Network[];
    readonly subnets: readonly Subnet[];
    readonly routers: readonly Router[];
    readonly securityGroups: readonly SecurityGroup[];
  };
}

export type NetworkStep =
  | { readonly kind: 'createNetwork' }
  | { readonly kind: 'createSubnet'; readonly networkID: string; readonly gatewayIp: string | null | undefined }
  | { readonly kind: 'createRouter'; readonly externalNetworkID: string }
  | { readonly kind: 'attachRouter'; readonly routerID: string; readonly subnetID: string }
  | { readonly kind: 'createSecurityGroup' }
  | { readonly kind: 'createRules'; readonly group: SecurityGroup; readonly rules: readonly SecurityGroupRuleCreate[] }
  | { readonly kind: 'deleteRule'; readonly group: SecurityGroup; readonly id: string }
  | {
      readonly kind: 'deleteExtra';
      readonly type: 'network' | 'subnet' | 'router' | 'securityGroup';
      readonly id: string;
    };

export interface ResolvedNetwork {
  readonly networkID?: string;
  readonly subnetID?: string;
  readonly nodesCIDR?: string;
  readonly routerID?: string;
  readonly externalNetworkID?: string;
  readonly egressAddress?: string;
  readonly securityGroupID?: string;
  readonly loadBalancersSubnetID?: string;
}

export interface NetworkPlan {
  /** Steps that can be done now, in any order; planning again with the results gives the next steps. */
  readonly steps: readonly NetworkStep[];
  readonly resolved: ResolvedNetwork;
  readonly problem?: Problem;
  readonly ready: boolean;
}

/** The next steps from the observed state to the desired one. Pure; see `network-plan.test.ts` for the rules as tables. */
export function planNetwork(desired: DesiredNetwork, observed: ObservedNetwork): NetworkPlan {
  const steps: NetworkStep[] = extras(observed);
  try {
    const network = planOwnOrChosenNetwork(desired, observed, steps);
    const subnet = network && planSubnet(desired, observed, network, steps);
    const router = planRouter(desired, observed, subnet, steps);
    const group = planSecurityGroup(desired, observed, subnet, steps);
    const resolved = {
      ...(network && { networkID: network.id }),
      ...(subnet && { subnetID: subnet.id, nodesCIDR: subnet.cidr }),
      ...(subnet && { loadBalancersSubnetID: desired.loadBalancersSubnetID ?? subnet.id }),
      ...(router && describeRouter(router)),
      ...(group && { securityGroupID: group.id }),
    };
    return { steps, resolved, ready: steps.length === 0 && subnet !== undefined && group !== undefined };
  } catch (error) {
    if (error instanceof UnplannableError) return { steps: [], resolved: {}, problem: error.problem, ready: false };
    throw error;
  }
}

/** Aborts the plan with a problem. */
class UnplannableError extends Error {
  readonly problem: Problem;

  constructor(reason: ConditionReason, message: string) {
    super(message);
    this.problem = { reason, message };
  }
}

function planOwnOrChosenNetwork(
  desired: DesiredNetwork,
  { networks, owned }: ObservedNetwork,
  steps: NetworkStep[],
): Network | undefined {
  if (desired.networkID === undefined) {
    const [network] = owned.networks;
    if (network === undefined) steps.push({ kind: 'createNetwork' });
    return network;
  }
  const network = networks.find(({ id }) => id === desired.networkID);
  if (network === undefined) {
    throw new UnplannableError(
      'NetworkNotFound',
      `spec.network.networkID: the project has no network ${desired.networkID}; choose one of \`openstack network list\`, or leave the field empty to have Fairway create one`,
    );
  }
  return network;
}

function planSubnet(
  desired: DesiredNetwork,
  { subnets, owned }: ObservedNetwork,
  network: Network,
  steps: NetworkStep[],
): Subnet | undefined {
  if (desired.networkID === undefined) {
    const subnet = owned.subnets.find((candidate) => candidate.network_id === network.id);
    if (subnet === undefined)
      steps.push({ kind: 'createSubnet', networkID: network.id, gatewayIp: gatewayIpOf(desired) });
    return subnet;
  }
  const candidates = subnets.filter((subnet) => subnet.network_id === network.id && subnet.ip_version === 4);
  if (desired.subnetID !== undefined) {
    const subnet = candidates.find(({ id }) => id === desired.subnetID);
    if (subnet) return subnet;
    throw new UnplannableError(
      'SubnetNotFound',
      `spec.network.subnetID: network ${network.id} has no IPv4 subnet ${desired.subnetID}; it has ${listIDs(candidates)}`,
    );
  }
  const [only, ...others] = candidates;
  if (only && others.length === 0) return only;
  throw new UnplannableError(
    'SubnetNotFound',
    only === undefined
      ? `spec.network.networkID: network ${network.id} has no IPv4 subnet; create one in it`
      : `spec.network.subnetID: network ${network.id} has several IPv4 subnets (${listIDs(candidates)}); name one`,
  );
}

function gatewayIpOf({ gateway }: DesiredNetwork): string | null | undefined {
  if (gateway.mode === 'None') return null;
  return gateway.mode === 'Custom' ? gateway.address : undefined;
}

function planRouter(
  desired: DesiredNetwork,
  { networks, routers, routerPorts, owned }: ObservedNetwork,
  subnet: Subnet | undefined,
  steps: NetworkStep[],
): Router | undefined {
  const { gateway } = desired;
  if (gateway.mode !== 'Router') return undefined;
  const attached = new Set(
    routerPorts
      .filter((port) => port.fixed_ips.some((ip) => ip.subnet_id === subnet?.id))
      .map((port) => port.device_id),
  );
  if (gateway.routerID !== undefined) {
    const router = routers.find(({ id }) => id === gateway.routerID);
    if (router === undefined) {
      throw new UnplannableError(
        'RouterNotFound',
        `spec.network.gateway.routerID: the project has no router ${gateway.routerID}; choose one of \`openstack router list\``,
      );
    }
    if (subnet === undefined || attached.has(router.id)) return router;
    if (desired.networkID !== undefined) {
      throw new UnplannableError(
        'RouterNotFound',
        `spec.network.gateway.routerID: router ${router.id} is not attached to subnet ${subnet.id}; attach it with \`openstack router add subnet ${router.id} ${subnet.id}\``,
      );
    }
    steps.push({ kind: 'attachRouter', routerID: router.id, subnetID: subnet.id });
    return router;
  }
  const present = routers.find(({ id }) => attached.has(id));
  if (present) return present;
  const [own] = owned.routers;
  if (own === undefined) {
    // A given subnet may already have a router: check before creating one.
    if (desired.networkID === undefined || subnet !== undefined) {
      steps.push({ kind: 'createRouter', externalNetworkID: externalNetworkOf(desired, networks) });
    }
    return undefined;
  }
  if (subnet) steps.push({ kind: 'attachRouter', routerID: own.id, subnetID: subnet.id });
  return own;
}

function externalNetworkOf({ gateway }: DesiredNetwork, networks: readonly Network[]): string {
  const external = networks.filter((network) => network['router:external']);
  if (gateway.externalNetworkID !== undefined) {
    if (external.some(({ id }) => id === gateway.externalNetworkID)) return gateway.externalNetworkID;
    throw new UnplannableError(
      'ExternalNetworkNotFound',
      `spec.network.gateway.externalNetworkID: the project sees no external network ${gateway.externalNetworkID}; it sees ${listIDs(external)}`,
    );
  }
  const chosen = external.length === 1 ? external[0] : external.find((network) => network.is_default);
  if (chosen) return chosen.id;
  throw new UnplannableError(
    'ExternalNetworkNotFound',
    external.length === 0
      ? 'spec.network.gateway.mode: the cloud has no external network for a router; use mode None or Custom, or ask the operator for one'
      : `spec.network.gateway.externalNetworkID: the cloud has several external networks and no default (${listIDs(external)}); name one`,
  );
}

function planSecurityGroup(
  desired: DesiredNetwork,
  { owned }: ObservedNetwork,
  subnet: Subnet | undefined,
  steps: NetworkStep[],
): SecurityGroup | undefined {
  const [group] = owned.securityGroups;
  if (group === undefined) {
    steps.push({ kind: 'createSecurityGroup' });
    return undefined;
  }
  if (subnet === undefined) return group;
  const changes: RuleChanges = ruleChanges(
    { groupID: group.id, nodesCIDR: subnet.cidr, publicNodePorts: desired.publicNodePorts },
    group.security_group_rules,
  );
  // One kind of change at a time: the ledger records each as the resulting group.
  if (changes.create.length > 0) steps.push({ kind: 'createRules', group, rules: changes.create });
  else for (const id of changes.deleteIDs.slice(0, 1)) steps.push({ kind: 'deleteRule', group, id });
  return group;
}

/** Duplicate resources with the same mark, left by a create that was assumed lost. */
function extras({ owned }: ObservedNetwork): NetworkStep[] {
  const kept = owned.networks[0]?.id;
  const ownSubnets = owned.subnets.filter((subnet) => subnet.network_id === kept);
  return [
    ...extrasOf('network', owned.networks),
    ...extrasOf('subnet', ownSubnets),
    ...extrasOf('router', owned.routers),
    ...extrasOf('securityGroup', owned.securityGroups),
  ];
}

function extrasOf(
  type: Extract<NetworkStep, { kind: 'deleteExtra' }>['type'],
  items: readonly { readonly id: string }[],
): NetworkStep[] {
  return items.slice(1).map(({ id }) => ({ kind: 'deleteExtra', type, id }));
}

function describeRouter(router: Router): ResolvedNetwork {
  const gateway = router.external_gateway_info;
  const egressAddress = gateway?.external_fixed_ips?.find((ip) => ip.ip_address?.includes('.'))?.ip_address;
  return {
    routerID: router.id,
    ...(gateway && { externalNetworkID: gateway.network_id }),
    ...(egressAddress !== undefined && { egressAddress }),
  };
}

function listIDs(items: readonly { readonly id: string; readonly name?: string }[]): string {
  return items.length === 0 ? 'none' : items.map(({ id, name }) => (name ? `${id} (${name})` : id)).join(', ');
}
