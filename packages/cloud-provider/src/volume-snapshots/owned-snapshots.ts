import { ignoreNotFound } from '@fairway/openstack/http/openstack-error';
import type { Volume, VolumeSnapshot, VolumeSnapshotCreate } from '@fairway/openstack/types/block-storage';
import { reclaimMark, type StorageOwner, storageMetadata, storageOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { serversOfCluster } from '@fairway/tenancy/cloud/servers';
import { storageKey } from '@fairway/tenancy/cloud/storage-index';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { isCinderId } from '../volumes/driver.ts';
import { type CreateOptions, createStorage, type OwnedStorage, ownedStorage } from '../volumes/owned-storage.ts';

/** Maximum age of a list of servers. */
const MAX_AGE_MS = 60_000;

export type OwnedSnapshots = OwnedStorage<VolumeSnapshot>;

/**
 * Snapshots with the tags of this cluster and VolumeSnapshotContent. Rejects with StillSettling or with the cloud's
 * error.
 */
export function ownedSnapshots(cloud: ProjectCloud, owner: StorageOwner, signal: AbortSignal): Promise<OwnedSnapshots> {
  const kind = { noun: 'snapshot', cache: cloud.cache.volumeSnapshots, ledger: cloud.ledgers.volumeSnapshots };
  return ownedStorage(cloud, kind, owner, signal);
}

/**
 * Creates a snapshot. `prepare` resolves with the request, and is called when the request may be sent. Rejects with the
 * same errors as `createVolume` and `prepare`.
 */
export function createSnapshot(
  cloud: ProjectCloud,
  owner: StorageOwner,
  prepare: () => Promise<VolumeSnapshotCreate>,
  options: CreateOptions,
): Promise<VolumeSnapshot> {
  const prepareCall = async () => {
    const { metadata, ...snapshot } = await prepare();
    const marked = { ...snapshot, metadata: { ...metadata, ...storageMetadata(owner) } };
    return () => cloud.client.blockStorage.snapshots.create(marked, { signal: options.signal });
  };
  return createStorage(cloud, cloud.ledgers.volumeSnapshots, owner, options, prepareCall);
}

export function deleteSnapshot(cloud: ProjectCloud, { id }: VolumeSnapshot, signal: AbortSignal): Promise<void> {
  const { snapshots } = cloud.client.blockStorage;
  return cloud.remove(cloud.ledgers.volumeSnapshots, id, () => snapshots.delete(id, { signal }));
}

/** Records on the snapshot what happens to it when the cluster is deleted. */
export async function recordSnapshotPolicy(
  cloud: ProjectCloud,
  snapshot: VolumeSnapshot,
  policy: 'Delete' | 'Retain',
  signal: AbortSignal,
): Promise<void> {
  const { snapshots } = cloud.client.blockStorage;
  const metadata = await cloud.attempts.withBackoff({ kind: 'mark snapshots', item: snapshot.id }, () =>
    snapshots.mergeMetadata(snapshot.id, reclaimMark(policy), { signal }),
  );
  const owner = storageOwner(snapshot);
  if (owner) cloud.ledgers.volumeSnapshots.recordWritten(storageKey(owner), { ...snapshot, metadata }, cloud.now());
}

/** The current snapshot with this ID, regardless of who created it; undefined if it is not in the project. */
export async function findSnapshot(
  cloud: ProjectCloud,
  id: string,
  signal: AbortSignal,
): Promise<VolumeSnapshot | undefined> {
  if (!isCinderId(id)) return undefined;
  const found = await ignoreNotFound(cloud.client.blockStorage.snapshots.get(id, { signal }));
  const project = found?.['os-extended-snapshot-attributes:project_id'];
  return found && (await isOwnProject(cloud, project)) ? found : undefined;
}

/**
 * Like `findSnapshot`, but throws a ProblemError for a snapshot of another cluster. Otherwise users who may write
 * VolumeSnapshotContents in one cluster could read the volumes of any other.
 */
export async function findUsableSnapshot(
  cloud: ProjectCloud,
  clusterUid: string,
  id: string,
  signal: AbortSignal,
): Promise<VolumeSnapshot | undefined> {
  const found = await findSnapshot(cloud, id, signal);
  if (found) requireOwnCluster('snapshot', found, clusterUid);
  return found;
}

/**
 * The volume with this ID, if the cluster may take snapshots of it; undefined if it is not in the project. Throws a
 * ProblemError for a volume of another cluster, and for an untagged volume attached to a server outside the cluster:
 * disks of other clusters' servers are untagged.
 */
export async function findSource(
  cloud: ProjectCloud,
  clusterUid: string,
  id: string,
  signal: AbortSignal,
): Promise<Volume | undefined> {
  if (!isCinderId(id)) return undefined;
  const volume = await ignoreNotFound(cloud.client.blockStorage.volumes.get(id, { signal }));
  if (volume === undefined || !(await isOwnProject(cloud, volume['os-vol-tenant-attr:tenant_id']))) return undefined;
  requireOwnCluster('volume', volume, clusterUid);
  if (storageOwner(volume) !== undefined) return volume;
  if (volume.attachments.length === 0) return volume;
  const sinceMs = Math.max(cloud.now() - MAX_AGE_MS, cloud.listedFromMs);
  const servers = await cloud.cache.servers.refreshAfter(sinceMs, signal);
  const own = new Set(serversOfCluster(servers, clusterUid).map((server) => server.id));
  const other = volume.attachments.find(({ server_id: server }) => !own.has(server ?? ''));
  if (other === undefined) return volume;
  const message = `volume ${id} is attached to ${other.server_id ?? 'another host'}, which is not a node of this cluster: detach it there first`;
  throw new ProblemError({ reason: 'ConfigurationInvalid', message });
}

/** Whether the project contains the resource: an administrator's credentials can read volumes in every project. */
async function isOwnProject({ client }: ProjectCloud, project: string | undefined): Promise<boolean> {
  return project === undefined || project === (await client.session.projectId());
}

function requireOwnCluster(what: string, stored: VolumeSnapshot | Volume, clusterUid: string): void {
  const owner = storageOwner(stored);
  if (owner === undefined || owner.clusterUid === clusterUid) return;
  const message = `${what} ${stored.id} belongs to another cluster: remove its ownership tags (fairway.dev/… in its metadata) to hand it over to this one`;
  throw new ProblemError({ reason: 'ConfigurationInvalid', message });
}
