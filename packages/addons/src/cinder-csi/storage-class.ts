import { classParameters, isOptional, type OfferedClass } from '@fairway/api/domain/plan-storage';
import { CINDER_DRIVER } from '@fairway/kube/kinds/csi-source';
import type { StorageClass } from '@fairway/kube/kinds/generated/types';
import { StorageClasses } from '@fairway/kube/kinds/resources';
import type { AddonObject } from '../addon.ts';

const DEFAULT_CLASS_ANNOTATION = 'storageclass.kubernetes.io/is-default-class';

/** A StorageClass as specified by the plan. */
export function storageClass(offeredClass: OfferedClass): AddonObject {
  const { isUndecided = false } = offeredClass;
  return {
    type: StorageClasses,
    name: offeredClass.name,
    object: classObject(isUndecided ? { ...offeredClass, default: false } : offeredClass),
    immutable: ['provisioner', 'parameters', 'reclaimPolicy', 'volumeBindingMode'],
    obsoleteAnnotations: isUndecided || offeredClass.default ? [] : [DEFAULT_CLASS_ANNOTATION],
    isUpdateOnly: isUndecided && isOptional(offeredClass),
  };
}

function classObject(offeredClass: OfferedClass): StorageClass {
  const { name, reclaimPolicy, volumeBindingMode, allowVolumeExpansion } = offeredClass;
  return {
    apiVersion: 'storage.k8s.io/v1',
    kind: 'StorageClass',
    // The tenant may choose a different default class, so Fairway omits the annotation on all other classes.
    metadata: { name, ...(offeredClass.default && { annotations: { [DEFAULT_CLASS_ANNOTATION]: 'true' } }) },
    provisioner: CINDER_DRIVER,
    parameters: { ...classParameters(offeredClass) },
    reclaimPolicy,
    volumeBindingMode,
    allowVolumeExpansion,
  };
}
