import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { FloatingIp, FloatingIpCreate, Subnet } from '@fairway/openstack/types/network';
import { balancingOfCluster, ofOwner } from '@fairway/tenancy/cloud/balancing';
import type { BalancerOwner } from '@fairway/tenancy/cloud/ownership';
import { ANNOTATION } from './annotation-names.ts';
import type { BalancerScope } from './balancer-scope.ts';
import { type FloatingIpStep, planFloatingIp } from './floating-ip-plan.ts';
import { isChosen } from './floating-subnets.ts';
import { floatingIpMarks, seeFloatingIps } from './observation.ts';
import { ServiceRefused } from './service-refused.ts';
import type { SubnetChoice, Wishes } from './wishes.ts';

/** One to be detached, one to be deleted, one to be attached and described, and an end. */
const MAX_STEPS = 5;

/** Gives the port of a load balancer the floating IP that the Service wants. Returns its address; undefined: it is to have none. */
export async function ensureFloatingIp(
  scope: BalancerScope,
  { floatingIP: wish, keepsFloatingIP: keeps }: Pick<Wishes, 'floatingIP' | 'keepsFloatingIP'>,
  portID: string,
): Promise<string | undefined> {
  const marks = floatingIpMarks(scope);
  for (let step = 0; step < MAX_STEPS; step++) {
    const floatingIps = await seeFloatingIps(scope);
    const plan = planFloatingIp({ wish, keeps, marks, portID, floatingIps });
    if (plan.kind === 'done') return plan.address;
    if (plan.kind === 'refused') throw new ServiceRefused(plan.message);
    await perform(scope, plan.step, portID);
  }
  throw new Error(`the floating IP of Service ${scope.key} does not settle`);
}

/** Those at a port become the Service's own where their description says that they may. */
export async function claimFloatingIps(
  scope: BalancerScope,
  portID: string,
  isFree: (floatingIp: FloatingIp) => boolean,
): Promise<void> {
  const { own: description } = floatingIpMarks(scope);
  const atPort = async () => (await seeFloatingIps(scope)).filter(({ port_id }) => port_id === portID);
  let found = await atPort();
  if (found.length === 0) {
    // It may be younger than the list.
    scope.cloud.cache.floatingIps.invalidate();
    found = await atPort();
  }
  for (const floatingIp of found.filter(isFree)) {
    await perform(scope, { kind: 'describe', floatingIp, description }, portID);
  }
}

/** Those at a port become the next Service's, or somebody's own. They stay where they are. */
export async function handOverFloatingIps(
  scope: BalancerScope,
  portID: string,
  next: BalancerOwner,
  kept: { readonly as: string } | undefined,
): Promise<void> {
  const marks = floatingIpMarks(scope);
  const { own } = floatingIpMarks({ ...scope, owner: next });
  for (const floatingIp of await seeFloatingIps(scope)) {
    const isOwn = floatingIp.description === marks.own || floatingIp.description === marks.kept;
    if (!isOwn || floatingIp.port_id !== portID) continue;
    const description = kept?.as ?? own;
    await perform(scope, { kind: 'describe', floatingIp, description }, portID);
    if (kept === undefined) {
      scope.cloud.ledgers.floatingIps.recordMade(own, { ...floatingIp, description }, scope.cloud.now());
    }
  }
}

/** Where a Service reaches a load balancer that another one has. */
export async function sharedAddress(
  scope: BalancerScope,
  host: BalancerOwner | undefined,
  portID: string | null | undefined,
): Promise<string | undefined> {
  const floatingIps = await seeFloatingIps(host ? { ...scope, owner: host } : scope);
  return floatingIps.find(({ port_id }) => port_id === portID)?.floating_ip_address;
}

/**
 * What becomes of the floating IPs of a Service without a load balancer: they go, or stay as somebody's own, with a description by which nobody finds them as
 * the Service's. Those that were only lent to it stay as they are.
 */
