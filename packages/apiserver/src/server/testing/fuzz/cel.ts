import * as fc from 'fast-check';
import { validateRules } from '../../../schema/cel-rules.ts';
import type { Schema } from '../../../schema/schema.ts';
import { anyJson } from './any-json.ts';
import { NO_DEFINITIONS } from './patched-kind.ts';
import { check, type Runs, textOf } from './property.ts';

const CEL_VALUES = [
  'self',
  'self.a',
  'self.l',
  'x',
  '1',
  '-1',
  '1.5',
  '"a"',
  "'(a+)+'",
  'true',
  'null',
  '[1, 2]',
  '{"a": 1}',
  'oldSelf',
];
const CEL_OPERATORS = [
  ' + ',
  ' == ',
  ' in ',
  ' && ',
  ' || ',
  ' ? ',
  ' : ',
  '!',
  ' < ',
  ' % ',
  ',',
  '(',
  ')',
  '[',
  ']',
  '.',
];
const CEL_CALLS = [
  '.all(x, ',
  '.map(x, ',
  '.exists(x, ',
  'has(',
  'size(',
  '.matches(',
  '.replace("a", ',
  '.join()',
  '.split("")',
];
const CEL_LIBRARIES = [
  'duration(',
  'quantity(',
  'ip(',
  'cidr(',
  'url(',
  'sets.contains(',
  'cel.bind(x, ',
  '.findAll(',
  '.indexOf(',
];

export function fuzz(parameters: Runs): number {
  const text = textOf([...CEL_VALUES, ...CEL_OPERATORS, ...CEL_CALLS, ...CEL_LIBRARIES], 16);
  const { expression } = fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      fc.constantFrom(...CEL_VALUES),
      fc
        .tuple(tie('expression'), fc.constantFrom(' + ', ' == ', ' && ', ' || ', ' in ', ' < '), tie('expression'))
        .map(([left, operator, right]) => `(${left}${operator}${right})`),
      fc.tuple(tie('expression'), tie('expression')).map(([list, step]) => `${list}.all(x, ${step})`),
      fc.tuple(tie('expression'), tie('expression')).map(([list, step]) => `${list}.map(x, ${step})`),
      fc.tuple(tie('expression'), tie('expression')).map(([left, right]) => `${left}.matches(string(${right}))`),
      tie('expression').map((value) => `size(${value}) > 0`),
    ),
  }));
  return check(fc.tuple(fc.oneof(text, expression), anyJson), parameters, ([rule, value]) => {
    const schema: Schema = {
      'x-kubernetes-preserve-unknown-fields': true,
      'x-kubernetes-validations': [{ rule, messageExpression: rule }],
    };
    const errors = validateRules(value, undefined, schema, NO_DEFINITIONS, { path: 'x' });
    if (errors.length > 1) throw new Error(`${errors.length} errors of one rule`);
  });
}
