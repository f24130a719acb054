import { compileJsonPath, JsonPathError } from '@fairway/kube/object/path';
import { allowErrors, check, type Runs, textOf } from './property.ts';

export function fuzz(parameters: Runs): number {
  const text = textOf([
    '.a',
    '[0]',
    '[*]',
    "['a']",
    '[?(@.a=="b")]',
    '{',
    '}',
    '$',
    '.',
    '\\.',
    '[?(',
    '@',
    ')]',
    '"',
    '<=',
  ]);
  return check(text, parameters, (path) => {
    allowErrors(() => compileJsonPath(path), JsonPathError)?.({ a: [{ a: 'b' }, { a: [1] }] });
  });
}
