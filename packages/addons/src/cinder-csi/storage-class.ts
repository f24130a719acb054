import { classParameters, isOptional, type OfferedClass } from '@fairway/api/domain/plan-storage';
import { CINDER_DRIVER } from '@fairway/kube/kinds/csi-source';
import type { StorageClass } from '@fairway/kube/kinds/generated/types';
import { StorageClasses } from '@fairway/kube/kinds/resources';
import type { AddonObject } from '../addon.ts';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

/** A StorageClass as specified by the plan. */
export function storageClass(wanted: OfferedClass): AddonObject {
  const { isUnsettled = false } = wanted;
  return {
    type: StorageClasses,
    name: wanted.name,
    object: classObject(isUnsettled ? { ...wanted, default: false } : wanted),
    immutable: ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'],
    withdrawn: isUnsettled || wanted.default ? [] : [DEFAULT_CLASS],
    isOnlyKept: isUnsettled && isOptional(wanted),
  };
}

function classObject(wanted: OfferedClass): StorageClass {
  const { name, reclaimPolicy, volumeBindingMode, allowVolumeExpansion } = wanted;
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    // The tenant may also change which class is the default: the annotation is omitted on other classes.
    metadata: { name, ...(wanted.default && { annotations: { [DEFAULT_CLASS]: 'true' } }) },
    provisioner: CINDER_DRIVER,
    parameters: { ...classParameters(wanted) },
    reclaimPolicy,
    volumeBindingMode,
    allowVolumeExpansion,
  };
}
