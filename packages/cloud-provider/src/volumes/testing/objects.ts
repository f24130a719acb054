import type { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@fairway/kube/kinds/generated/types';
import { DRIVER, PROVISIONED_BY_ANNOTATION, VOLUME_FINALIZER } from '../driver.ts';

/** A StorageClass of the driver. */
export function aClass(fields: Partial<StorageClass> = {}, name = 'standard'): StorageClass {
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    metadata: { name },
    provisioner: DRIVER,
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
    ...fields,
  };
}

/** A tenant's 5 GiB claim. */
export function aClaim(
  spec: Partial<PersistentVolumeClaim['spec']> = {},
  metadata: PersistentVolumeClaim['metadata'] = {},
): PersistentVolumeClaim {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { namespace: 'default', name: 'data', ...metadata },
    spec: {
      accessModes: ['ReadWriteOnce'],
      resources: { requests: { storage: '5Gi' } },
      storageClassName: 'standard',
      ...spec,
    },
  };
}

/** A PersistentVolume provisioned by the driver. */
export function aVolume(
  spec: Partial<PersistentVolume['spec']> = {},
  { metadata, phase = 'Bound' }: { metadata?: PersistentVolume['metadata']; phase?: string } = {},
): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: {
      name: 'pvc-1',
      annotations: { [PROVISIONED_BY_ANNOTATION]: DRIVER },
      finalizers: [VOLUME_FINALIZER],
      ...metadata,
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '5Gi' },
      csi: { driver: DRIVER, volumeHandle: '11111111-1111-4111-8111-111111111111' },
      persistentVolumeReclaimPolicy: 'Delete',
      ...spec,
    },
    status: { phase },
  };
}
