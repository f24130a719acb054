import { counted } from '@fairway/api/domain/counted';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { Volume, VolumeSnapshot } from '@fairway/openstack/types/block-storage';
import { reclaimPolicyOf } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import { storedOfCluster } from '@fairway/tenancy/cloud/storage-index';
import type { Leftover } from './leftover.ts';

/** Volumes and snapshots that pods of a cluster asked for. */
export interface ClusterVolumes {
  readonly volumes: readonly Volume[];
  readonly snapshots: readonly VolumeSnapshot[];
}

const NOTHING: ClusterVolumes = { volumes: [], snapshots: [] };
/** Neither list nor deletion are repeated more often. */
const RETRY_MS = 10_000;
const MAX_AGE_MS = 5_000;

/** Those with the cluster's marks, by lists that began after `sinceMs`. None where the cloud has no Cinder. */
export async function volumesOfCluster(
  { cache }: ProjectCloud,
  clusterUid: string,
  sinceMs: number,
): Promise<ClusterVolumes> {
  try {
    const [volumes, snapshots] = await Promise.all([
      cache.volumes.refreshAfter(sinceMs),
      cache.volumeSnapshots.refreshAfter(sinceMs),
    ]);
    return { volumes: storedOfCluster(volumes, clusterUid), snapshots: storedOfCluster(snapshots, clusterUid) };
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return NOTHING;
    throw error;
  }
}

/** Which of them go with the cluster. Pure. */
export function volumesToDelete({ volumes, snapshots }: ClusterVolumes): ClusterVolumes {
  const kept = new Set(snapshots.filter(isKept).map(({ volume_id }) => volume_id));
  return {
    // Cinder keeps a volume as long as it has snapshots.
    volumes: volumes.filter((volume) => !isKept(volume) && !kept.has(volume.id)),
    snapshots: snapshots.filter((snapshot) => !isKept(snapshot)),
  };
}

function isKept(stored: Volume | VolumeSnapshot): boolean {
  return reclaimPolicyOf(stored) === 'Retain';
}

/**
 * Deletes the volumes and snapshots of a cluster without servers whose reclaim policy says so, snapshots first; the others stay. Returns what is left to
 * be deleted; rejects with the cloud's error.
 */
export async function deleteVolumes(
  cloud: ProjectCloud,
  clusterUid: string,
  options: CallOptions,
): Promise<Leftover | undefined> {
  const { blockStorage } = cloud.client;
  const { ledgers } = cloud;
  refuseDoubt(cloud, clusterUid);
  const sinceMs = Math.max(
    cloud.completeFromMs(ledgers.volumes, MAX_AGE_MS),
    cloud.completeFromMs(ledgers.volumeSnapshots, MAX_AGE_MS),
  );
  const { volumes, snapshots } = volumesToDelete(await volumesOfCluster(cloud, clusterUid, sinceMs));
  for (const { id, status } of snapshots) {
    if (WAITING.has(status)) continue;
    await cloud.remove(ledgers.volumeSnapshots, id, () => blockStorage.snapshots.delete(id, options));
  }
  if (snapshots.length > 0) return { what: counted(snapshots.length, 'snapshot'), retryAfterMs: RETRY_MS };
  for (const { id, status } of volumes) {
    // A server that was just deleted lets it go in a moment.
    if (WAITING.has(status)) continue;
    await cloud.remove(ledgers.volumes, id, () => blockStorage.volumes.delete(id, options));
  }
  return volumes.length === 0 ? undefined : { what: counted(volumes.length, 'volume'), retryAfterMs: RETRY_MS };
}

/** Throws StillSettling while the cloud may be at work on a request to make one. */
function refuseDoubt(cloud: ProjectCloud, clusterUid: string): void {
  const nowMs = cloud.now();
  const isOfCluster = (owner: string) => owner.startsWith(`${clusterUid}/`);
  for (const ledger of [cloud.ledgers.volumes, cloud.ledgers.volumeSnapshots]) {
    if (ledger.isInDoubt(isOfCluster, nowMs)) throw new StillSettling('volume', nowMs + RETRY_MS);
  }
}

/** What Cinder is about to end with something that can be deleted. */
const WAITING: ReadonlySet<string> = new Set(['creating', 'deleting', 'detaching', 'in-use']);
