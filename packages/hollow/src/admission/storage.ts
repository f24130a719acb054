import type { AdmissionPlugin } from '@fairway/apiserver/server/admission';
import type { ObjectReader } from '@fairway/kube/client/object-reader';
import type { StorageClass } from '@fairway/kube/kinds/generated/types';
import { PersistentVolumeClaims, PersistentVolumes, StorageClasses } from '@fairway/kube/kinds/resources';
import { created } from './plugin.ts';

export const CLAIM_PROTECTION_FINALIZER = 'kubernetes.io/pvc-protection';
export const VOLUME_PROTECTION_FINALIZER = 'kubernetes.io/pv-protection';
const DEFAULT_CLASS_ANNOTATION = 'storageclass.kubernetes.io/is-default-class';
const BETA_CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';

/** Sets the default storage class on claims without a class. */
export function defaultStorageClass(reader: () => ObjectReader): AdmissionPlugin {
  return {
    name: 'DefaultStorageClass',
    mutate(request) {
      const claim = created(request, PersistentVolumeClaims);
      if (claim === undefined || claim.spec.storageClassName !== undefined) return;
      if (claim.metadata.annotations?.[BETA_CLASS_ANNOTATION] !== undefined) return;
      const name = defaultClassOf(reader().list(StorageClasses))?.metadata.name;
      if (name !== undefined) claim.spec.storageClassName = name;
    },
  };
}

/** The newest class marked as default. */
export function defaultClassOf(classes: readonly StorageClass[]): StorageClass | undefined {
  return classes
    .filter(({ metadata }) => metadata.annotations?.[DEFAULT_CLASS_ANNOTATION] === 'true')
    .sort(
      (left, right) =>
        Date.parse(right.metadata.creationTimestamp ?? '') - Date.parse(left.metadata.creationTimestamp ?? ''),
    )[0];
}

/** Delays deletion until the object is no longer in use: a controller removes the finalizer. */
export const storageObjectInUseProtection: AdmissionPlugin = {
  name: 'StorageObjectInUseProtection',
  mutate(request) {
    const object = created(request, PersistentVolumeClaims) ?? created(request, PersistentVolumes);
    if (object === undefined) return;
    const finalizer =
      request.resource.plural === PersistentVolumes.plural ? VOLUME_PROTECTION_FINALIZER : CLAIM_PROTECTION_FINALIZER;
    const finalizers = object.metadata.finalizers ?? [];
    if (!finalizers.includes(finalizer)) object.metadata.finalizers = [...finalizers, finalizer];
  },
};
