import type { PersistentVolume } from '@fairway/kube/kinds/generated/types';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Ledger } from '@fairway/tenancy/cloud/ledger';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Stored } from '@fairway/tenancy/cloud/storage-index';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import type { OwnedStorage } from './owned-storage.ts';
import type { StorageScope } from './storage-scope.ts';

/** A cloud resource that stores a volume's data. */
export interface StoredObject extends Stored {
  readonly status: string;
  /** GiB. */
  readonly size: number;
}

/** The storage backend of one driver's PersistentVolumes: Cinder volumes or Manila shares. */
export interface StorageBackend<T extends StoredObject> {
  readonly driver: string;
  readonly words: {
    /** `block-storage`. */
    readonly service: string;
    /** `Cinder`. */
    readonly project: string;
    /** `volume`. */
    readonly noun: string;
  };
  readonly expansion: {
    /** The statuses in which an extension can start. */
    readonly extendableStatuses: ReadonlySet<string>;
    /** The status after a failed extension. */
    readonly failed: string;
    /** Whether the file system on the node must be extended too. */
    needsNodeExpansion(mode: string | undefined): boolean;
    /** Whether the item is attached to a server that has yet to see the new size. */
    isInUse(item: T): boolean;
  };
  cacheOf(cloud: ProjectCloud): ResourceCache<T>;
  ledgerOf(cloud: ProjectCloud): Ledger<T>;
  /** Rejects with StillSettling or with the cloud's error. */
  ownedItems(cloud: ProjectCloud, owner: StorageOwner, signal: AbortSignal): Promise<OwnedStorage<T>>;
  /** Whether this item belongs to the PersistentVolume whose tags it has. */
  isBackedBy(object: PersistentVolume, item: T): boolean;
  /** The ID that the PersistentVolume contains, if an item with this ID exists without the PersistentVolume's tags. */
  findForeign(cloud: ProjectCloud, object: PersistentVolume, signal: AbortSignal): Promise<string | undefined>;
  delete(cloud: ProjectCloud, item: T, signal: AbortSignal): Promise<void>;
  /** Why the cloud would reject the item's deletion now; undefined if the cloud would accept the request. */
  heldReason(item: T, tenant: TenantCluster): string | undefined;
  extend(cloud: ProjectCloud, owner: StorageOwner, item: T, sizeGiB: number, signal: AbortSignal): Promise<void>;
  /** Records on the item what happens to it when the cluster is deleted. */
  updateReclaimPolicy(
    cloud: ProjectCloud,
    owner: StorageOwner,
    item: T,
    policy: 'Delete' | 'Retain',
    signal: AbortSignal,
  ): Promise<void>;
  /** Why a PersistentVolume of the driver is left alone; undefined if it is managed. */
  unsupportedReason?(object: PersistentVolume): string | undefined;
  /** Reconciles additional resources of an item with a PersistentVolume. */
  ensureBackend?(key: string, object: PersistentVolume, item: T, place: StorageScope, pass: Pass): Promise<void>;
}
