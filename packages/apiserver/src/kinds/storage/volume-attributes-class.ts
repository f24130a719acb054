import { VolumeAttributesClasses } from '@fairway/kube/kinds/resources';
import { defineKind } from '../define-kind.ts';
import { required } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { immutable } from '../validation-common.ts';

export const VolumeAttributesClassKind = defineKind(VolumeAttributesClasses, {
  definition: 'io.k8s.api.storage.v1.VolumeAttributesClass',
  shortNames: ['vac'],
  hasGeneration: false,
  strategy: {
    validate: (volumeClass, old) => [
      ...(volumeClass.driverName ? [] : [required('driverName')]),
      ...(old === undefined
        ? []
        : [
            ...immutable('driverName', volumeClass.driverName, old.driverName),
            ...immutable('parameters', volumeClass.parameters, old.parameters),
          ]),
    ],
  },
  columns: [text('DriverName', '.driverName'), AGE],
});
