import * as fc from 'fast-check';
import { compilePattern, PatternError } from '../../../schema/pattern.ts';
import { allowErrors, check, type Runs, textOf } from './property.ts';

export function fuzz(parameters: Runs): number {
  const text = textOf([
    'a',
    'b',
    '.',
    '*',
    '+',
    '?',
    '(',
    ')',
    '|',
    '[a-c]',
    '[^',
    ']',
    '{2,5}',
    '{900}',
    '\\pL',
    '\\b',
    '^',
    '$',
    '(?i)',
  ]);
  const value = textOf(['a', 'b', 'ab', ' ']);
  return check(fc.tuple(text, value), parameters, ([pattern, subject]) => {
    const compiled = allowErrors(() => compilePattern(pattern), PatternError);
    if (compiled === undefined) return;
    const isMatch = compiled.test(subject);
    if (isMatch !== compiled.findAll(subject, 1).length > 0) throw new Error('test and findAll differ');
  });
}
