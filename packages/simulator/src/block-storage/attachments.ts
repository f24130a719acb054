import type { World } from '../world.ts';
import { invalidVolume } from './problem.ts';
import type { Attachment, Volume, VolumeStatus } from './records.ts';

/** The current volume of an attachment. A volume exists as long as its attachments do. */
function volumeOf(world: World, { volumeId }: Attachment): Volume | undefined {
  return world.tables.volumes.get(volumeId);
}

function setStatus(world: World, volume: Volume | undefined, status: VolumeStatus): void {
  if (volume === undefined || volume.status === status) return;
  world.tables.volumes.put({ ...volume, status, updatedMs: world.clock.now() });
}

/**
 * Reserves a volume for a server or another client. Throws Cinder's 400 if the volume may not have another attachment.
 */
export function reserveAttachment(
  world: World,
  volume: Volume,
  { instanceId, mode }: { readonly instanceId: string | null; readonly mode: string | null },
): Attachment {
  if (volume.status.includes('error')) {
    throw invalidVolume(
      `Volume attachments can not be created if the volume is in an error state. The Volume ${volume.id} currently has a status of: ${volume.status} `,
    );
  }
  const others = world.indexes.attachmentsByVolume.of(volume.id);
  const allowed = volume.isMultiattach ? ['available', 'in-use', 'downloading'] : ['available', 'downloading'];
  const isSameServer =
    instanceId !== null &&
    (volume.status === 'in-use' || volume.status === 'reserved') &&
    others.some((other) => other.instanceId === instanceId);
  if (!allowed.includes(volume.status) && !isSameServer) {
    const states = `${allowed.slice(0, -1).join(', ')} or ${allowed.at(-1)}`;
    throw invalidVolume(
      `Volume ${volume.id} status must be ${states} to reserve, but the current status is ${volume.status}.`,
    );
  }
  if (!isSameServer) setStatus(world, volume, 'reserved');
  return world.tables.attachments.put({
    id: world.ids.uuid(),
    volumeId: volume.id,
    projectId: volume.projectId,
    instanceId,
    status: 'reserved',
    mode,
    device: null,
    host: null,
    attachedMs: null,
    isConnected: false,
    pending: null,
  });
}

/** Sets the connection of an attachment to the connecting host. */
export function connect(
  world: World,
  attachment: Attachment,
  { host, device, mode }: { readonly host: string | null; readonly device: string | null; readonly mode: string },
): Attachment {
  if (attachment.status !== 'attached') setStatus(world, volumeOf(world, attachment), 'attaching');
  return world.tables.attachments.put({
    ...attachment,
    host,
    device,
    mode,
    isConnected: true,
    attachedMs: world.clock.now(),
  });
}

/** Completes the connection: the volume becomes in-use. */
export function completeAttachment(world: World, attachment: Attachment): Attachment {
  setStatus(world, volumeOf(world, attachment), 'in-use');
  return world.tables.attachments.put({
    ...attachment,
    status: 'attached',
    attachedMs: attachment.attachedMs ?? world.clock.now(),
    pending: null,
  });
}

/** Deletes an attachment; the volume becomes available unless it has other attachments. */
export function release(world: World, attachment: Attachment): void {
  world.tables.attachments.delete(attachment.id);
  const volume = volumeOf(world, attachment);
  if (volume === undefined || !HOLDING_STATUSES.has(volume.status)) return;
  const left = world.indexes.attachmentsByVolume.of(volume.id);
  setStatus(world, volume, volumeStatusFor(left));
}

const HOLDING_STATUSES: ReadonlySet<string> = new Set(['reserved', 'attaching', 'in-use', 'detaching']);

function volumeStatusFor(attachments: readonly Attachment[]): VolumeStatus {
  if (attachments.length === 0) return 'available';
  if (attachments.some(({ status }) => status === 'attached')) return 'in-use';
  return attachments.some(({ isConnected }) => isConnected) ? 'attaching' : 'reserved';
}

/** Marks a volume as about to be detached. Throws Cinder's 400 if it isn't in use. */
export function beginDetaching(world: World, volume: Volume): void {
  const isAttached = world.indexes.attachmentsByVolume.of(volume.id).some(({ status }) => status === 'attached');
  if (volume.status !== 'in-use' || !isAttached) {
    throw invalidVolume(
      "Unable to detach volume. Volume status must be 'in-use' and attach_status must be 'attached' to detach.",
    );
  }
  setStatus(world, volume, 'detaching');
}
