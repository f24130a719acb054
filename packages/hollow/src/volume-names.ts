import { createHash } from 'node:crypto';
import { csiSourceOf } from '@fairway/kube/kinds/csi-source';
import type { PersistentVolume } from '@fairway/kube/kinds/generated/types';

/** The name of a CSI volume in a Node's status, as kubelet and kube-controller-manager write it; undefined for other volumes. */
export function uniqueVolumeName(volume: PersistentVolume): string | undefined {
  const source = csiSourceOf(volume);
  return source && `kubernetes.io/csi/${source.driver}^${source.volumeHandle}`;
}

/** Name of the VolumeAttachment, which kubelet and kube-controller-manager compute in the same way (pkg/volume/csi: `getAttachmentName`). */
export function attachmentName(volumeHandle: string, driver: string, node: string): string {
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${node}`).digest('hex')}`;
}
