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

/** Whether everything has been listed. */
export function isSynced({ snapshots, contents, classes }: TenantSnapshots): boolean {
  return snapshots.hasSynced && contents.hasSynced && classes.hasSynced;
}

/** Whether Fairway binds VolumeSnapshots in the cluster; otherwise the tenant's snapshot-controller does. */
export function bindsSnapshots(tenant: TenantCluster): boolean {
  const definition = definitionsOf(tenant).get(DEFINITION);
  return definition?.metadata.annotations?.[SNAPSHOT_CONTROLLER_ANNOTATION] === 'fairway';
}

/** Watches the kinds while the cluster has them: `begin` is called when they appear, `change` when the binding controller changes. */
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

/** Unbound and unready VolumeSnapshots, by the key of their source claim. */
export const unreadyByClaim: CacheIndex<VolumeSnapshot> = {
  name: 'claim',
  valuesOf({ metadata, spec, status }) {
    const { persistentVolumeClaimName: name } = spec.source;
    return name && status?.readyToUse !== true ? [`${metadata.namespace}/${name}`] : [];
  },
};

/** Unready VolumeSnapshots, by class; '' for the default. */
export const unreadyByClass: CacheIndex<VolumeSnapshot> = {
  name: 'class',
  valuesOf: ({ spec, status }) => (status?.readyToUse === true ? [] : [spec.volumeSnapshotClassName ?? '']),
};

/** Contents without a snapshot, by class. */
export const pendingByClass: CacheIndex<VolumeSnapshotContent> = {
  name: 'class',
  valuesOf: ({ spec, status }) =>
    spec.volumeSnapshotClassName && status?.snapshotHandle === undefined ? [spec.volumeSnapshotClassName] : [],
};

/** Contents with a snapshot, by the ID of its volume. */
export const contentsByVolume: CacheIndex<VolumeSnapshotContent> = {
  name: 'volume',
  valuesOf: ({ spec, status }) =>
    spec.source.volumeHandle && status?.snapshotHandle ? [spec.source.volumeHandle] : [],
};

/** A single object, also watched by the add-ons controller. */
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

/** Removes the informers, which would otherwise keep requesting the kinds. */
function forgetKinds({ informers }: TenantCluster): void {
  informers.remove(VolumeSnapshots);
  informers.remove(VolumeSnapshotContents);
  informers.remove(VolumeSnapshotClasses);
}
