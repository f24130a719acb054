import { SNAPSHOT_CONTROLLER_ANNOTATION } from '@fairway/api/group';
import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { Informer } from '@fairway/kube/client/informer';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import {
  type VolumeSnapshot,
  type VolumeSnapshotClass,
  VolumeSnapshotClasses,
  type VolumeSnapshotContent,
  VolumeSnapshotContents,
  VolumeSnapshots,
} from '@fairway/kube/kinds/volume-snapshots';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { readClass, readContent, readSnapshot } from './snapshot-objects.ts';

/** Fairway's cache of the snapshot objects of a tenant's cluster. */
export interface TenantSnapshots {
  readonly snapshots: Informer<VolumeSnapshot>;
  readonly contents: Informer<VolumeSnapshotContent>;
  readonly classes: Informer<VolumeSnapshotClass>;
}

const DEFINITION = `${VolumeSnapshots.plural}.${VolumeSnapshots.group}`;

/** Undefined while the cluster does not have these kinds. */
export function snapshotsOf(tenant: TenantCluster): TenantSnapshots | undefined {
  return definitionsOf(tenant).get(DEFINITION) && kindsOf(tenant);
}

/** Whether all snapshot kinds have been listed. */
export function isSynced({ snapshots, contents, classes }: TenantSnapshots): boolean {
  return snapshots.hasSynced && contents.hasSynced && classes.hasSynced;
}

/** Whether Fairway binds VolumeSnapshots in the cluster; otherwise the tenant's snapshot-controller does. */
export function bindsSnapshots(tenant: TenantCluster): boolean {
  const definition = definitionsOf(tenant).get(DEFINITION);
  return definition?.metadata.annotations?.[SNAPSHOT_CONTROLLER_ANNOTATION] === 'fairway';
}

/**
 * Watches the kinds while the cluster has them. `begin` is called when they appear, and `change` when a different
 * controller becomes responsible for binding.
 */
export function watchSnapshots(
  tenant: TenantCluster,
  { begin, change }: { readonly begin: (snapshots: TenantSnapshots) => void; readonly change?: () => void },
): void {
  definitionsOf(tenant).addHandler({
    onAdd: () => begin(kindsOf(tenant)),
    onUpdate: () => change?.(),
    onDelete: () => forgetKinds(tenant),
  });
}

/** Unbound and unready VolumeSnapshots, indexed by the key of their source claim. */
export const unreadyByClaim: CacheIndex<VolumeSnapshot> = {
  name: 'claim',
  valuesOf({ metadata, spec, status }) {
    const { persistentVolumeClaimName: name } = spec.source;
    return name && status?.readyToUse !== true ? [`${metadata.namespace}/${name}`] : [];
  },
};

/** Unready VolumeSnapshots, indexed by class, with '' for the default class. */
export const unreadyByClass: CacheIndex<VolumeSnapshot> = {
  name: 'class',
  valuesOf: ({ spec, status }) => (status?.readyToUse === true ? [] : [spec.volumeSnapshotClassName ?? '']),
};

/** Contents without a snapshot, indexed by class. */
export const pendingByClass: CacheIndex<VolumeSnapshotContent> = {
  name: 'class',
  valuesOf: ({ spec, status }) =>
    spec.volumeSnapshotClassName && status?.snapshotHandle === undefined ? [spec.volumeSnapshotClassName] : [],
};

/** Contents with a snapshot, indexed by the ID of its volume. */
export const contentsByVolume: CacheIndex<VolumeSnapshotContent> = {
  name: 'volume',
  valuesOf: ({ spec, status }) =>
    spec.source.volumeHandle && status?.snapshotHandle ? [spec.source.volumeHandle] : [],
};

/** Watches only the definition of VolumeSnapshots, as the add-ons controller also does. */
function definitionsOf({ informers }: TenantCluster) {
  return informers.informer(CustomResourceDefinitions, { fieldSelector: `metadata.name=${DEFINITION}` });
}

function kindsOf({ informers }: TenantCluster): TenantSnapshots {
  const snapshots = informers.informer(VolumeSnapshots, { trim: readSnapshot });
  const contents = informers.informer(VolumeSnapshotContents, { trim: readContent });
  snapshots.addIndex(unreadyByClaim.name, unreadyByClaim.valuesOf);
  snapshots.addIndex(unreadyByClass.name, unreadyByClass.valuesOf);
  contents.addIndex(pendingByClass.name, pendingByClass.valuesOf);
  contents.addIndex(contentsByVolume.name, contentsByVolume.valuesOf);
  return { snapshots, contents, classes: informers.informer(VolumeSnapshotClasses, { trim: readClass }) };
}

/** Removes the informers, which would otherwise keep sending requests for the kinds. */
function forgetKinds({ informers }: TenantCluster): void {
  informers.remove(VolumeSnapshots);
  informers.remove(VolumeSnapshotContents);
  informers.remove(VolumeSnapshotClasses);
}
