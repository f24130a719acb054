import type { Json } from '@fairway/kube/object/meta';
import * as fc from 'fast-check';
import { applyPatch } from '../../../patch/apply.ts';
import { anyJson } from './any-json.ts';
import { KIND, NO_DEFINITIONS, objectOf } from './patched-kind.ts';
import { allowErrors, check, expectBounded, type Runs, textOf } from './property.ts';

const fieldSet = textOf(
  ['{"f:a":{', '"k:{\\"name\\":\\"a\\"}":{', '"v:1":{', '"i:0":{', '".":{', '"k:x":{', '}', ',', '{}'],
  12,
);
const managedFields = fieldSet.map((text) => {
  try {
    const fieldsV1 = JSON.parse(`{"f:spec":${text}}`) as Json;
    return [{ manager: 'm', operation: 'Apply', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1 }];
  } catch {
    return [{ manager: 'm', operation: text }];
  }
});

export function fuzz(parameters: Runs): number {
  return check(fc.tuple(anyJson, anyJson, managedFields, fc.boolean()), parameters, ([live, spec, managed, force]) =>
    expectBounded(
      allowErrors(() =>
        applyPatch({
          schema: KIND,
          definitions: NO_DEFINITIONS,
          live: objectOf(live, managed),
          applied: objectOf(spec),
          manager: 'n',
          force,
          apiVersion: 'v1',
          subresource: '',
          nowMs: 0,
        }),
      ),
    ),
  );
}
