import * as fc from 'fast-check';
import { parseJson } from '../../parse-body.ts';
import { bodyRequest, VALIDATION } from './body-request.ts';
import { allowErrors, check, expectBounded, type Runs, textOf } from './property.ts';

export const JSON_PIECES = [
  '{"a":',
  '{',
  '}',
  '[',
  ']',
  ',',
  '"a":',
  '"a"',
  '1',
  '-1e9',
  'null',
  '"\\u0000"',
  '"__proto__":',
  ' ',
  '1e999',
];

export function fuzz(parameters: Runs): number {
  const text = fc.oneof(textOf(JSON_PIECES), fc.json());
  return check(fc.tuple(text, VALIDATION), parameters, ([body, query]) =>
    expectBounded(allowErrors(() => parseJson(bodyRequest(query), body))),
  );
}
