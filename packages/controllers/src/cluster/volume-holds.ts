import { ConditionReason } from '@fairway/api/conditions';
import type { Volume, VolumeSnapshot } from '@fairway/openstack/types/block-storage';
import type { Problem } from '@fairway/tenancy/problem';
import { displayName, displayNames } from './remaining-resources.ts';

/** What may block the deletion of a volume. */
export interface VolumeHolders {
  /** Names of existing servers, by ID; undefined for one that does not exist. */
  readonly servers: ReadonlyMap<string, string | undefined>;
  /** The volume's retained snapshots, which belong to the tenant. */
  readonly snapshots: readonly VolumeSnapshot[];
  readonly isLate: boolean;
}

/** Transitional states that end without action. */
const BUSY_CPU: ReadonlySet<string> = new Set([
  'creating',
  'attaching',
  'reserved',
  'detaching',
  'deleting',
  'extending',
  'retyping',
  'uploading',
  'downloading',
  'backing-up',
  'restoring-backup',
  'maintenance',
]);

/** Why a volume is not deleted; undefined while Cinder is still working on it, or if it can be deleted. Pure. */
export function holdOfVolume(volume: Volume, { servers, snapshots, isLate }: VolumeHolders): Problem | undefined {
  const { id, status } = volume;
  const what = displayName('volume', volume);
  const attached = volume.attachments.flatMap(({ server_id }) => (server_id ? [server_id] : []));
  const holder = attached.find((server) => servers.get(server) !== undefined);
  if (holder !== undefined) {
    const server = displayName('server', { id: holder, name: servers.get(holder) });
    return {
      reason: ConditionReason.VolumeInUse,
      message: `${what} is attached to ${server}, which does not belong to the cluster: openstack server remove volume ${holder} ${id}`,
    };
  }
  if (snapshots.length > 0) {
    const ids = snapshots.slice(0, 3).map((snapshot) => snapshot.id);
    return {
      reason: ConditionReason.SnapshotsExist,
      message: `${what} has ${displayNames('snapshot', snapshots)}, which Fairway did not create: openstack volume snapshot delete ${ids.join(' ')}`,
    };
  }
  if (status === 'awaiting-transfer') {
    const message = `${what} has a pending transfer to another project: find it with openstack volume transfer request list, and delete it`;
    return { reason: ConditionReason.VolumeInUse, message };
  }
  if (status === 'error_deleting') return failedDeletion(what, 'Cinder');
  if (!isLate) return undefined;
  if (attached.length > 0) {
    const message = `${what} is ${status} and attached to server ${attached[0]}, which no longer exists; the cloud operator must delete the attachment: openstack volume attachment list --volume-id ${id}`;
    return { reason: ConditionReason.CloudBusy, message };
  }
  return BUSY_CPU.has(status) ? busy(what, status, 'Cinder') : undefined;
}

/** Why a snapshot is not deleted. Pure. */
export function holdOfSnapshot(snapshot: VolumeSnapshot, isLate: boolean): Problem | undefined {
  const what = displayName('snapshot', snapshot);
  if (snapshot.status === 'error_deleting') return failedDeletion(what, 'Cinder');
  return isLate && snapshot.status !== 'available' ? busy(what, snapshot.status, 'Cinder') : undefined;
}

/** The service could not delete it; it must be retried manually. */
export function failedDeletion(what: string, service: string): Problem {
  const message = `${what} is error_deleting: ${service} could not delete it; the cloud operator must check the log of ${service} and reset its state or force its deletion; Fairway retries`;
  return { reason: ConditionReason.DeletionFailed, message };
}

/** The service has been working on it for a long time. */
export function busy(what: string, state: string, service: string): Problem {
  const message = `${what} is ${state}, and ${service} must finish this; if this persists, the cloud operator must check ${service} and reset the state`;
  return { reason: ConditionReason.CloudBusy, message };
}
