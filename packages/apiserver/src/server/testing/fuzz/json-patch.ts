import * as fc from 'fast-check';
import { applyJsonPatch } from '../../../patch/json-patch.ts';
import { anyJson, name } from './any-json.ts';
import { allowErrors, check, expectBounded, type Runs } from './property.ts';

export function fuzz(parameters: Runs): number {
  const path = fc
    .array(fc.oneof(name, fc.constantFrom('0', '1', '-', '~0', '~1', '01')), { maxLength: 5 })
    .map((tokens) => tokens.map((token) => `/${token}`).join(''));
  const op = fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test');
  const operation = fc.record({ op, path, from: path, value: anyJson }, { requiredKeys: ['op'] });
  const patch = fc.oneof({ weight: 9, arbitrary: fc.array(operation, { maxLength: 20 }) }, anyJson);
  return check(fc.tuple(anyJson, patch), parameters, ([target, operations]) =>
    expectBounded(allowErrors(() => applyJsonPatch(target, operations))),
  );
}
