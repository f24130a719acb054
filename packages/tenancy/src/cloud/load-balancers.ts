import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import {
  clusterOfTags,
  gatewayOwner,
  ingressOwner,
  type LoadBalancerOwner,
  loadBalancerOwnerOf,
  type ServiceOwner,
  serviceOwner,
  sharersOf,
  type TaggedObject,
} from './ownership.ts';
import type { ProjectCloud } from './project-cloud.ts';

/** Whether the cloud's catalog has a load-balancer service. Rejects with the login's error. */
export async function hasLoadBalancers({ client }: Pick<ProjectCloud, 'client'>): Promise<boolean> {
  try {
    await client.session.endpoint('load-balancer');
    return true;
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return false;
    throw error;
  }
}

interface ListSnapshot<T> {
  readonly items: ReadonlyMap<string, T>;
}

interface TreeObject extends TaggedObject {
  readonly id: string;
  readonly created_at?: string | null | undefined;
}

interface Index<T> {
  readonly byCluster: ReadonlyMap<string, readonly T[]>;
  /** By cluster, then by owner within it. */
  readonly byOwner: ReadonlyMap<string, readonly T[]>;
  /** By Service, for load balancers that belong to other owners. */
  readonly bySharer: ReadonlyMap<string, readonly T[]>;
  /** By cluster, for load balancers that its Services use but that belong to no cluster. */
  readonly byForeignCluster: ReadonlyMap<string, readonly T[]>;
}

/** Built once per list and project. */
const indexes = new WeakMap<object, { readonly projectID: string; readonly index: Index<TreeObject> }>();

/** The load balancers, or the listeners, pools or monitors, of one Service, Ingress or Gateway, oldest first. */
export function objectsOfOwner<T extends TreeObject>(
  snapshot: ListSnapshot<T>,
  projectID: string,
  owner: LoadBalancerOwner,
): readonly T[] {
  return indexOf(snapshot, projectID).byOwner.get(keyOf(owner)) ?? [];
}

/** Load balancers that a Service uses but does not own, oldest first. */
export function loadBalancersSharedBy<T extends TreeObject>(
  snapshot: ListSnapshot<T>,
  projectID: string,
  owner: ServiceOwner,
): readonly T[] {
  return indexOf(snapshot, projectID).bySharer.get(keyOf(owner)) ?? [];
}

/** Load balancers that belong to no cluster but are used by a cluster's Services. */
export function loadBalancersOfSharer<T extends TreeObject>(
  snapshot: ListSnapshot<T>,
  projectID: string,
  clusterUid: string,
): readonly T[] {
  return indexOf(snapshot, projectID).byForeignCluster.get(clusterUid) ?? [];
}

/** All load balancers of a cluster, regardless of their owner. */
export function loadBalancersOfCluster<T extends TreeObject>(
  snapshot: ListSnapshot<T>,
  projectID: string,
  clusterUid: string,
): readonly T[] {
  return indexOf(snapshot, projectID).byCluster.get(clusterUid) ?? [];
}

function keyOf(owner: LoadBalancerOwner): string {
  const { kind, uid } = loadBalancerOwnerOf(owner);
  return `${owner.clusterUid}/${kind}/${uid}`;
}

function indexOf<T extends TreeObject>({ items }: ListSnapshot<T>, projectID: string): Index<T> {
  const known = indexes.get(items);
  // The list that contains a load balancer determines its type.
  if (known?.projectID === projectID) return known.index as Index<T>;
  const index = {
    byCluster: new Map<string, T[]>(),
    byOwner: new Map<string, T[]>(),
    bySharer: new Map<string, T[]>(),
    byForeignCluster: new Map<string, T[]>(),
  };
  for (const item of [...items.values()].toSorted(byAge)) {
    for (const sharer of sharersOf(item, projectID)) push(index.bySharer, keyOf(sharer), item);
    const clusterUid = clusterOfTags(item, projectID);
    if (clusterUid === undefined) {
      for (const foreignCluster of new Set(sharersOf(item, projectID).map((sharer) => sharer.clusterUid))) {
        push(index.byForeignCluster, foreignCluster, item);
      }
      continue;
    }
    push(index.byCluster, clusterUid, item);
    const owner = serviceOwner(item, projectID) ?? ingressOwner(item, projectID) ?? gatewayOwner(item, projectID);
    if (owner) push(index.byOwner, keyOf(owner), item);
  }
  indexes.set(items, { projectID, index });
  return index;
}

function push<T>(map: Map<string, T[]>, key: string, item: T): void {
  const list = map.get(key);
  if (list) list.push(item);
  else map.set(key, [item]);
}

function byAge(a: TreeObject, b: TreeObject): number {
  return (a.created_at ?? '').localeCompare(b.created_at ?? '') || a.id.localeCompare(b.id);
}
