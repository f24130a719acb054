import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { LoadBalancer, LoadBalancerCreate } from '@fairway/openstack/types/load-balancer';
import { isAssumed, withAssumedMonitors } from './assumed-monitors.ts';
import type { LoadBalancerScope } from './load-balancer-scope.ts';
import { hostKeyOf, observeHostedBy } from './observation.ts';
import type { Action, ObservedTree } from './plan.ts';
import type { TreeMemory } from './tree-memory.ts';

/**
 * Creates a load balancer with all its parts in one call; `fallback` returns an alternative after a rejection. Rejects
 * with the error from `fallback`, or in the same way as `ProjectCloud.make`.
 */
export async function createLoadBalancer(
  { cloud, key, owner, signal }: LoadBalancerScope,
  desired: LoadBalancerCreate,
  memory: TreeMemory,
  fallback?: (error: unknown) => Promise<LoadBalancerCreate>,
): Promise<LoadBalancer> {
  const { ledgers, client } = cloud;
  const { loadBalancers } = client.loadBalancing;
  const createWithFallback = async () => {
    try {
      return { tree: await loadBalancers.createTree(desired, { signal }), body: desired };
    } catch (error) {
      if (fallback === undefined) throw error;
      const body = await fallback(error);
      return { tree: await loadBalancers.createTree(body, { signal }), body };
    }
  };
  const create = async () => {
    const { tree: created, body } = await createWithFallback();
    const nowMs = cloud.now();
    const whole = withAssumedMonitors(created, body);
    const tree = whole ?? created;
    for (const listener of tree.listeners) ledgers.listeners.recordWritten(key, listener, nowMs);
    for (const pool of tree.pools) ledgers.pools.recordWritten(key, pool, nowMs);
    for (const monitor of tree.healthMonitors) ledgers.healthMonitors.recordWritten(key, monitor, nowMs);
    memory.recordCreated(key, tree, whole ? undefined : nowMs);
    return tree.loadBalancer;
  };
  return cloud.make(ledgers.loadBalancers, key, create, owner.clusterUid);
}

/** Deletes a load balancer with all its parts. Octavia accepts the request and deletes asynchronously. */
export async function deleteLoadBalancer(
  { cloud, key, signal }: LoadBalancerScope,
  id: string,
  memory: TreeMemory,
): Promise<void> {
  const { loadBalancers } = cloud.client.loadBalancing;
  await cloud.remove(cloud.ledgers.loadBalancers, id, () => loadBalancers.deleteCascade(id, { signal }));
  memory.forget(key);
}

/** Applies one change to a tree, after which the load balancer is pending. */
export function changeTree(
  scope: LoadBalancerScope,
  action: Action,
  tree: ObservedTree,
  memory: TreeMemory,
): Promise<void> {
  const change = () => perform(scope, action, tree, memory);
  return action.kind === 'readMembers' || action.kind === 'readMonitor'
    ? readTree(scope, memory, change)
    : withPendingChange(scope, tree.loadBalancer, memory, change);
}

/**
 * Changes the load balancer and records the change. Does nothing while this process has another change in progress, which may have begun since the load
 * balancer was read.
 */
export async function withPendingChange(
  scope: LoadBalancerScope,
  loadBalancer: LoadBalancer,
  memory: TreeMemory,
  change: () => Promise<void>,
): Promise<void> {
  const { cloud, key, hostKey = key } = scope;
  if (isPending(scope, loadBalancer)) return;
  await memory.runExclusively(loadBalancer.id, async () => {
    await readTree(scope, memory, change);
    // Recorded before the next change, which Octavia would reject while this one is pending.
    memory.beginChange(key);
    const pending = { ...loadBalancer, provisioning_status: 'PENDING_UPDATE' };
    cloud.ledgers.loadBalancers.recordWritten(hostKey, pending, cloud.now());
  });
}

function isPending({ cloud, key, hostKey = key, projectID }: LoadBalancerScope, loadBalancer: LoadBalancer): boolean {
  const listed = cloud.cache.loadBalancers.snapshot().items.get(loadBalancer.id) ?? loadBalancer;
  const keys = new Set([hostKey, hostKeyOf(listed, projectID)]);
  return [...keys].some((each) => observeHostedBy(cloud, each, listed)?.provisioning_status !== 'ACTIVE');
}

/** Sets the tags of a load balancer. Resolves with true if they were set. */
export async function changeTags(
  scope: LoadBalancerScope,
  loadBalancer: LoadBalancer,
  tags: readonly string[],
  memory: TreeMemory,
): Promise<boolean> {
  const { cloud, signal } = scope;
  const { loadBalancers } = cloud.client.loadBalancing;
  let isDone = false;
  await withPendingChange(scope, { ...loadBalancer, tags: [...tags] }, memory, async () => {
    await loadBalancers.update(loadBalancer.id, { tags }, { signal });
    // Owners and users of a load balancer are read from lists.
    cloud.cache.loadBalancers.invalidate();
    isDone = true;
  });
  return isDone;
}

