import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { FloatingIp, FloatingIpCreate, Subnet } from '@fairway/openstack/types/network';
import { loadBalancersOfCluster, objectsOfOwner } from '@fairway/tenancy/cloud/load-balancers';
import type { LoadBalancerOwner } from '@fairway/tenancy/cloud/ownership';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { ANNOTATION } from './annotation-names.ts';
import { type FloatingIpStep, planFloatingIp } from './floating-ip-plan.ts';
import { isMatchingSubnet } from './floating-subnets.ts';
import type { LoadBalancerScope } from './load-balancer-scope.ts';
import type { LoadBalancerSpec, SubnetChoice } from './load-balancer-spec.ts';
import { floatingIpMarks, observeFloatingIps } from './observation.ts';
import { ServiceRefused } from './service-refused.ts';

/** Limit on steps: detach one floating IP, delete one, attach one and set its description, and finish. */
const MAX_STEPS = 5;

/** Ensures the desired floating IP on the port of a load balancer. Returns its address; undefined if none is desired. */
export async function ensureFloatingIp(
  scope: LoadBalancerScope,
  { floatingIP: desired, keepsFloatingIP: keepsAddress }: Pick<LoadBalancerSpec, 'floatingIP' | 'keepsFloatingIP'>,
  portID: string,
): Promise<string | undefined> {
  const marks = floatingIpMarks(scope);
  for (let step = 0; step < MAX_STEPS; step++) {
    const floatingIps = await observeFloatingIps(scope);
    const plan = planFloatingIp({ desired, keepsAddress, marks, portID, floatingIps });
    if (plan.kind === 'done') return plan.address;
    if (plan.kind === 'refused') throw new ServiceRefused(plan.message);
    await perform(scope, plan.step, portID);
  }
  throw new Error(`the floating IP of Service ${scope.key} did not settle`);
}

/** Marks floating IPs on a port as the Service's own if `isFree` allows it. */
export async function claimFloatingIps(
  scope: LoadBalancerScope,
  portID: string,
  isFree: (floatingIp: FloatingIp) => boolean,
): Promise<void> {
  const { own: description } = floatingIpMarks(scope);
  const floatingIpsAtPort = async () => (await observeFloatingIps(scope)).filter(({ port_id }) => port_id === portID);
  let found = await floatingIpsAtPort();
  if (found.length === 0) {
    // The floating IP may be newer than the list.
    scope.cloud.cache.floatingIps.invalidate();
    found = await floatingIpsAtPort();
  }
  for (const floatingIp of found.filter(isFree)) {
    await perform(scope, { kind: 'describe', floatingIp, description }, portID);
  }
}

/** Hands floating IPs on a port over to the next Service, or releases them. They stay attached. */
export async function handOverFloatingIps(
  scope: LoadBalancerScope,
  portID: string,
  next: LoadBalancerOwner,
  kept: { readonly as: string } | undefined,
): Promise<void> {
  const marks = floatingIpMarks(scope);
  const { own } = floatingIpMarks({ ...scope, owner: next });
  for (const floatingIp of await observeFloatingIps(scope)) {
    const isOwn = floatingIp.description === marks.own || floatingIp.description === marks.kept;
    if (!isOwn || floatingIp.port_id !== portID) continue;
    const description = kept?.as ?? own;
    await perform(scope, { kind: 'describe', floatingIp, description }, portID);
    if (kept === undefined) {
      scope.cloud.ledgers.floatingIps.recordWritten(own, { ...floatingIp, description }, scope.cloud.now());
    }
  }
}

/** The floating IP of a load balancer that the Service shares. */
export async function sharedAddress(
  scope: LoadBalancerScope,
  host: LoadBalancerOwner | undefined,
  portID: string | null | undefined,
): Promise<string | undefined> {
  const floatingIps = await observeFloatingIps(host ? { ...scope, owner: host } : scope);
  return floatingIps.find(({ port_id }) => port_id === portID)?.floating_ip_address;
}

/**
 * Deletes the floating IPs of a Service without a load balancer, or keeps them with a description that no longer
 * identifies the Service. Other floating IPs stay as they are.
 */
export async function releaseFloatingIps(
  scope: LoadBalancerScope,
  kept: { readonly as: string } | undefined,
): Promise<void> {
  const marks = floatingIpMarks(scope);
  const { cloud, owner, projectID } = scope;
  const listed = cloud.cache.loadBalancers.snapshot();
  const own = new Set(objectsOfOwner(listed, projectID, owner));
  const others = loadBalancersOfCluster(listed, projectID, owner.clusterUid).filter((each) => !own.has(each));
  const inUse = new Set(others.map(({ vip_port_id }) => vip_port_id));
  for (const floatingIp of await observeFloatingIps(scope)) {
    // The current owner of the load balancer also owns its floating IP.
    if (floatingIp.port_id && inUse.has(floatingIp.port_id)) continue;
    if (floatingIp.description === marks.own && kept === undefined) {
      await perform(scope, { kind: 'delete', floatingIp }, '');
    } else if (kept !== undefined && (floatingIp.description === marks.own || floatingIp.description === marks.kept)) {
      await perform(scope, { kind: 'describe', floatingIp, description: kept.as }, '');
    }
  }
}

