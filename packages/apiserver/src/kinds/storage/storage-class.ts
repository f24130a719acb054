import type { StorageClass } from '@fairway/kube/kinds/generated/types';
import { StorageClasses } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { qualifiedNameErrors } from '@fairway/kube/object/names';
import { setDefaults } from '../defaulting.ts';
import { defineKind } from '../define-kind.ts';
import { invalidName, oneOf, required } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { immutable } from '../validation-common.ts';

function updateErrors(storageClass: StorageClass, old: StorageClass): FieldError[] {
  return (['parameters', 'provisioner', 'reclaimPolicy', 'volumeBindingMode'] as const).flatMap((field) =>
    immutable(field, storageClass[field], old[field]),
  );
}

const DEFAULT_CLASS_ANNOTATION = 'storageclass.kubernetes.io/is-default-class';

function nameWithDefault({ metadata }: StorageClass): string {
  const { name = '', annotations } = metadata;
  return annotations?.[DEFAULT_CLASS_ANNOTATION] === 'true' ? `${name} (default)` : name;
}

export const StorageClassKind = defineKind(StorageClasses, {
  definition: 'io.k8s.api.storage.v1.StorageClass',
  shortNames: ['sc'],
  hasGeneration: false,
  strategy: {
    default(storageClass) {
      setDefaults(storageClass, { reclaimPolicy: 'Delete', volumeBindingMode: 'Immediate' });
    },
    validate(storageClass, old) {
      const { provisioner, reclaimPolicy, volumeBindingMode } = storageClass;
      return [
        ...(provisioner
          ? invalidName('provisioner', provisioner, qualifiedNameErrors(provisioner.toLowerCase()))
          : [required('provisioner')]),
        ...oneOf('reclaimPolicy', reclaimPolicy, ['Delete', 'Retain']),
        ...oneOf('volumeBindingMode', volumeBindingMode, ['Immediate', 'WaitForFirstConsumer'], true),
        ...(old === undefined ? [] : updateErrors(storageClass, old)),
      ];
    },
  },
  columns: [
    { ...text('Name', nameWithDefault), format: 'name' },
    text('Provisioner', '.provisioner'),
    text('ReclaimPolicy', '.reclaimPolicy'),
    text('VolumeBindingMode', '.volumeBindingMode'),
    text('AllowVolumeExpansion', ({ allowVolumeExpansion }) => allowVolumeExpansion ?? false),
    AGE,
  ],
});