export async function releaseFloatingIps(
  scope: BalancerScope,
  kept: { readonly as: string } | undefined,
): Promise<void> {
  const marks = floatingIpMarks(scope);
  const { cloud, owner, projectID } = scope;
  const listed = cloud.cache.loadBalancers.snapshot();
  const own = new Set(ofOwner(listed, projectID, owner));
  const others = balancingOfCluster(listed, projectID, owner.clusterUid).filter((each) => !own.has(each));
  const inUse = new Set(others.map(({ vip_port_id }) => vip_port_id));
  for (const floatingIp of await seeFloatingIps(scope)) {
    // Whoever has the load balancer now has its address too.
    if (floatingIp.port_id && inUse.has(floatingIp.port_id)) continue;
    if (floatingIp.description === marks.own && kept === undefined) {
      await perform(scope, { kind: 'delete', floatingIp }, '');
    } else if (kept !== undefined && (floatingIp.description === marks.own || floatingIp.description === marks.kept)) {
      await perform(scope, { kind: 'describe', floatingIp, description: kept.as }, '');
    }
  }
}

async function perform(scope: BalancerScope, step: FloatingIpStep, portID: string): Promise<void> {
  const { cloud, owner, signal } = scope;
  const { own } = floatingIpMarks(scope);
  const { floatingIps } = cloud.client.network;
  const ledger = cloud.ledgers.floatingIps;
  const options = { signal };
  const write = (change: () => Promise<FloatingIp>) => cloud.make(ledger, own, change, owner.clusterUid);
  try {
    switch (step.kind) {
      case 'create': {
        const { networkID, subnetID, subnets, address } = step.wish;
        const body = {
          floating_network_id: networkID,
          description: step.description,
          port_id: portID,
          ...(subnetID !== undefined && { subnet_id: subnetID }),
          ...(address !== undefined && { floating_ip_address: address }),
        };
        const isChoice = subnets !== undefined && subnetID === undefined && address === undefined;
        await write(() => (isChoice ? createWithin(scope, subnets, body) : floatingIps.create(body, options)));
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
    // The port has one that the list does not show yet, or the address is gone, or the project has had it since.
    const isForbidden = isOpenStackError(error, 'forbidden') && step.kind === 'create';
    if (isForbidden || isOpenStackError(error, 'conflict') || isOpenStackError(error, 'notFound'))
      cloud.cache.floatingIps.invalidate();
    throw error;
  }
}

/** Subnets that are tried for one floating IP. */
const MAX_SUBNETS = 16;

function noneOf(subnets: readonly Subnet[], networkID: string): string {
  if (subnets.length > 0) {
    return `none of the subnets of network ${networkID} is meant: there are ${subnets.map(({ name }) => name).join(', ')}`;
  }
  // Neutron's own policy shows those of external networks to administrators alone.
  return `the cloud shows this project no subnets of network ${networkID}; name one by its id with ${ANNOTATION.floatingSubnetID}`;
}

/** Makes one in the first of the chosen subnets that has an address left. */
async function createWithin(
  { cloud, signal }: BalancerScope,
  choice: SubnetChoice,
  body: FloatingIpCreate,
): Promise<FloatingIp> {
  const { floatingIps, subnets } = cloud.client.network;
  const filter = { network_id: body.floating_network_id, ip_version: 4 } as const;
  const all = await Array.fromAsync(subnets.list(filter, { signal }));
  const chosen = all.filter((subnet) => isChosen(subnet, choice)).toSorted((a, b) => (a.id < b.id ? -1 : 1));
  let failure: unknown = new ServiceRefused(
    `annotations ${ANNOTATION.floatingSubnet}, ${ANNOTATION.floatingSubnetTags}: ${noneOf(all, body.floating_network_id)}`,
  );
  for (const { id } of chosen.slice(0, MAX_SUBNETS)) {
    try {
      return await floatingIps.create({ ...body, subnet_id: id }, { signal });
    } catch (error) {
      // It is full, or gone.
      if (!isOpenStackError(error, 'conflict') && !isOpenStackError(error, 'notFound')) throw error;
      failure = error;
    }
  }
  throw failure;
}
