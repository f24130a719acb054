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

/** What a tenant's cluster says of snapshots, as Fairway caches it. */
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

/** Whether all of it is listed. */
export function isSynced({ snapshots, contents, classes }: TenantSnapshots): boolean {
  return snapshots.hasSynced && contents.hasSynced && classes.hasSynced;
}

/** Whether Fairway binds VolumeSnapshots there; otherwise a snapshot-controller of the tenant's does. */
export function bindsSnapshots(tenant: TenantCluster): boolean {
  const definition = definitionsOf(tenant).get(DEFINITION);
  return definition?.metadata.annotations?.[SNAPSHOT_CONTROLLER_ANNOTATION] === 'fairway';
}

/** Watches the kinds while the cluster has them: `begin` is called when it gets them, `change` when somebody else is to bind them. */
export function followSnapshots(
  tenant: TenantCluster,
  { begin, change }: { readonly begin: (snapshots: TenantSnapshots) => void; readonly change?: () => void },
): void {
  definitionsOf(tenant).addHandler({
    onAdd: () => begin(kindsOf(tenant)),
    onUpdate: () => change?.(),
    onDelete: () => forgetKinds(tenant),
  });
}

/** Unbound ones and those that are not ready, by the key of the claim that they are of. */
export const unreadyByClaim: CacheIndex<VolumeSnapshot> = {
  name: 'claim',
  valuesOf({ metadata, spec, status }) {
    const { persistentVolumeClaimName: name } = spec.source;
    return name && status?.readyToUse !== true ? [`${metadata.namespace}/${name}`] : [];
  },
};

/** Those that are not ready, by the name of their class; '' for the default. */
export const unreadyByClass: CacheIndex<VolumeSnapshot> = {
  name: 'class',
  valuesOf: ({ spec, status }) => (status?.readyToUse === true ? [] : [spec.volumeSnapshotClassName ?? '']),
};

/** Those without a snapshot, by the name of their class. */
export const unmadeByClass: CacheIndex<VolumeSnapshotContent> = {
  name: 'class',
  valuesOf: ({ spec, status }) =>
    spec.volumeSnapshotClassName && status?.snapshotHandle === undefined ? [spec.volumeSnapshotClassName] : [],
};

/** Those with a snapshot, by the id of the volume that it is of. */
export const madeByVolume: CacheIndex<VolumeSnapshotContent> = {
  name: 'volume',
  valuesOf: ({ spec, status }) =>
    spec.source.volumeHandle && status?.snapshotHandle ? [spec.source.volumeHandle] : [],
};

/** One object, which the add-ons' controller watches too. */
function definitionsOf({ informers }: TenantCluster) {
  return informers.informer(CustomResourceDefinitions, { fieldSelector: `metadata.name=${DEFINITION}` });
}

function kindsOf({ informers }: TenantCluster): TenantSnapshots {
  const snapshots = informers.informer(VolumeSnapshots, { trim: readSnapshot });
  const contents = informers.informer(VolumeSnapshotContents, { trim: readContent });
  snapshots.addIndex(unreadyByClaim.name, unreadyByClaim.valuesOf);
  snapshots.addIndex(unreadyByClass.name, unreadyByClass.valuesOf);
  contents.addIndex(unmadeByClass.name, unmadeByClass.valuesOf);
  contents.addIndex(madeByVolume.name, madeByVolume.valuesOf);
  return { snapshots, contents, classes: informers.informer(VolumeSnapshotClasses, { trim: readClass }) };
}

/** They would be asked for again and again otherwise. */
function forgetKinds({ informers }: TenantCluster): void {
  informers.remove(VolumeSnapshots);
  informers.remove(VolumeSnapshotContents);
  informers.remove(VolumeSnapshotClasses);
}
