import type { Informer } from '@fairway/kube/client/informer';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import type { VolumeAttachment } from '@fairway/kube/kinds/generated/types';
import { VolumeAttachments } from '@fairway/kube/kinds/resources';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { DRIVER } from '../volumes/driver.ts';

/** The informer that all controllers of a connection share. */
export function attachmentsOf({ informers }: TenantCluster): Informer<VolumeAttachment> {
  const attachments = informers.informer(VolumeAttachments);
  attachments.addIndex(attachmentsByVolume.name, attachmentsByVolume.valuesOf);
  attachments.addIndex(attachmentsByNode.name, attachmentsByNode.valuesOf);
  return attachments;
}

/** VolumeAttachments of the driver, by PersistentVolume. */
export const attachmentsByVolume: CacheIndex<VolumeAttachment> = {
  name: 'volume',
  valuesOf: (attachment) => volumeNames(attachment),
};

/** VolumeAttachments of the driver, by node. */
export const attachmentsByNode: CacheIndex<VolumeAttachment> = {
  name: 'node',
  valuesOf: (attachment) => (attachment.spec.attacher === DRIVER ? [attachment.spec.nodeName] : []),
};

/**
 * The PersistentVolume of the attachment. Empty for other drivers, and for inline volumes, which the driver does not
 * support.
 */
export function volumeNames({ spec }: VolumeAttachment): readonly string[] {
  const { persistentVolumeName } = spec.source;
  return spec.attacher === DRIVER && persistentVolumeName ? [persistentVolumeName] : [];
}
