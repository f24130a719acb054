import type { ObservedItem, UsageObservation } from '@fairway/api/domain/usage/follow';
import type { UsageRecord, UsageResource } from '@fairway/api/kinds/usage-record';
import type { ProjectCache } from '@fairway/openstack/cache/project-cache';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Identifiable, Snapshot } from '@fairway/openstack/cache/snapshot';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { cloudTimeMs } from '@fairway/openstack/types/cloud-time';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import type { FloatingIp } from '@fairway/openstack/types/network';
import { loadBalancersOfCluster } from '@fairway/tenancy/cloud/load-balancers';
import {
  type ClusterOwner,
  clusterOfDescription,
  clusterOfTags,
  isOwnedByCluster,
  storageOwner,
} from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { storageObjectsOfCluster } from '@fairway/tenancy/cloud/storage-index';
import type { EndTracker } from './end-tracker.ts';
import { idsOf } from './observations.ts';

/** A kind of resource that is listed only if a cluster has resources of it, or if another controller needs the list. */
export interface ProjectKind<T extends Identifiable = Identifiable> {
  readonly resource: UsageResource;
  readonly cacheOf: (cache: ProjectCache) => ResourceCache<T>;
  /** What this process has created and deleted. */
  readonly ledgerOf: (cloud: ProjectCloud) => Pick<ProjectCloud['ledgers']['servers'], 'lastChangedMs'>;
  /** The identity of its cluster, to enqueue it; undefined if it belongs to no cluster. */
  readonly clusterUidOf: (item: T) => string | undefined;
  readonly ofCluster: (snapshot: Snapshot<T>, owner: ClusterOwner) => readonly T[];
  /** Whether it is already usable, or has already been counted. */
  readonly isUsable: (item: T) => boolean;
  readonly observedState: (
    item: T,
  ) => Omit<ObservedItem, 'id' | 'sinceMs'> & { readonly created: string | null | undefined };
}

const loadBalancers: ProjectKind<LoadBalancer> = {
  resource: 'LoadBalancer',
  cacheOf: (cache) => cache.loadBalancers,
  ledgerOf: ({ ledgers }) => ledgers.loadBalancers,
  clusterUidOf: (item) => clusterOfTags(item, item.project_id),
  ofCluster: (snapshot, { projectID, clusterUid }) =>
    loadBalancersOfCluster(snapshot, projectID, clusterUid).filter((each) => each.provisioning_status !== 'DELETED'),
  isUsable: ({ provisioning_status: state }) => state !== 'PENDING_CREATE' && state !== 'ERROR',
  observedState: ({ provider, created_at: created }) => ({ type: provider ?? 'default', created }),
};

const CREATION_STATES: ReadonlySet<string> = new Set(['creating', 'downloading', 'error']);

const volumes: ProjectKind<Volume> = {
  resource: 'Volume',
  cacheOf: (cache) => cache.volumes,
  ledgerOf: ({ ledgers }) => ledgers.volumes,
  clusterUidOf: (item) => storageOwner(item)?.clusterUid,
  ofCluster: (snapshot, { clusterUid }) => storageObjectsOfCluster(snapshot, clusterUid),
  isUsable: ({ status }) => !CREATION_STATES.has(status),
  observedState: ({ volume_type, size, created_at: created }) => ({
    type: volume_type ?? 'default',
    quantity: size,
    created,
  }),
};

const floatingIps: ProjectKind<FloatingIp> = {
  resource: 'FloatingIP',
  cacheOf: (cache) => cache.floatingIps,
  ledgerOf: ({ ledgers }) => ledgers.floatingIps,
  clusterUidOf: ({ description }) => clusterOfDescription(description),
  ofCluster: ({ items }, owner) => [...items.values()].filter((each) => isOwnedByCluster(each, owner)),
  isUsable: () => true,
  observedState: ({ floating_network_id: type, created_at: created }) => ({ type, created }),
};

/** The item types match their caches. */
export const PROJECT_KINDS = [loadBalancers, volumes, floatingIps] as unknown as readonly ProjectKind[];

/** A cluster's resources in a list; undefined before the first trustworthy list. */
export function observeKind(
  kind: ProjectKind,
  snapshot: Snapshot<Identifiable>,
  {
    owner,
    record,
    ends,
    listedFromMs,
  }: {
    readonly owner: ClusterOwner;
    readonly record: UsageRecord | undefined;
    readonly ends: EndTracker;
    readonly listedFromMs: number;
  },
): UsageObservation | undefined {
  const { listedAtMs: atMs } = snapshot;
  if (atMs === undefined || atMs <= listedFromMs) return undefined;
  const counted = idsOf(record, kind.resource);
  const items = kind
    .ofCluster(snapshot, owner)
    .filter((item) => counted.has(item.id) || kind.isUsable(item))
    .map((item): ObservedItem => {
      const { created, ...observed } = kind.observedState(item);
      return { ...observed, id: item.id, sinceMs: cloudTimeMs(created) ?? atMs };
    });
  return {
    resource: kind.resource,
    atMs,
    items,
    endOf: (id) => ends.of(id),
    unchangedMsOf: (id) => ends.unchangedMsOf(id),
  };
}
