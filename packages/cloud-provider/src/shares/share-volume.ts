import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import type { Share } from '@fairway/openstack/types/shared-file-system';
import { PROVISIONED_BY_ANNOTATION, VOLUME_FINALIZER } from '../volumes/driver.ts';
import { volumeNameOf } from '../volumes/tenant-storage.ts';
import { quantityOfGib } from '../volumes/volume-size.ts';
import { SHARE_ANNOTATION, SHARE_DRIVER } from './driver.ts';
import type { ExportPath } from './export-path.ts';
import { accessLevel } from './share-plan.ts';

/**
 * The PersistentVolume of a claim, which the kubelet mounts natively: nodes need neither a driver nor credentials.
 * Pure.
 */
export function shareVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  { server, path }: ExportPath,
  share: Pick<Share, 'id' | 'size'>,
): PersistentVolume {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = claim.metadata;
  const { accessModes = [] } = claim.spec;
  const reclaimPolicy = storageClass.reclaimPolicy ?? 'Delete';
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: volumeNameOf(claim),
      annotations: { [PROVISIONED_BY_ANNOTATION]: SHARE_DRIVER, [SHARE_ANNOTATION]: share.id },
      ...(reclaimPolicy === 'Delete' && { finalizers: [VOLUME_FINALIZER] }),
    },
    spec: {
      accessModes,
      capacity: { storage: quantityOfGib(share.size) },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion },
      nfs: { server, path, ...(accessLevel(accessModes) === 'ro' && { readOnly: true }) },
      ...(storageClass.mountOptions && { mountOptions: storageClass.mountOptions }),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      ...(storageClass.metadata.name !== undefined && { storageClassName: storageClass.metadata.name }),
      volumeMode: 'Filesystem',
    },
  };
}
