import * as fc from 'fast-check';
import { applyStrategicMergePatch } from '../../../patch/strategic-merge-patch.ts';
import { anyJson } from './any-json.ts';
import { KIND, NO_DEFINITIONS, objectOf } from './patched-kind.ts';
import { allowErrors, check, expectBounded, type Runs } from './property.ts';

export function fuzz(parameters: Runs): number {
  const merge = { schema: KIND, definitions: NO_DEFINITIONS };
  return check(fc.tuple(anyJson, anyJson), parameters, ([target, patch]) =>
    expectBounded(allowErrors(() => applyStrategicMergePatch(merge, objectOf(target), { spec: patch }))),
  );
}
