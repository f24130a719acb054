import { parseFieldSelector } from '@fairway/kube/object/field-selector';
import { formatLabelMatcher, matchesLabels, parseLabelSelector } from '@fairway/kube/object/selector';
import { allowErrors, check, type Runs, textOf } from './property.ts';

export function fuzz(parameters: Runs): number {
  const text = textOf([
    'a',
    'b.c/d',
    '=',
    '==',
    '!=',
    '!',
    ',',
    ' in ',
    ' notin ',
    '(',
    ')',
    '>',
    '<',
    ' ',
    '1',
    '\\',
    '\\,',
    '\\=',
  ]);
  return check(text, parameters, (selector) => {
    const matcher = allowErrors(() => parseLabelSelector(selector));
    if (matcher !== undefined) {
      matchesLabels(matcher, { a: '1', 'b.c/d': 'b' });
      parseLabelSelector(formatLabelMatcher(matcher));
    }
    allowErrors(() => parseFieldSelector(selector));
  });
}
