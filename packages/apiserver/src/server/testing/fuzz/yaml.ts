import * as fc from 'fast-check';
import { parseYaml } from '../../parse-body.ts';
import { bodyRequest, VALIDATION } from './body-request.ts';
import { allowErrors, check, expectBounded, type Runs, textOf } from './property.ts';

export const YAML_PIECES = [
  '\n',
  '\n  ',
  '\n- ',
  'a: ',
  'b:',
  '- ',
  '? ',
  '&a ',
  '*a',
  '<<: ',
  '!!str ',
  '!x ',
  '{',
  '}',
  '[',
  ']',
  ',',
];
const YAML_SCALARS = [
  "'",
  '"',
  '\\',
  '|\n',
  '>-\n',
  '---\n',
  '...',
  '%YAML 1.2\n',
  '#',
  '1',
  '.inf',
  '0x1f',
  'null',
  '~',
  '\t',
  '"__proto__": ',
];

export function fuzz(parameters: Runs): number {
  const text = textOf([...YAML_PIECES, ...YAML_SCALARS]);
  return check(fc.tuple(text, VALIDATION), parameters, ([body, query]) =>
    expectBounded(allowErrors(() => parseYaml(bodyRequest(query), body))),
  );
}
