import type { ConfigMap } from '@fairway/kube/kinds/generated/types';
import { ConfigMaps } from '@fairway/kube/kinds/resources';
import type { FieldError } from '@fairway/kube/object/field-error';
import { defineKind } from '../define-kind.ts';
import { invalidValue } from '../field-errors.ts';
import { AGE, text } from '../printing/column.ts';
import { configKeyErrors, dataSizeErrors, frozenFieldErrors } from '../validation-common.ts';

function contentErrors({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let bytes = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.push(...configKeyErrors(`data[${key}]`, key));
    if (binaryData[key] !== undefined) {
      errors.push(invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    }
    bytes += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    errors.push(...configKeyErrors(`binaryData[${key}]`, key));
    bytes += Buffer.byteLength(value, 'base64');
  }
  return [...errors, ...dataSizeErrors('', bytes)];
}

function updateErrors(map: ConfigMap, old: ConfigMap): FieldError[] {
  if (!old.immutable) return [];
  return [
    ...frozenFieldErrors('immutable', map.immutable, old.immutable),
    ...frozenFieldErrors('data', map.data, old.data),
    ...frozenFieldErrors('binaryData', map.binaryData, old.binaryData),
  ];
}

export const ConfigMapKind = defineKind(ConfigMaps, {
  definition: 'io.k8s.api.core.v1.ConfigMap',
  shortNames: ['cm'],
  hasGeneration: false,
  strategy: {
    validate: (map, old) => [...contentErrors(map), ...(old === undefined ? [] : updateErrors(map, old))],
  },
  columns: [
    text('Data', ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length),
    AGE,
  ],
});
