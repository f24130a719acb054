import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { isUnknownRestriction, isUnsupported } from '../clusters/known-labels.ts';
import { splitList } from '../clusters/labels.ts';
import { objectName } from '../clusters/object-name.ts';
import { jsonOf } from './body.ts';
import { negotiate } from './microversion.ts';

test.each<[string, (text: string) => unknown]>([
  ['a microversion', (text) => negotiate(`container-infra ${text}`)],
  ['a body', jsonOf],
  ['a list in a label', splitList],
  ['the name of a cluster', (text) => objectName(text, 40)],
  ['a label', (text) => isUnknownRestriction(text, text)],
  ['the value of a label', (text) => isUnsupported('fixed_network_cidr', text)],
])('reads %s in linear time', async (_, read) => {
  expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
});
