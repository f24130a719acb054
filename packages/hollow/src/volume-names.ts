import { createHash } from 'node:crypto';
import type { PersistentVolume } from '@fairway/kube/kinds/generated/types';

/** A CSI volume in the status of a Node, as kubelet and kube-controller-manager name it; undefined for other volumes. */
export function uniqueVolumeName({ spec }: PersistentVolume): string | undefined {
  return spec.csi && `kubernetes.io/csi/${spec.csi.driver}^${spec.csi.volumeHandle}`;
}

/** Name of the VolumeAttachment, which kubelet and kube-controller-manager compute alike (pkg/volume/csi: `getAttachmentName`). */
export function attachmentName(volumeHandle: string, driver: string, node: string): string {
  return `csi-${createHash('sha256').update(`${volumeHandle}${driver}${node}`).digest('hex')}`;
}
