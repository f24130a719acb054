import { isDeepStrictEqual } from 'node:util';
import { findOverlaps } from '@fairway/api/domain/address-plan';
import type { Network, Subnet } from '@fairway/openstack/types/network';
import type { SecurityGroup } from '@fairway/openstack/types/security-group';
import type { DesiredNetwork, NetworkPlan, NetworkStep, ObservedNetwork } from './network-state.ts';
import { describeRouter, newGatewayIp, planRouter } from './router-plan.ts';
import { type RuleChanges, ruleChanges } from './security-rules.ts';
import { listIDs, UnplannableError } from './unplannable-error.ts';

/** The next steps from the observed state to the desired one. Pure; see `network-plan.test.ts` for the rules as tables. */
export function planNetwork(desired: DesiredNetwork, observed: ObservedNetwork): NetworkPlan {
  const steps: NetworkStep[] = extraDeletions(observed);
  try {
    const network = planNetworkChoice(desired, observed, steps);
    const subnet = network && planSubnet(desired, observed, network, steps);
    if (subnet) requireDisjoint(desired, observed, subnet);
    const router = planRouter(desired, observed, subnet, steps);
    const group = planSecurityGroup(desired, observed, subnet, steps);
    const resolved = {
      ...(network && { networkID: network.id }),
      ...(subnet && { subnetID: subnet.id, nodesCIDR: subnet.cidr }),
      ...(subnet && { loadBalancersSubnetID: desired.loadBalancersSubnetID ?? subnet.id }),
      ...(router && describeRouter(router)),
      ...(group && { securityGroupID: group.id }),
    };
    const isUsable = subnet !== undefined && group !== undefined;
    // A new router may still be rejected; its attachment takes longest, and servers boot in the meantime.
    const nodesCanStart = isUsable && steps.every(({ kind }) => kind === 'attachRouter');
    return { steps, resolved, ready: isUsable && steps.length === 0, nodesCanStart };
  } catch (error) {
    if (error instanceof UnplannableError)
      return { steps: [], resolved: {}, problem: error.problem, ready: false, nodesCanStart: false };
    throw error;
  }
}

function planNetworkChoice(
  desired: DesiredNetwork,
  { networks, owned }: ObservedNetwork,
  steps: NetworkStep[],
): Network | undefined {
  if (desired.networkID === undefined) {
    const [network] = owned.networks;
    if (network === undefined) steps.push({ kind: 'createNetwork' });
    else if (network.port_security_enabled === false) steps.push({ kind: 'enablePortSecurity', network });
    return network;
  }
  const network = networks.find(({ id }) => id === desired.networkID);
  if (network === undefined) {
    throw new UnplannableError(
      'NetworkNotFound',
      `spec.network.networkID: the project has no network ${desired.networkID}; pick one from \`openstack network list\`, or leave the field empty so that Fairway creates one`,
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
      steps.push({ kind: 'createSubnet', networkID: network.id, gatewayIp: newGatewayIp(desired) });
    else if (!isDeepStrictEqual(subnet.dns_nameservers, desired.dnsNameservers)) {
      steps.push({ kind: 'updateSubnet', subnet, changes: { dns_nameservers: [...desired.dnsNameservers] } });
    }
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
      : `spec.network.subnetID: network ${network.id} has several IPv4 subnets (${listIDs(candidates)}); specify one`,
  );
}

function planSecurityGroup(
  desired: DesiredNetwork,
  { owned, subnets }: ObservedNetwork,
  subnet: Subnet | undefined,
  steps: NetworkStep[],
): SecurityGroup | undefined {
  const [group] = owned.securityGroups;
  if (group === undefined) {
    steps.push({ kind: 'createSecurityGroup' });
    return undefined;
  }
  if (subnet === undefined) return group;
  const balancers = subnets.find(({ id, ip_version }) => id === desired.loadBalancersSubnetID && ip_version === 4);
  const security = {
    groupID: group.id,
    nodesCIDR: subnet.cidr,
    loadBalancersCIDR: balancers?.cidr,
    publicNodePorts: desired.publicNodePorts,
  };
  const changes: RuleChanges = ruleChanges(security, group.security_group_rules);
  // Only one kind of change at a time: the ledger records each change by the group that results from it.
  if (changes.create.length > 0) steps.push({ kind: 'createRules', group, rules: changes.create });
  else for (const id of changes.deleteIDs.slice(0, 1)) steps.push({ kind: 'deleteRule', group, id });
  return group;
}

/** Facts may change after a cluster was created: a subnet may differ from the catalogue, or be specified later. */
function requireDisjoint(desired: DesiredNetwork, { subnets }: ObservedNetwork, subnet: Subnet): void {
  const ranges = [{ field: 'spec.network.subnetID', subnet }];
  const { loadBalancersSubnetID: id } = desired;
  if (id !== undefined && id !== subnet.id) {
    const found = subnets.find((each) => each.id === id && each.network_id === subnet.network_id);
    if (found === undefined) {
      throw new UnplannableError(
        'SubnetNotFound',
        `spec.network.loadBalancersSubnetID: network ${subnet.network_id} has no subnet ${id}; specify another one, or omit the field`,
      );
    }
    ranges.push({ field: 'spec.network.loadBalancersSubnetID', subnet: found });
  }
  for (const { field, subnet: each } of ranges) {
    const other = desired.otherRanges.find((range) => findOverlaps([range, { name: '', cidr: each.cidr }]).length > 0);
    if (other === undefined) continue;
    throw new UnplannableError(
      'AddressRangeOverlap',
      `${field}: subnet ${each.id} has the range ${each.cidr}, which overlaps the ${other.name} ${other.cidr}; create a cluster with other ranges`,
    );
  }
}

/** Duplicate resources with the same tag, from a create request that was assumed lost. */
function extraDeletions({ owned }: ObservedNetwork): NetworkStep[] {
  const kept = owned.networks[0]?.id;
  const ownSubnets = owned.subnets.filter((subnet) => subnet.network_id === kept);
  return [
    ...extrasOfKind('network', owned.networks),
    ...extrasOfKind('subnet', ownSubnets),
    ...extrasOfKind('router', owned.routers),
    ...extrasOfKind('securityGroup', owned.securityGroups),
  ];
}

function extrasOfKind(
  type: Extract<NetworkStep, { kind: 'deleteExtra' }>['type'],
  items: readonly { readonly id: string }[],
): NetworkStep[] {
  return items.slice(1).map(({ id }) => ({ kind: 'deleteExtra', type, id }));
}
