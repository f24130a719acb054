import type { PersistentVolumeClaim } from '@fairway/kube/kinds/generated/types';
import type { VolumeSnapshot, VolumeSnapshotContent } from '@fairway/kube/kinds/volume-snapshots';
import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { findUsableSnapshot } from '../volume-snapshots/owned-snapshots.ts';
import { isBoundTo } from '../volume-snapshots/snapshot-binding.ts';
import { ALLOW_MODE_CHANGE_ANNOTATION } from '../volume-snapshots/snapshot-names.ts';
import { snapshotsOf } from '../volume-snapshots/tenant-snapshots.ts';
import { DRIVER } from './driver.ts';
import type { StorageScope } from './storage-scope.ts';
import type { VolumeOrigin } from './volume-plan.ts';

/**
 * Resolves with the source snapshot of a claim's volume, or with the reason why it is not available now. Rejects with
 * the cloud's error.
 */
export async function findSnapshotOrigin(
  claim: PersistentVolumeClaim,
  snapshotName: string,
  { tenant, cloud }: { readonly tenant: StorageScope['tenant']; readonly cloud: ProjectCloud },
  signal: AbortSignal,
): Promise<VolumeOrigin | string> {
  const kinds = snapshotsOf(tenant);
  const snapshot = kinds?.snapshots.get(`${claim.metadata.namespace}/${snapshotName}`);
  const content = kinds?.contents.get(snapshot?.status?.boundVolumeSnapshotContentName ?? '');
  const handle = snapshotHandleFor(claim, snapshotName, snapshot, content);
  if ('problem' in handle) return `spec.dataSource: ${handle.problem}`;
  try {
    const found = await findUsableSnapshot(cloud, tenant.clusterUid, handle.id, signal);
    if (found?.status !== 'available') {
      return `spec.dataSource: snapshot ${handle.id} of VolumeSnapshot ${snapshotName} ${found ? `has status ${found.status} in Cinder` : 'no longer exists'}`;
    }
    const listed = cloud.cache.volumes.snapshot().items.get(found.volume_id);
    const { volumes } = cloud.client.blockStorage;
    const volume = listed ?? (await ignoreNotFound(volumes.get(found.volume_id, { signal })));
    return {
      what: 'snapshot',
      request: { snapshot_id: found.id },
      volumeZone: volume?.availability_zone ?? undefined,
      sizeGiB: found.size,
    };
  } catch (error) {
    if (error instanceof ProblemError) return `spec.dataSource: ${error.message}`;
    throw error;
  }
}

/** The snapshot of a claim's VolumeSnapshot, selected as external-provisioner does. Pure. */
export function snapshotHandleFor(
  { spec }: PersistentVolumeClaim,
  name: string,
  snapshot: VolumeSnapshot | undefined,
  content: VolumeSnapshotContent | undefined,
): { readonly id: string } | { readonly problem: string } {
  if (snapshot === undefined) return { problem: `there is no VolumeSnapshot ${name}` };
  if (snapshot.metadata.deletionTimestamp !== undefined) return { problem: `VolumeSnapshot ${name} is being deleted` };
  if (snapshot.status?.readyToUse !== true) return { problem: `VolumeSnapshot ${name} is not ready to use yet` };
  // A user who may write VolumeSnapshots can refer to any content, so the content must refer back.
  if (content === undefined || !isBoundTo(snapshot, content)) {
    return { problem: `VolumeSnapshot ${name} is not bound to a VolumeSnapshotContent` };
  }
  if (content.spec.driver !== DRIVER) return { problem: `VolumeSnapshot ${name} uses another driver` };
  const { sourceVolumeMode: mode } = content.spec;
  const desired = spec.volumeMode ?? 'Filesystem';
  if (mode && mode !== desired && content.metadata.annotations?.[ALLOW_MODE_CHANGE_ANNOTATION] !== 'true') {
    return {
      problem: `VolumeSnapshot ${name} was taken of a volume with volumeMode ${mode}, but the claim has ${desired}: to allow this, someone with access to VolumeSnapshotContents must set the annotation ${ALLOW_MODE_CHANGE_ANNOTATION}: "true"`,
    };
  }
  const { snapshotHandle } = content.status ?? {};
  return snapshotHandle ? { id: snapshotHandle } : { problem: `VolumeSnapshot ${name} has no snapshot yet` };
}
