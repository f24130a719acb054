import type { Volume } from '@fairway/openstack/types/block-storage';

/** A VolumeAttachment with the server of its node. */
export interface DesiredAttachment {
  readonly name: string;
  readonly nodeName: string;
  /** The server of the Machine with the node's name; undefined if either is missing. */
  readonly serverID: string | undefined;
  readonly isBeingDeleted: boolean;
}

/** The step for one VolumeAttachment. */
export type AttachmentStep =
  | { readonly kind: 'attach'; readonly name: string; readonly serverID: string }
  | { readonly kind: 'detach'; readonly name: string; readonly serverID: string }
  /** The VolumeAttachment is in the desired state. */
  | { readonly kind: 'attached'; readonly name: string; readonly device: string | undefined }
  /** The volume is detached, so the VolumeAttachment may be deleted. */
  | { readonly kind: 'detached'; readonly name: string }
  /** A change in Cinder or Nova is in progress. */
  | { readonly kind: 'wait'; readonly name: string; readonly pendingChange: 'attachment' | 'detachment' | 'other' }
  /** The volume cannot be attached at present. */
  | { readonly kind: 'impossible'; readonly name: string; readonly message: string };

/** https://opendev.org/openstack/cinder/src/branch/master/cinder/objects/fields.py: transient states. */
const TRANSIENT_STATUSES: ReadonlySet<string> = new Set([
  'creating',
  'downloading',
  'reserved',
  'attaching',
  'detaching',
  'extending',
  'retyping',
  'uploading',
  'backing-up',
  'restoring-backup',
]);

/**
 * The steps for all VolumeAttachments of one volume, oldest first. A volume is attached to one server at a time, unless
 * its type allows more. VolumeAttachments that are being deleted are handled first, then the oldest of the others.
 * Pure.
 */
export function attachmentSteps(
  volume: Volume | undefined,
  desired: readonly DesiredAttachment[],
  nodeOf: (serverID: string) => string | undefined,
): readonly AttachmentStep[] {
  const detaching = desired.filter(({ isBeingDeleted }) => isBeingDeleted).map((each) => detachmentStep(volume, each));
  const remaining = desired.filter(({ isBeingDeleted }) => !isBeingDeleted);
  let isReserved = false;
  const attachSteps = remaining.map((each): AttachmentStep => {
    const step = attachmentStep(volume, each, nodeOf);
    if (step.kind !== 'attach') return step;
    // The next reconcile shows the result of the first attachment.
    if (isReserved) return { kind: 'wait', name: each.name, pendingChange: 'other' };
    isReserved = true;
    return step;
  });
  return [...detaching, ...attachSteps];
}

function detachmentStep(volume: Volume | undefined, { name, serverID }: DesiredAttachment): AttachmentStep {
  // Nova detaches the volumes of a server when it deletes it.
  if (volume === undefined || serverID === undefined) return { kind: 'detached', name };
  const { status } = volume;
  if (isAttachedTo(volume, serverID)) {
    return status === 'detaching'
      ? { kind: 'wait', name, pendingChange: 'detachment' }
      : { kind: 'detach', name, serverID };
  }
  // The volume may still be in the process of being attached to this server.
  if (status === 'reserved' || status === 'attaching') return { kind: 'wait', name, pendingChange: 'other' };
  return { kind: 'detached', name };
}

function attachmentStep(
  volume: Volume | undefined,
  { name, nodeName, serverID }: DesiredAttachment,
  nodeOf: (serverID: string) => string | undefined,
): AttachmentStep {
  const impossibleStep = (message: string): AttachmentStep => ({ kind: 'impossible', name, message });
  if (volume === undefined) return impossibleStep("the volume does not exist in the cluster's project");
  if (serverID === undefined) return impossibleStep(`node ${nodeName} has no server of this cluster`);
  const { status, attachments, multiattach } = volume;
  const own = attachments.find((each) => each.server_id === serverID);
  if (own) return { kind: 'attached', name, device: own.device ?? undefined };
  if (TRANSIENT_STATUSES.has(status)) {
    return {
      kind: 'wait',
      name,
      pendingChange: status === 'attaching' || status === 'reserved' ? 'attachment' : 'other',
    };
  }
  if (status === 'available' || (status === 'in-use' && multiattach)) return { kind: 'attach', name, serverID };
  if (status === 'in-use') return impossibleStep(`it is still attached to ${describeHolders(volume, nodeOf)}`);
  return impossibleStep(`its status in Cinder is ${status}`);
}

function isAttachedTo({ attachments }: Volume, serverID: string): boolean {
  return attachments.some(({ server_id }) => server_id === serverID);
}

function describeHolders({ attachments }: Volume, nodeOf: (serverID: string) => string | undefined): string {
  const names = attachments.map(({ server_id: id }) => {
    const node = id && nodeOf(id);
    return node ? `node ${node}` : `server ${id ?? 'of nobody'}`;
  });
  return names.slice(0, 5).join(', ');
}
