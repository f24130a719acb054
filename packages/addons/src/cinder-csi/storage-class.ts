import { CINDER_DRIVER, classParameters } from '@fairway/api/domain/plan-storage';
import type { PlanStorageClass } from '@fairway/api/kinds/plan-storage';
import type { StorageClass } from '@fairway/kube/kinds/generated/types';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

/** A StorageClass as the plan states it. */
export function storageClass(wanted: PlanStorageClass): StorageClass {
  const { name, reclaimPolicy, volumeBindingMode, allowVolumeExpansion } = wanted;
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    // Which class is the default is the tenant's to change, too: one that is not is left without a word.
    metadata: { name, ...(wanted.default && { annotations: { [DEFAULT_CLASS]: 'true' } }) },
    provisioner: CINDER_DRIVER,
    parameters: { ...classParameters(wanted) },
    reclaimPolicy,
    volumeBindingMode,
    allowVolumeExpansion,
  };
}
