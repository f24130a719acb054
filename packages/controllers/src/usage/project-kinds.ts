import type { Look, Sighting } from '@fairway/api/domain/usage/follow';
import type { UsageRecord, UsageResource } from '@fairway/api/kinds/usage-record';
import type { ProjectCache } from '@fairway/openstack/cache/project-cache';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Identified, Snapshot } from '@fairway/openstack/cache/snapshot';
import type { Volume } from '@fairway/openstack/types/block-storage';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import type { FloatingIp } from '@fairway/openstack/types/network';
import { balancingOfCluster } from '@fairway/tenancy/cloud/balancing';
import {
  type ClusterOwner,
  clusterOfDescription,
  clusterOfTags,
  isOwnedByCluster,
  storageOwner,
} from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { storedOfCluster } from '@fairway/tenancy/cloud/storage-index';
import { cloudTimeMs } from './cloud-time.ts';
import type { Departures } from './departures.ts';
import { idsOf } from './looks.ts';

/** A kind of resource that is listed only where there is something of it, or somebody else wants it listed. */
export interface ProjectKind<T extends Identified = Identified> {
  readonly resource: UsageResource;
  readonly cacheOf: (cache: ProjectCache) => ResourceCache<T>;
  /** What this process has made and deleted. */
  readonly ledgerOf: (cloud: ProjectCloud) => Pick<ProjectCloud['ledgers']['servers'], 'lastChangedMs'>;
  /** The identity of the cluster that it is of, for whoever has to look; undefined for one that is no cluster's. */
  readonly clusterUidOf: (item: T) => string | undefined;
  readonly ofCluster: (snapshot: Snapshot<T>, owner: ClusterOwner) => readonly T[];
  /** Whether it is usable by now, or has been counted. */
  readonly isBegun: (item: T) => boolean;
  readonly sightingOf: (item: T) => Omit<Sighting, 'id' | 'sinceMs'> & { readonly created: string | null | undefined };
}

const loadBalancers: ProjectKind<LoadBalancer> = {
  resource: 'LoadBalancer',
  cacheOf: (cache) => cache.loadBalancers,
  ledgerOf: ({ ledgers }) => ledgers.loadBalancers,
  clusterUidOf: (item) => clusterOfTags(item, item.project_id),
  ofCluster: (snapshot, { projectID, clusterUid }) =>
    balancingOfCluster(snapshot, projectID, clusterUid).filter((each) => each.provisioning_status !== 'DELETED'),
  isBegun: ({ provisioning_status: state }) => state !== 'PENDING_CREATE' && state !== 'ERROR',
  sightingOf: ({ provider, created_at: created }) => ({ type: provider ?? 'default', created }),
};

const BEING_MADE: ReadonlySet<string> = new Set(['creating', 'downloading', 'error']);

const volumes: ProjectKind<Volume> = {
  resource: 'Volume',
  cacheOf: (cache) => cache.volumes,
  ledgerOf: ({ ledgers }) => ledgers.volumes,
  clusterUidOf: (item) => storageOwner(item)?.clusterUid,
  ofCluster: (snapshot, { clusterUid }) => storedOfCluster(snapshot, clusterUid),
  isBegun: ({ status }) => !BEING_MADE.has(status),
  sightingOf: ({ volume_type, size, created_at: created }) => ({
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
  isBegun: () => true,
  sightingOf: ({ floating_network_id: type, created_at: created }) => ({ type, created }),
};

/** The types of their items go with their caches. */
export const PROJECT_KINDS = [loadBalancers, volumes, floatingIps] as unknown as readonly ProjectKind[];

/** What a list shows of a cluster; undefined before there is one that may be believed. */
export function kindLook(
  kind: ProjectKind,
  snapshot: Snapshot<Identified>,
  {
    owner,
    record,
    departures,
    listedFromMs,
  }: {
    readonly owner: ClusterOwner;
    readonly record: UsageRecord | undefined;
    readonly departures: Departures;
    readonly listedFromMs: number;
  },
): Look | undefined {
  const { listedAtMs: atMs } = snapshot;
  if (atMs === undefined || atMs <= listedFromMs) return undefined;
  const counted = idsOf(record, kind.resource);
  const items = kind
    .ofCluster(snapshot, owner)
    .filter((item) => counted.has(item.id) || kind.isBegun(item))
    .map((item): Sighting => {
      const { created, ...sighting } = kind.sightingOf(item);
      return { ...sighting, id: item.id, sinceMs: cloudTimeMs(created) ?? atMs };
    });
  return {
    resource: kind.resource,
    atMs,
    items,
    departureOf: (id) => departures.of(id),
    unchangedMsOf: (id) => departures.unchangedMsOf(id),
  };
}
