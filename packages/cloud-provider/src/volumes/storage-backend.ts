import type { PersistentVolume } from '@fairway/kube/kinds/generated/types';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Ledger } from '@fairway/tenancy/cloud/ledger';
import type { StorageOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import type { Stored } from '@fairway/tenancy/cloud/storage-index';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import type { OwnedStorage } from './owned-storage.ts';
import type { StoragePlace } from './storage-place.ts';

/** What a cloud keeps data in. */
export interface StoredData extends Stored {
  readonly status: string;
  /** GiB. */
  readonly size: number;
}

/** Where the data of one driver's PersistentVolumes is: Cinder's volumes, or Manila's shares. */
export interface StorageBackend<T extends StoredData> {
  readonly driver: string;
  readonly words: {
    /** `block-storage`. */
    readonly service: string;
    /** `Cinder`. */
    readonly project: string;
    /** `volume`. */
    readonly noun: string;
  };
  readonly growth: {
    /** The statuses in which it can begin. */
    readonly startable: ReadonlySet<string>;
    /** That of one that could not grow. */
    readonly failed: string;
    /** Whether the file system on the node has to follow. */
    isOfNode(mode: string | undefined): boolean;
    /** Whether it is shown to a server, which has yet to follow when the cloud says that it has grown. */
    isInUse(item: T): boolean;
  };
  cacheOf(cloud: ProjectCloud): ResourceCache<T>;
  ledgerOf(cloud: ProjectCloud): Ledger<T>;
  /** Rejects with StillSettling, or the cloud's error. */
  owned(cloud: ProjectCloud, owner: StorageOwner, signal: AbortSignal): Promise<OwnedStorage<T>>;
  /** Whether a PersistentVolume is for this one of those that carry its marks. */
  isFor(object: PersistentVolume, item: T): boolean;
  /** Id of what a PersistentVolume names, if that exists and does not carry its marks. */
  findForeign(cloud: ProjectCloud, object: PersistentVolume, signal: AbortSignal): Promise<string | undefined>;
  delete(cloud: ProjectCloud, item: T, signal: AbortSignal): Promise<void>;
  /** Why the cloud would refuse to delete it now; undefined if it would not. */
  heldBecause(item: T, tenant: TenantCluster): string | undefined;
  extend(cloud: ProjectCloud, owner: StorageOwner, item: T, sizeGiB: number, signal: AbortSignal): Promise<void>;
  /** Notes on it what is to become of it without the cluster. */
  noteReclaimPolicy(
    cloud: ProjectCloud,
    owner: StorageOwner,
    item: T,
    policy: 'Delete' | 'Retain',
    signal: AbortSignal,
  ): Promise<void>;
  /** Why a PersistentVolume of the driver is left alone; undefined for one that is kept. */
  unserved?(object: PersistentVolume): string | undefined;
  /** What else is kept for one that has a PersistentVolume. */
  keep?(key: string, object: PersistentVolume, item: T, place: StoragePlace, pass: Pass): Promise<void>;
}
