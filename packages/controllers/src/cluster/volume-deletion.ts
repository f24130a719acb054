import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { CallOptions } from '@fairway/openstack/service-api';
import type { Volume, VolumeSnapshot } from '@fairway/openstack/types/block-storage';
import { reclaimPolicyOf, rootVolumeOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import { storageObjectsOfCluster } from '@fairway/tenancy/cloud/storage-index';
import {
  type DeletionOptions,
  displayNames,
  joinHeld,
  type RemainingResources,
  refused,
  removeEach,
} from './remaining-resources.ts';
import { holdOfSnapshot, holdOfVolume } from './volume-holds.ts';

/** Volumes and snapshots requested by pods of a cluster, and the volumes that its servers boot from. */
export interface ClusterVolumes {
  readonly volumes: readonly Volume[];
  readonly snapshots: readonly VolumeSnapshot[];
}

const NOTHING: ClusterVolumes = { volumes: [], snapshots: [] };
/** Minimum interval between lists, and between deletions. */
const RETRY_MS = 10_000;
const MAX_AGE_MS = 5_000;

/**
 * The volumes and snapshots with the cluster's tags, according to lists requested after `sinceMs`. None if the cloud
 * has no Cinder.
 */
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
    return {
      volumes: [...storageObjectsOfCluster(volumes, clusterUid), ...rootVolumesOfCluster(volumes, clusterUid)],
      snapshots: storageObjectsOfCluster(snapshots, clusterUid),
    };
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return NOTHING;
    throw error;
  }
}

/** Volumes that servers of the cluster boot from, or used to. */
export function rootVolumesOfCluster({ items }: Snapshot<Volume>, clusterUid: string): readonly Volume[] {
  return [...items.values()].filter((volume) => rootVolumeOwner(volume)?.clusterUid === clusterUid);
}

/** Which of these volumes and snapshots are deleted with the cluster. Pure. */
export function volumesToDelete({ volumes, snapshots }: ClusterVolumes): ClusterVolumes {
  const kept = new Set(snapshots.filter(isKept).map(({ volume_id }) => volume_id));
  return {
    // Cinder does not delete a volume that has snapshots.
    volumes: volumes.filter((volume) => !isKept(volume) && !kept.has(volume.id)),
    snapshots: snapshots.filter((snapshot) => !isKept(snapshot)),
  };
}

function isKept(stored: Volume | VolumeSnapshot): boolean {
  return reclaimPolicyOf(stored) === 'Retain';
}

/**
 * Deletes the volumes and snapshots of a cluster without servers according to their reclaim policy, snapshots first; the others are
 * retained. Returns what remains to be deleted, and what blocks it; rejects with the cloud's error.
 */
export async function deleteVolumes(
  cloud: ProjectCloud,
  clusterUid: string,
  options: DeletionOptions,
): Promise<RemainingResources | undefined> {
  const { blockStorage } = cloud.client;
  const { ledgers } = cloud;
  requireReliableLists(cloud, clusterUid);
  const sinceMs = Math.max(
    cloud.completeFromMs(ledgers.volumes, MAX_AGE_MS),
    cloud.completeFromMs(ledgers.volumeSnapshots, MAX_AGE_MS),
  );
  const stored = await volumesOfCluster(cloud, clusterUid, sinceMs);
  const { volumes, snapshots } = volumesToDelete(stored);
  const held = await removeEach(
    snapshots.filter(({ status }) => !TRANSIENT_STATES.has(status)),
    ({ id }) => cloud.remove(ledgers.volumeSnapshots, id, () => blockStorage.snapshots.delete(id, options)),
    (snapshot, refusal) => holdOfSnapshot(snapshot, options.isLate) ?? refused('snapshot', snapshot, refusal),
  );
  const slow = joinHeld(snapshots.map((snapshot) => holdOfSnapshot(snapshot, options.isLate)));
  // Cinder does not delete a volume that has snapshots.
  const busy = new Set(snapshots.map(({ volume_id }) => volume_id));
  const left = await removeVolumes(
    cloud,
    volumes.filter(({ id }) => !busy.has(id)),
    options,
  );
  if (snapshots.length > 0) {
    const what = displayNames('snapshot', snapshots);
    return { what, retryAfterMs: RETRY_MS, held: joinHeld([held ?? slow, left?.held]) };
  }
  return left;
}

