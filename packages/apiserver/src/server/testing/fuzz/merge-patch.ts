import * as fc from 'fast-check';
import { applyMergePatch } from '../../../patch/merge-patch.ts';
import { anyJson } from './any-json.ts';
import { allowErrors, check, expectBounded, type Runs } from './property.ts';

export function fuzz(parameters: Runs): number {
  return check(fc.tuple(anyJson, anyJson), parameters, ([target, patch]) =>
    expectBounded(allowErrors(() => applyMergePatch(target, patch))),
  );
}
