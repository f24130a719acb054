import { CLUSTER_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { ignoreNotFound, isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Volume } from '@fairway/openstack/types/block-storage';
import type { Server } from '@fairway/openstack/types/server';
import { machineTag, rootVolumeMetadata, rootVolumeOwner, type ServerOwner } from '@fairway/tenancy/cloud/ownership';
import type { ProjectCloud, ServerRef } from '@fairway/tenancy/cloud/project-cloud';
import { removeVolumes } from '../cluster/volume-deletion.ts';
import { writeStatus } from '../status-writer.ts';
import type { MachineScope } from './scope.ts';

/**
 * The volume that the server of the machine boots from; undefined while unknown, and for a server without one.
 * Nova creates it with the server, without a name or a tag, and deletes it with the server (`delete_on_termination`),
 * no matter how the server is deleted. Nova does not report it if this fails. Pure.
 */
export function rootVolumeOf({ spec, status }: Machine, server: Server | ServerRef | undefined): string | undefined {
  if (spec.rootVolume === undefined) return undefined;
  const known = status?.rootVolumeID;
  if (server === undefined || !('status' in server)) return known;
  const attached = server['os-extended-volumes:volumes_attached'];
  if (attached.some(({ id }) => id === known)) return known;
  // Volumes of pods are retained when the server is deleted.
  const going = attached.filter(({ delete_on_termination: isDeletedWithServer }) => isDeletedWithServer === true);
  const [only] = going;
  if (only && going.length === 1) return only.id;
  return server.id === status?.serverID ? known : undefined;
}

/** Tags and names the volume. Rejects with Cinder's error, and backs off between attempts. */
export async function markRootVolume(scope: MachineScope, server: Server | ServerRef | undefined): Promise<void> {
  const { cloud, machine, dependencies, signal, uid } = scope;
  const id = server && rootVolumeOf(machine, server);
  const owner = ownerOf(scope);
  if (cloud === undefined || id === undefined || owner === undefined) return;
  await dependencies.attempts.withBackoff({ kind: 'mark root volume', item: uid }, async () => {
    if (await isAlreadyMarked(scope, cloud, id)) return;
    const volume = await ignoreNotFound(cloud.client.blockStorage.volumes.get(id, { signal }));
    if (volume === undefined) return;
    cloud.ledgers.volumes.recordWritten(machineTag(uid), await mark(scope, cloud, volume, owner), scope.now());
  });
}

/**
 * Whether the volume already has its tag and name, according to the list of the project's tagged volumes, which its
 * machines share, and to this process's writes since then.
 */
async function isAlreadyMarked(scope: MachineScope, cloud: ProjectCloud, id: string): Promise<boolean> {
  const { items, listedAtMs = 0 } = await cloud.cache.volumes.refreshAfter(Number.NEGATIVE_INFINITY);
  const volume = items.get(id);
  const listed = volume?.name && rootVolumeOwner(volume)?.machineUid === scope.uid ? [volume] : [];
  const state = cloud.ledgers.volumes.observe(machineTag(scope.uid), listed, listedAtMs);
  return state.kind === 'known' && state.items.some((each) => each.id === id);
}

/** A name set by a user is retained. */
async function mark(scope: MachineScope, cloud: ProjectCloud, volume: Volume, owner: ServerOwner): Promise<Volume> {
  const { volumes } = cloud.client.blockStorage;
  const { id } = volume;
  const options = { signal: scope.signal };
  const isOwned = rootVolumeOwner(volume)?.machineUid === owner.machineUid;
  const metadata = isOwned ? volume.metadata : await volumes.mergeMetadata(id, rootVolumeMetadata(owner), options);
  const named = volume.name ? volume : await volumes.rename(id, `${scope.machine.metadata.name}-root`, options);
  return { ...named, metadata };
}

function ownerOf({ cluster, machine, uid }: MachineScope): ServerOwner | undefined {
  const clusterUid = cluster ? identityOf(cluster) : machine.metadata.labels?.[CLUSTER_UID_LABEL];
  return clusterUid === undefined ? undefined : { clusterUid, machineUid: uid };
}

/**
 * Writes the volume's ID to the status before the server, the only source for it, is deleted. Rejects with Nova's
 * error, or that of Fairway's own API.
 */
export async function recordRootVolume(
  { cloud, machine, dependencies, signal }: MachineScope,
  serverID: string,
): Promise<void> {
  if (cloud === undefined || machine.spec.rootVolume === undefined) return;
  const listed = cloud.cache.servers.snapshot().items.get(serverID);
  // A list may be older than the volume.
  const isInList = listed !== undefined && rootVolumeOf(machine, listed) !== undefined;
  const server = isInList ? listed : await ignoreNotFound(cloud.client.compute.servers.get(serverID, { signal }));
  const rootVolumeID = server && rootVolumeOf(machine, server);
  if (rootVolumeID === undefined || rootVolumeID === machine.status?.rootVolumeID) return;
  await writeStatus(dependencies.client.resource(machines), machine, { ...machine.status, rootVolumeID });
}

/** How long a machine waits for its volume before leaving it to the orphan sweeper. */
const ROOT_VOLUME_TIMEOUT_MS = 60_000;

/**
 * Handles the volume of a machine whose server has been gone since `goneMs`. `deleting`: its deletion has been in
 * progress for less than a minute. Otherwise it is deleted, or has the tag by which it is found without the machine,
 * and an Event reports what blocks its deletion.
 */
export async function removeRootVolume(scope: MachineScope, drainedMs: number): Promise<'done' | 'deleting'> {
  const { cloud, cluster, machine, signal, dependencies } = scope;
  const id = machine.status?.rootVolumeID;
  const owner = ownerOf(scope);
  if (cloud === undefined || id === undefined || owner === undefined) return 'done';
  const volume = await readVolume(scope, cloud, id);
  if (volume === undefined) return 'done';
  const marked = await mark(scope, cloud, volume, owner);
  const isBeingDeleted = volume.status === 'deleting';
  const held = isBeingDeleted ? undefined : (await removeVolumes(cloud, [marked], { signal, isLate: false }))?.held;
  // A list requested before it was tagged would not contain it.
  cloud.cache.volumes.invalidate();
  if (held === undefined) return scope.now() < drainedMs + ROOT_VOLUME_TIMEOUT_MS ? 'deleting' : 'done';
  const message = `volume ${marked.name} (${id}), from which machine ${machine.metadata.name} booted, was not deleted: ${held.message}`;
  dependencies.events.warning(cluster ?? machine, 'OrphanFound', message);
  return 'done';
}

/** Undefined for a deleted volume, and if the project has no access to Cinder. */
async function readVolume(scope: MachineScope, cloud: ProjectCloud, id: string): Promise<Volume | undefined> {
  const { cluster, machine, dependencies, signal } = scope;
  try {
    return await ignoreNotFound(cloud.client.blockStorage.volumes.get(id, { signal }));
  } catch (error) {
    if (!isOpenStackError(error, 'forbidden')) throw error;
    const message = `cannot determine whether volume ${id}, from which machine ${machine.metadata.name} booted, is deleted, because Cinder denies this project access; check it with: openstack volume show ${id}`;
    dependencies.events.warning(cluster ?? machine, 'OrphanFound', message);
    return undefined;
  }
}
