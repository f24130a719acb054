import type { PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { cinderIdOf } from './driver.ts';
import { ownedVolumes } from './owned-volumes.ts';
import { findSnapshotOrigin } from './snapshot-origin.ts';
import type { StorageScope } from './storage-scope.ts';
import { isSnapshot, storageOf } from './tenant-storage.ts';
import type { VolumeOrigin } from './volume-plan.ts';

/** The source object of a claim; undefined if it has no source, or a message if the source is unsupported. Pure. */
export function sourceOf({
  spec,
  metadata,
}: PersistentVolumeClaim): { readonly claimName: string } | { readonly snapshotName: string } | string | undefined {
  const source = spec.dataSourceRef ?? spec.dataSource;
  if (source === undefined) return undefined;
  const { kind, name, apiGroup } = source;
  const namespace = spec.dataSourceRef?.namespace;
  if (namespace !== undefined && namespace !== metadata.namespace) {
    return `spec.dataSourceRef.namespace is ${namespace}: the source of a volume must be in the namespace of the claim`;
  }
  if (kind === 'PersistentVolumeClaim' && !apiGroup) return { claimName: name };
  if (isSnapshot(source)) return { snapshotName: name };
  return `spec.dataSource is a ${kind}: a volume can be created only from a PersistentVolumeClaim or a VolumeSnapshot`;
}

/** Resolves with the source, or with the reason why it is not available now. Rejects with the cloud's error. */
export async function findOrigin(
  claim: PersistentVolumeClaim,
  { tenant, cloud }: { readonly tenant: StorageScope['tenant']; readonly cloud: ProjectCloud },
  signal: AbortSignal,
): Promise<VolumeOrigin | string | undefined> {
  const source = sourceOf(claim);
  if (source === undefined || typeof source === 'string') return source;
  if ('snapshotName' in source) return findSnapshotOrigin(claim, source.snapshotName, { tenant, cloud }, signal);
  const { claims, volumes } = storageOf(tenant);
  const { claimName } = source;
  const found = claims.get(`${claim.metadata.namespace}/${claimName}`);
  if (found === undefined) return `spec.dataSource: there is no PersistentVolumeClaim ${claimName}`;
  const object = found.status?.phase === 'Bound' ? volumes.get(found.spec.volumeName ?? '') : undefined;
  if (object === undefined) return `spec.dataSource: PersistentVolumeClaim ${claimName} is not bound yet`;
  if (cinderIdOf(object) === undefined)
    return `spec.dataSource: PersistentVolumeClaim ${claimName} uses another driver`;
  if ((object.spec.volumeMode ?? 'Filesystem') !== (claim.spec.volumeMode ?? 'Filesystem')) {
    return `spec.volumeMode differs from that of the source PersistentVolumeClaim ${claimName}`;
  }
  const owner = { clusterUid: tenant.clusterUid, object: object.metadata.name ?? '' };
  const owned = await ownedVolumes(cloud, owner, signal);
  const volume = owned.volumes.find(({ id }) => id === cinderIdOf(object));
  if (volume === undefined) {
    return `spec.dataSource: the volume of PersistentVolumeClaim ${claimName} was not created for it, so Fairway does not clone it`;
  }
  return {
    what: 'volume',
    request: { source_volid: volume.id },
    volumeZone: volume.availability_zone ?? undefined,
    sizeGiB: volume.size,
  };
}
