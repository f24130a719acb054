import type {
  HealthMonitor,
  HealthMonitorFields,
  Listener,
  ListenerFields,
  LoadBalancer,
  Member,
  MemberCreate,
  Pool,
  PoolFields,
} from '@fairway/openstack/types/load-balancer';
import { isAssumed } from './assumed-monitors.ts';
import type { DesiredLoadBalancer, DesiredPort } from './desired.ts';
import { listenerChanges, membersDiffer, monitorChanges, poolChanges } from './differences.ts';
import { familyOf, vipsOf } from './families.ts';

/** A load balancer as returned by the API. */
export interface ObservedTree {
  readonly loadBalancer: LoadBalancer;
  readonly listeners: readonly Listener[];
  readonly pools: readonly Pool[];
  readonly monitors: readonly HealthMonitor[];
  /** By pool ID; missing pools have not been read. */
  readonly members: ReadonlyMap<string, readonly Member[]>;
}

/** A single change to a tree. Octavia accepts no other change to this load balancer until the change is applied. */
export type Action =
  | { readonly kind: 'deleteListener'; readonly id: string }
  | { readonly kind: 'deletePool'; readonly id: string }
  | { readonly kind: 'deleteMonitor'; readonly id: string }
  | { readonly kind: 'createListener'; readonly listener: ListenerFields }
  | { readonly kind: 'updateListener'; readonly id: string; readonly changes: object }
  | { readonly kind: 'createPool'; readonly listenerID: string; readonly pool: PoolFields }
  | { readonly kind: 'updatePool'; readonly id: string; readonly changes: object }
  | { readonly kind: 'readMembers'; readonly poolID: string }
  | { readonly kind: 'replaceMembers'; readonly poolID: string; readonly members: readonly MemberCreate[] }
  | { readonly kind: 'readMonitor'; readonly id: string; readonly poolID: string }
  | { readonly kind: 'createMonitor'; readonly poolID: string; readonly monitor: HealthMonitorFields }
  | { readonly kind: 'updateMonitor'; readonly id: string; readonly changes: object };

export type Plan =
  | { readonly kind: 'done' }
  /** The load balancer is pending: it cannot be changed, and its state may be outdated. */
  | { readonly kind: 'wait' }
  /** The load balancer is in ERROR. */
  | { readonly kind: 'broken' }
  /** The load balancer must be recreated; `field` is the setting that Octavia cannot change. */
  | { readonly kind: 'recreate'; readonly field: 'provider' | 'address' }
  /** Another owner's listener uses this port. */
  | { readonly kind: 'occupied'; readonly listener: Listener }
  | { readonly kind: 'act'; readonly action: Action };

export interface PlanOptions {
  /**
   * Decides which parts may be changed and removed: all parts of the owner's own load balancer, but only parts with the
   * owner's tag in a shared one.
   */
  readonly isOwn: (part: { readonly tags: readonly string[] }) => boolean;
}

/** The next change towards the desired state. Pure; `plan.test.ts` contains the rules as tables. */
export function planLoadBalancer(desired: DesiredLoadBalancer, observed: ObservedTree, options: PlanOptions): Plan {
  const { loadBalancer } = observed;
  if (loadBalancer.provisioning_status === 'ERROR') return { kind: 'broken' };
  if (loadBalancer.provisioning_status !== 'ACTIVE') return { kind: 'wait' };
  const field = immutableChange(desired, loadBalancer);
  if (field) return { kind: 'recreate', field };
  // A surplus listener may occupy the port of a desired one.
  const removal = nextRemoval(desired, observed, options);
  if (removal) return { kind: 'act', action: removal };
  const occupied = occupiedPort(desired, observed, options);
  if (occupied) return { kind: 'occupied', listener: occupied };
  const action = nextPortAction(desired.ports, observed);
  return action ? { kind: 'act', action } : { kind: 'done' };
}

function immutableChange(
  { provider, vip }: DesiredLoadBalancer,
  now: LoadBalancer,
): 'provider' | 'address' | undefined {
  if (provider !== undefined && now.provider != null && !isSameProvider(provider, now.provider)) return 'provider';
  const { address } = vip;
  if (address === undefined) return undefined;
  const present = vipsOf(now).filter(({ family }) => family === familyOf(address));
  return present.length > 0 && present.every((each) => each.address !== address) ? 'address' : undefined;
}

/** Whether both names mean the same provider: `octavia` is Octavia's old name for its own provider. */
export function isSameProvider(a: string, b: string): boolean {
  const names = [a, b].map((name) => (name === 'octavia' ? 'amphora' : name));
  return names[0] === names[1];
}

/**
 * The protocol and port that a listener occupies: a port can have one listener for TCP and its variants, one for UDP,
 * and one for SCTP.
 */
export function listenerSlot({ protocol, protocol_port }: Pick<ListenerFields, 'protocol' | 'protocol_port'>): string {
  return `${protocol === 'UDP' || protocol === 'SCTP' ? protocol : 'TCP'}/${protocol_port}`;
}

function occupiedPort(
  { ports }: DesiredLoadBalancer,
  tree: ObservedTree,
  { isOwn }: PlanOptions,
): Listener | undefined {
  const desiredState = new Set(ports.map(({ listener }) => listenerSlot(listener)));
  return tree.listeners.find((listener) => !isOwn(listener) && desiredState.has(listenerSlot(listener)));
}