async function perform(scope: LoadBalancerScope, step: FloatingIpStep, portID: string): Promise<void> {
  const { cloud, owner, signal } = scope;
  const { own } = floatingIpMarks(scope);
  const { floatingIps } = cloud.client.network;
  const ledger = cloud.ledgers.floatingIps;
  const options = { signal };
  const write = (change: () => Promise<FloatingIp>) => cloud.make(ledger, own, change, owner.clusterUid);
  try {
    switch (step.kind) {
      case 'create': {
        const { networkID, subnetID, subnets, address } = step.desired;
        const body = {
          floating_network_id: networkID,
          description: step.description,
          port_id: portID,
          ...(subnetID !== undefined && { subnet_id: subnetID }),
          ...(address !== undefined && { floating_ip_address: address }),
        };
        const mustChooseSubnet = subnets !== undefined && subnetID === undefined && address === undefined;
        await write(() =>
          mustChooseSubnet ? createInSubnets(scope, subnets, body) : floatingIps.create(body, options),
        );
        return;
      }
      case 'attach':
        await write(() => floatingIps.update(step.floatingIp.id, { port_id: portID }, options));
        return;
      case 'detach':
        await write(() => floatingIps.update(step.floatingIp.id, { port_id: null }, options));
        return;
      case 'describe':
        await write(() => floatingIps.update(step.floatingIp.id, { description: step.description }, options));
        return;
      case 'delete':
        await cloud.remove(ledger, step.floatingIp.id, () => floatingIps.delete(step.floatingIp.id, options));
        return;
    }
  } catch (error) {
    // The port has a floating IP that is not listed yet, the address no longer exists, or the project now owns it.
    const isForbidden = isOpenStackError(error, 'forbidden') && step.kind === 'create';
    if (isForbidden || isOpenStackError(error, 'conflict') || isOpenStackError(error, 'notFound'))
      cloud.cache.floatingIps.invalidate();
    const isUnreachable = isOpenStackError(error, 'notFound') && error.message.includes(UNREACHABLE_MESSAGE);
    throw isUnreachable ? missingRouterError(scope, portID) : error;
  }
}

/** Neutron's message for a port that cannot be reached from any router. */
const UNREACHABLE_MESSAGE = 'is not reachable from subnet';

/** Replaces Neutron's message, which names only the subnet, not who selected it or what to do. */
function missingRouterError({ cloud, cluster }: LoadBalancerScope, portID: string): ProblemError {
  const { loadBalancersSubnetID } = cluster.spec.network;
  const items = [...cloud.cache.loadBalancers.snapshot().items.values()];
  const subnetID = items.find(({ vip_port_id }) => vip_port_id === portID)?.vip_subnet_id ?? loadBalancersSubnetID;
  const usesClusterSubnet = subnetID !== undefined && subnetID === loadBalancersSubnetID;
  const location = usesClusterSubnet
    ? 'spec.network.loadBalancersSubnetID of the Cluster'
    : 'the subnet of the load balancer';
  const message = `${location}: ${subnetID ?? 'its subnet'} has no router to the external network, so no floating IP can reach it: attach it with \`openstack router add subnet ROUTER ${subnetID ?? 'SUBNET'}\`, specify another subnet, or make the load balancer internal`;
  return new ProblemError({ reason: 'ConfigurationInvalid', message });
}

/** Limit on the number of subnets tried for one floating IP. */
const MAX_SUBNETS = 16;

function noSubnetMessage(subnets: readonly Subnet[], networkID: string): string {
  if (subnets.length > 0) {
    return `no subnet of network ${networkID} matches; available: ${subnets.map(({ name }) => name).join(', ')}`;
  }
  // By default, Neutron shows subnets of external networks only to administrators.
  return `no subnets of network ${networkID} are visible to this project; specify one by its ID with ${ANNOTATION.floatingSubnetID}`;
}

/** Creates a floating IP in the first matching subnet with a free address. */
async function createInSubnets(
  { cloud, signal }: LoadBalancerScope,
  choice: SubnetChoice,
  body: FloatingIpCreate,
): Promise<FloatingIp> {
  const { floatingIps, subnets } = cloud.client.network;
  const filter = { network_id: body.floating_network_id, ip_version: 4 } as const;
  const all = await Array.fromAsync(subnets.list(filter, { signal }));
  const selectedSubnets = all
    .filter((subnet) => isMatchingSubnet(subnet, choice))
    .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  let failure: unknown = new ServiceRefused(
    `annotations ${ANNOTATION.floatingSubnet}, ${ANNOTATION.floatingSubnetTags}: ${noSubnetMessage(all, body.floating_network_id)}`,
  );
  for (const { id } of selectedSubnets.slice(0, MAX_SUBNETS)) {
    try {
      return await floatingIps.create({ ...body, subnet_id: id }, { signal });
    } catch (error) {
      // The subnet is full or no longer exists.
      if (!isOpenStackError(error, 'conflict') && !isOpenStackError(error, 'notFound')) throw error;
      failure = error;
    }
  }
  throw failure;
}
