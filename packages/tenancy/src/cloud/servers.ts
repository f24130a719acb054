import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import type { Server } from '@fairway/openstack/types/server';
import { serverOwner } from './ownership.ts';

/** Server states, set by users, in which no node can be running. */
const STOPPED_STATUSES: ReadonlySet<Server['status']> = new Set([
  'PAUSED',
  'RESCUE',
  'SHELVED',
  'SHELVED_OFFLOADED',
  'SHUTOFF',
  'SUSPENDED',
]);

/** Whether a user has stopped the server by any means. */
export function isStopped({ status }: Pick<Server, 'status'>): boolean {
  return STOPPED_STATUSES.has(status);
}

interface ServerIndex {
  readonly byMachine: ReadonlyMap<string, readonly Server[]>;
  readonly byCluster: ReadonlyMap<string, readonly Server[]>;
}

/** Built once per list. */
const indexes = new WeakMap<Snapshot<Server>['items'], ServerIndex>();

/** The servers of a machine, oldest first; more than one after a create that was assumed lost. */
export function serversOfMachine(snapshot: Snapshot<Server>, machineUid: string): readonly Server[] {
  return indexOf(snapshot).byMachine.get(machineUid) ?? [];
}

export function serversOfCluster(snapshot: Snapshot<Server>, clusterUid: string): readonly Server[] {
  return indexOf(snapshot).byCluster.get(clusterUid) ?? [];
}

function indexOf({ items }: Snapshot<Server>): ServerIndex {
  const known = indexes.get(items);
  if (known) return known;
  const byMachine = new Map<string, Server[]>();
  const byCluster = new Map<string, Server[]>();
  const oldestFirst = [...items.values()].sort(
    (a, b) => a.created.localeCompare(b.created) || a.id.localeCompare(b.id),
  );
  for (const server of oldestFirst) {
    const owner = serverOwner(server);
    if (owner === undefined) continue;
    push(byMachine, owner.machineUid, server);
    push(byCluster, owner.clusterUid, server);
  }
  const index = { byMachine, byCluster };
  indexes.set(items, index);
  return index;
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}
