import * as fc from 'fast-check';
import { applyStrategicMergePatch } from '../../../patch/strategic-merge-patch.ts';
import { anyJson } from './any-json.ts';
import { KIND, NO_DEFINITIONS, objectOf } from './patched-kind.ts';
import { check, expectBounded, orRefused, type Runs } from './property.ts';

export function fuzz(parameters: Runs): number {
  const merge = { schema: KIND, definitions: NO_DEFINITIONS };
  return check(fc.tuple(anyJson, anyJson), parameters, ([target, patch]) =>
    expectBounded(orRefused(() => applyStrategicMergePatch(merge, objectOf(target), { spec: patch }))),
  );
}