async function readTree(
  { cloud, key }: LoadBalancerScope,
  memory: TreeMemory,
  read: () => Promise<void>,
): Promise<void> {
  try {
    await read();
  } catch (error) {
    if (isOpenStackError(error) && (error.outcome === 'unknown' || STALE_ERRORS.has(error.kind))) {
      cloud.cache.loadBalancers.invalidate();
      memory.forget(key);
    }
    throw error;
  }
}

/** Rejections that mean that the tree has changed since it was read. */
const STALE_ERRORS: ReadonlySet<string> = new Set(['conflict', 'notFound']);

async function perform(
  { cloud, key, signal }: LoadBalancerScope,
  action: Action,
  { loadBalancer, listeners, pools }: ObservedTree,
  memory: TreeMemory,
): Promise<void> {
  const { ledgers } = cloud;
  const octavia = cloud.client.loadBalancing;
  const options = { signal };
  const loadbalancers = [{ id: loadBalancer.id }];
  switch (action.kind) {
    case 'createListener': {
      const body = { ...action.listener, loadbalancer_id: loadBalancer.id };
      const createdPart = await cloud.make(ledgers.listeners, key, () => octavia.listeners.create(body, options));
      ledgers.listeners.recordWritten(key, { ...createdPart, loadbalancers }, cloud.now());
      return;
    }
    case 'updateListener': {
      const updated = await octavia.listeners.update(action.id, action.changes, options);
      ledgers.listeners.recordWritten(key, updated, cloud.now());
      return;
    }
    case 'deleteListener':
      return cloud.remove(ledgers.listeners, action.id, () => octavia.listeners.delete(action.id, options));
    case 'createPool': {
      const body = { ...action.pool, listener_id: action.listenerID };
      const createdPart = await cloud.make(ledgers.pools, key, () => octavia.pools.create(body, options));
      ledgers.pools.recordWritten(
        key,
        { ...createdPart, loadbalancers, listeners: [{ id: action.listenerID }] },
        cloud.now(),
      );
      memory.recordWrittenMembers(key, createdPart.id, []);
      const listener = listeners.find(({ id }) => id === action.listenerID);
      if (listener) ledgers.listeners.recordWritten(key, { ...listener, default_pool_id: createdPart.id }, cloud.now());
      return;
    }
    case 'updatePool': {
      const updated = await octavia.pools.update(action.id, action.changes, options);
      ledgers.pools.recordWritten(key, updated, cloud.now());
      return;
    }
    case 'deletePool': {
      await cloud.remove(ledgers.pools, action.id, () => octavia.pools.delete(action.id, options));
      const listener = listeners.find(({ default_pool_id }) => default_pool_id === action.id);
      if (listener) ledgers.listeners.recordWritten(key, { ...listener, default_pool_id: null }, cloud.now());
      return;
    }
    case 'readMembers': {
      const members = await Array.fromAsync(octavia.pools.members(action.poolID, options));
      memory.recordMembers(key, action.poolID, members);
      return;
    }
    case 'readMonitor': {
      if (!isAssumed(action.id)) {
        const monitor = await octavia.healthMonitors.get(action.id, options);
        ledgers.healthMonitors.recordWritten(key, monitor, cloud.now());
        return;
      }
      const pool = await octavia.pools.get(action.poolID, options);
      ledgers.pools.recordWritten(key, pool, cloud.now());
      ledgers.healthMonitors.recordDeleted(action.id, cloud.now());
      return;
    }
    case 'replaceMembers': {
      const { members } = action;
      await cloud.withQuotas(members.length, () => octavia.pools.replaceMembers(action.poolID, members, options));
      memory.recordWrittenMembers(key, action.poolID, members);
      return;
    }
    case 'createMonitor': {
      const body = { ...action.monitor, pool_id: action.poolID };
      const createdPart = await cloud.make(ledgers.healthMonitors, key, () =>
        octavia.healthMonitors.create(body, options),
      );
      const pool = pools.find(({ id }) => id === action.poolID);
      if (pool) ledgers.pools.recordWritten(key, { ...pool, healthmonitor_id: createdPart.id }, cloud.now());
      return;
    }
    case 'updateMonitor': {
      const updated = await octavia.healthMonitors.update(action.id, action.changes, options);
      ledgers.healthMonitors.recordWritten(key, updated, cloud.now());
      return;
    }
    case 'deleteMonitor': {
      await cloud.remove(ledgers.healthMonitors, action.id, () => octavia.healthMonitors.delete(action.id, options));
      const pool = pools.find(({ healthmonitor_id }) => healthmonitor_id === action.id);
      if (pool) ledgers.pools.recordWritten(key, { ...pool, healthmonitor_id: null }, cloud.now());
      return;
    }
  }
}