/**
 * The settings that an existing load balancer retains even though the Service now specifies other values, by annotation
 * name. Pure.
 */
export function ignoredChanges(
  { vip, flavorID, availabilityZone }: Pick<DesiredLoadBalancer, 'vip' | 'flavorID' | 'availabilityZone'>,
  now: LoadBalancer,
): readonly string[] {
  const isPresent = vipsOf(now).some(({ subnetID }) => subnetID !== undefined && subnetID === vip.subnetID);
  const comparedFields = [
    { name: 'subnet-id', wanted: vip.portID || isPresent ? undefined : vip.subnetID, is: now.vip_subnet_id },
    { name: 'network-id', wanted: vip.subnetID === undefined ? vip.networkID : undefined, is: now.vip_network_id },
    { name: 'port-id', wanted: vip.portID, is: now.vip_port_id },
    { name: 'flavor', wanted: flavorID, is: now.flavor_id },
    { name: 'availability-zone', wanted: availabilityZone, is: now.availability_zone },
  ];
  return comparedFields.flatMap(({ name, wanted, is }) => (wanted !== undefined && wanted !== is ? [name] : []));
}

/** Deletes a listener's pool before the listener, because only the listener identifies the pool's owner. */
function nextRemoval(desired: DesiredLoadBalancer, tree: ObservedTree, { isOwn }: PlanOptions): Action | undefined {
  const desiredState = new Map(desired.ports.map(({ listener }) => [listenerSlot(listener), listener]));
  for (const listener of tree.listeners) {
    const same = desiredState.get(listenerSlot(listener));
    if (!isOwn(listener) || same?.protocol === listener.protocol) continue;
    const pool = tree.pools.find(({ id }) => id === listener.default_pool_id);
    return pool ? { kind: 'deletePool', id: pool.id } : { kind: 'deleteListener', id: listener.id };
  }
  const used = new Set(tree.listeners.map(({ default_pool_id: id }) => id));
  const unused = tree.pools.find((pool) => isOwn(pool) && !used.has(pool.id));
  return unused && { kind: 'deletePool', id: unused.id };
}

function nextPortAction(ports: readonly DesiredPort[], tree: ObservedTree): Action | undefined {
  for (const port of ports) {
    const action = nextActionOfPort(port, tree);
    if (action) return action;
  }
  return undefined;
}

function nextActionOfPort(port: DesiredPort, tree: ObservedTree): Action | undefined {
  const listener = tree.listeners.find((each) => listenerSlot(each) === listenerSlot(port.listener));
  if (listener === undefined) return { kind: 'createListener', listener: port.listener };
  const changes = listenerChanges(port.listener, listener);
  if (changes) return { kind: 'updateListener', id: listener.id, changes };
  const pool = tree.pools.find(({ id }) => id === listener.default_pool_id);
  if (pool === undefined) return { kind: 'createPool', listenerID: listener.id, pool: port.pool };
  if (pool.protocol !== port.pool.protocol) return { kind: 'deletePool', id: pool.id };
  return nextPoolAction(port, pool, tree);
}

/** Changes to an existing pool. */
export function nextPoolAction(
  { pool: desiredState, members, monitor }: Pick<DesiredPort, 'pool' | 'members' | 'monitor'>,
  pool: Pool,
  tree: Pick<ObservedTree, 'members' | 'monitors'>,
): Action | undefined {
  const changes = poolChanges(desiredState, pool);
  if (changes) return { kind: 'updatePool', id: pool.id, changes };
  const present = pool.members.length === 0 ? [] : tree.members.get(pool.id);
  if (present === undefined) return { kind: 'readMembers', poolID: pool.id };
  if (membersDiffer(members, present)) {
    return { kind: 'replaceMembers', poolID: pool.id, members: withKeptWeights(members, present) };
  }
  const { healthmonitor_id: id } = pool;
  if (!id) return monitor && { kind: 'createMonitor', poolID: pool.id, monitor };
  const known = tree.monitors.find((each) => each.id === id);
  const action = known && nextMonitorAction(monitor, known);
  // A pool has at most one monitor. A monitor that is not listed yet, or has lost its tags, can be changed only by ID.
  if (known === undefined || (action && isAssumed(id))) return { kind: 'readMonitor', id, poolID: pool.id };
  return action;
}

function nextMonitorAction(desiredState: HealthMonitorFields | undefined, known: HealthMonitor): Action | undefined {
  if (desiredState === undefined || desiredState.type !== known.type) return { kind: 'deleteMonitor', id: known.id };
  const changes = monitorChanges(desiredState, known);
  return changes && { kind: 'updateMonitor', id: known.id, changes };
}

/**
 * Setting the member list replaces all fields, so fields set by users are preserved unless a different value is
 * desired.
 */
function withKeptWeights(desiredState: readonly MemberCreate[], present: readonly Member[]): readonly MemberCreate[] {
  const known = new Map(present.map((member) => [`${member.address} ${member.protocol_port}`, member]));
  return desiredState.map((member) => {
    const { weight, backup } = known.get(`${member.address} ${member.protocol_port}`) ?? {};
    return { ...(weight != null && { weight }), ...(backup != null && { backup }), ...member };
  });
}
