import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { DRIVER, PROVISIONED_BY_ANNOTATION, VOLUME_FINALIZER, ZONE_KEY } from './driver.ts';
import { volumeNameOf } from './tenant-storage.ts';
import type { PlannedVolume } from './volume-plan.ts';
import { quantityOfGib } from './volume-size.ts';

/** The PersistentVolume of a claim, as external-provisioner writes it. Pure. */
export function persistentVolume(
  claim: PersistentVolumeClaim,
  storageClass: StorageClass,
  { fsType, zone }: Pick<PlannedVolume, 'fsType' | 'zone'>,
  volume: Pick<Volume, 'id' | 'size'>,
): PersistentVolume {
  const { name = '', namespace = '', uid = '', resourceVersion = '' } = claim.metadata;
  const reclaimPolicy = storageClass.reclaimPolicy ?? 'Delete';
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: volumeNameOf(claim),
      annotations: { [PROVISIONED_BY_ANNOTATION]: DRIVER },
      // A retained volume is not deleted, so it needs no finalizer.
      ...(reclaimPolicy === 'Delete' && { finalizers: [VOLUME_FINALIZER] }),
    },
    spec: {
      accessModes: claim.spec.accessModes ?? [],
      capacity: { storage: quantityOfGib(volume.size) },
      claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name, uid, resourceVersion },
      csi: {
        driver: DRIVER,
        volumeHandle: volume.id,
        ...(fsType !== undefined && { fsType }),
        volumeAttributes: { 'storage.kubernetes.io/csiProvisionerIdentity': DRIVER },
      },
      ...(storageClass.mountOptions && { mountOptions: storageClass.mountOptions }),
      ...(zone !== undefined && { nodeAffinity: { required: { nodeSelectorTerms: [zoneAffinity(zone)] } } }),
      persistentVolumeReclaimPolicy: reclaimPolicy,
      ...(storageClass.metadata.name !== undefined && { storageClassName: storageClass.metadata.name }),
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
    },
  };
}

function zoneAffinity(zone: string) {
  return { matchExpressions: [{ key: ZONE_KEY, operator: 'In', values: [zone] }] };
}
