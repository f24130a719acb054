import {
  type CloudResourceOwner,
  type CloudResourcesStatus,
  type ClusterVolume,
  MAX_RESOURCES,
} from '@fairway/api/kinds/cloud-resources-request';
import type { Machine } from '@fairway/api/kinds/machine';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { withTimeZone } from '@fairway/openstack/types/cloud-time';

/** Volumes with their attachments, as tenants see them. */
export function volumeViews(
  volumes: readonly Volume[],
  machines: readonly Machine[],
): Pick<CloudResourcesStatus, 'volumes' | 'moreVolumes'> {
  const volumesByServer = new Map(machines.map(({ metadata, status }) => [status?.serverID, metadata.name]));
  const shown = volumes.slice(0, MAX_RESOURCES).map((volume): ClusterVolume => {
    const servers = volume.attachments.flatMap(({ server_id }) => server_id ?? []);
    const attached = servers.flatMap((id) => volumesByServer.get(id) ?? []);
    const otherAttachments = servers.length - attached.length;
    const owner = claimOf(volume);
    return {
      id: volume.id,
      ...(volume.name && { name: volume.name }),
      ...(owner && { owner }),
      sizeGiB: volume.size,
      ...(volume.volume_type && { type: volume.volume_type }),
      ...(volume.availability_zone && { zone: volume.availability_zone }),
      status: volume.status,
      machines: attached,
      ...(otherAttachments > 0 && { elsewhere: otherAttachments }),
      ...(volume.created_at && { createdAt: withTimeZone(volume.created_at) }),
    };
  });
  const more = volumes.length - shown.length;
  return { volumes: shown, ...(more > 0 && { moreVolumes: more }) };
}

/**
 * The claim that the volume was created for, from the keys that cinder-csi-plugin writes. For display only; Fairway
 * does not use it to look anything up.
 */
function claimOf({ metadata, name: volume }: Volume): CloudResourceOwner | undefined {
  const { 'csi.storage.k8s.io/pvc/name': name, 'csi.storage.k8s.io/pvc/namespace': namespace } = metadata;
  if (name === undefined || namespace === undefined) return undefined;
  const [, uid] = /^pvc-(.+)$/.exec(volume ?? '') ?? [];
  return { kind: 'PersistentVolumeClaim', namespace, name, ...(uid !== undefined && { uid }) };
}
