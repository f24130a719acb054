import type { Informer } from '@fairway/kube/client/informer';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from '@fairway/kube/kinds/resources';
import { VolumeSnapshots } from '@fairway/kube/kinds/volume-snapshots';
import type { KubeObject } from '@fairway/kube/object/meta';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { SHARE_ANNOTATION } from '../shares/driver.ts';
import {
  cinderIdOf,
  driverOf,
  PROVISIONED_BY_ANNOTATION,
  PROVISIONER_ANNOTATION_NAMES,
  SELECTED_NODE_ANNOTATION,
} from './driver.ts';

/** Fairway's cache of the storage objects of a tenant's cluster. */
export interface TenantStorage {
  readonly claims: Informer<PersistentVolumeClaim>;
  readonly volumes: Informer<PersistentVolume>;
  readonly classes: Informer<StorageClass>;
}

/**
 * The informers that all controllers of a connection share. Their objects lack unused fields, so they may be written
 * only with patches.
 */
export function storageOf({ informers }: TenantCluster): TenantStorage {
  const claims = informers.informer(PersistentVolumeClaims, { trim });
  const volumes = informers.informer(PersistentVolumes, { trim });
  volumes.addIndex(volumesByHandle.name, volumesByHandle.valuesOf);
  claims.addIndex(claimsByVolume.name, claimsByVolume.valuesOf);
  claims.addIndex(claimsByClass.name, claimsByClass.valuesOf);
  claims.addIndex(claimsBySource.name, claimsBySource.valuesOf);
  claims.addIndex(claimsBySnapshot.name, claimsBySnapshot.valuesOf);
  volumes.addIndex(volumesByDriver.name, volumesByDriver.valuesOf);
  return { claims, volumes, classes: informers.informer(StorageClasses) };
}

/** Name of the PersistentVolume provisioned for a claim. */
export function volumeNameOf({ metadata }: PersistentVolumeClaim): string {
  return `pvc-${metadata.uid}`;
}

/** Claims, indexed by the name of the PersistentVolume that is or would be provisioned for them. */
export const claimsByVolume: CacheIndex<PersistentVolumeClaim> = {
  name: 'volume',
  valuesOf: (claim) => [volumeNameOf(claim)],
};

/** PersistentVolumes of the driver, indexed by volume ID. */
export const volumesByHandle: CacheIndex<PersistentVolume> = {
  name: 'handle',
  valuesOf: (volume) => [cinderIdOf(volume)].filter((id) => id !== undefined),
};

/** PersistentVolumes, indexed by driver. */
export const volumesByDriver: CacheIndex<PersistentVolume> = {
  name: 'driver',
  valuesOf: (volume) => [driverOf(volume)].filter((driver) => driver !== undefined),
};

/** Claims, indexed by class. */
export const claimsByClass: CacheIndex<PersistentVolumeClaim> = {
  name: 'class',
  valuesOf: ({ spec }) => (spec.storageClassName ? [spec.storageClassName] : []),
};

/** Unbound claims, indexed by the key of the claim that they clone. */
export const claimsBySource: CacheIndex<PersistentVolumeClaim> = {
  name: 'source',
  valuesOf({ metadata, spec }) {
    const source = spec.dataSourceRef ?? spec.dataSource;
    return source?.kind === 'PersistentVolumeClaim' && !spec.volumeName ? [`${metadata.namespace}/${source.name}`] : [];
  },
};

/** Unbound claims, indexed by the key of their source VolumeSnapshot. */
export const claimsBySnapshot: CacheIndex<PersistentVolumeClaim> = {
  name: 'snapshot',
  valuesOf({ metadata, spec }) {
    const source = spec.dataSourceRef ?? spec.dataSource;
    return source && isSnapshot(source) && !spec.volumeName ? [`${metadata.namespace}/${source.name}`] : [];
  },
};

/** Whether a claim's source is a VolumeSnapshot. */
export function isSnapshot({ kind, apiGroup }: { readonly kind: string; readonly apiGroup?: string }): boolean {
  return kind === VolumeSnapshots.kind && apiGroup === VolumeSnapshots.group;
}

const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...PROVISIONER_ANNOTATION_NAMES,
  SELECTED_NODE_ANNOTATION,
  PROVISIONED_BY_ANNOTATION,
  'volume.beta.kubernetes.io/storage-class',
  SHARE_ANNOTATION,
]);

function trim<T extends KubeObject>(object: T): T {
  const { annotations, labels: _, ...metadata } = object.metadata;
  const kept = Object.entries(annotations ?? {}).filter(([name]) => ANNOTATIONS.has(name));
  object.metadata = { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) };
  return object;
}