/** Deletes volumes without snapshots created by Fairway. Returns what remains, and what blocks it; rejects with the cloud's error. */
export async function removeVolumes(
  cloud: ProjectCloud,
  volumes: readonly Volume[],
  options: DeletionOptions,
): Promise<RemainingResources | undefined> {
  if (volumes.length === 0) return undefined;
  const { blockStorage } = cloud.client;
  const { isLate } = options;
  const servers = await serversWithVolumes(cloud, volumes, options);
  const holdOf = async (volume: Volume, snapshots: readonly VolumeSnapshot[] = []) =>
    holdOfVolume(volume, { servers, snapshots, isLate });
  const held = await removeEach(
    // A server that was just deleted will release the volume shortly.
    volumes.filter(({ status }) => !TRANSIENT_STATES.has(status)),
    ({ id }) => cloud.remove(cloud.ledgers.volumes, id, () => blockStorage.volumes.delete(id, options)),
    async (volume, refusal) =>
      (await holdOf(volume, await snapshotsOf(cloud, volume, options))) ?? refused('volume', volume, refusal),
  );
  const waiting = await Promise.all(
    volumes.filter(({ status }) => TRANSIENT_STATES.has(status)).map((each) => holdOf(each)),
  );
  return { what: displayNames('volume', volumes), retryAfterMs: RETRY_MS, held: joinHeld([held, ...waiting]) };
}

/** The maximum number of servers and snapshots that a blocked deletion looks up; messages mention no more than that. */
const MAX_QUERIED_VOLUMES = 3;

/**
 * The names of servers that volumes are attached to. None of them belongs to the cluster, whose servers have been
 * deleted.
 */
async function serversWithVolumes(
  cloud: ProjectCloud,
  volumes: readonly Volume[],
  options: CallOptions,
): Promise<ReadonlyMap<string, string | undefined>> {
  const ids = volumes.flatMap(({ attachments }) => attachments.flatMap(({ server_id }) => server_id ?? []));
  const queriedIDs = [...new Set(ids)].slice(0, MAX_QUERIED_VOLUMES);
  const { servers } = cloud.client.compute;
  return new Map(
    await Promise.all(
      queriedIDs.map(async (id): Promise<[string, string | undefined]> => {
        const server = await ignoreNotFound(servers.get(id, options));
        return [id, server?.['OS-EXT-STS:task_state'] === 'deleting' ? undefined : server?.name];
      }),
    ),
  );
}

async function snapshotsOf(
  cloud: ProjectCloud,
  { id }: Volume,
  options: CallOptions,
): Promise<readonly VolumeSnapshot[]> {
  const found: VolumeSnapshot[] = [];
  for await (const snapshot of cloud.client.blockStorage.snapshots.list({ volume_id: id }, options))
    found.push(snapshot);
  return found;
}

/** Throws StillSettling while the cloud may still be processing a create request. */
function requireReliableLists(cloud: ProjectCloud, clusterUid: string): void {
  const nowMs = cloud.now();
  const isOfCluster = (owner: string) => owner.startsWith(`${clusterUid}/`);
  for (const ledger of [cloud.ledgers.volumes, cloud.ledgers.volumeSnapshots]) {
    if (ledger.hasUnknownOutcome(isOfCluster, nowMs)) throw new StillSettlingError('volume', nowMs + RETRY_MS);
  }
}

/** Volumes in a transitional state that can end in one that permits deletion. */
const TRANSIENT_STATES: ReadonlySet<string> = new Set(['creating', 'deleting', 'attaching', 'detaching', 'in-use']);
