import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { parseFieldSelector } from './field-selector.ts';
import * as names from './names.ts';
import { compileJsonPath, fieldNamesOf } from './path.ts';
import { parseQuantity } from './quantity.ts';
import { matchesLabels, parseLabelSelector } from './selector.ts';

test.each<[string, (text: string) => unknown]>([
  ['a field selector', parseFieldSelector],
  ['a label selector', parseLabelSelector],
  ['a label matched by a selector', (text) => matchesLabels(parseLabelSelector(text), { a: text })],
  ['a JSON path', compileJsonPath],
  ['a field path', fieldNamesOf],
  ['a quantity', parseQuantity],
  ['a label', names.dns1123LabelErrors],
  ['a name', names.dns1123SubdomainErrors],
  ["a Service's name", names.dns1035LabelErrors],
  ["a label's key", names.qualifiedNameErrors],
  ["a label's value", names.labelValueErrors],
  ["a port's name", names.portNameErrors],
])('%s is read in linear time', async (_, read) => {
  expect(await excessiveGrowth(read)).toBeUndefined();
});
