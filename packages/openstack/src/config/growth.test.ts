import { excessiveGrowth, excessiveItemGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import { parseRetryAfter } from '../http/retry-after.ts';
import { keystoneTimeMs } from '../types/identity.ts';
import { parseGcfg } from './gcfg.ts';
import { loadWritten } from './written-yaml.ts';

test.each<[string, (text: string) => unknown]>([
  ['cloud.conf', parseGcfg],
  ['a section of cloud.conf', (text) => parseGcfg(`[a "${text}`)],
  ['lines of cloud.conf', (text) => parseGcfg(`[a]\n${text}`)],
  ['a value of cloud.conf', (text) => parseGcfg(`[a]\nb = ${text}`)],
  ['clouds.yaml', (text) => loadWritten(text, 'clouds.yaml')],
  ['a Keystone timestamp', keystoneTimeMs],
  ['Retry-After', (text) => parseRetryAfter(text, 0)],
])('reads %s in linear time', async (_, read) => {
  expect(await excessiveGrowth(read, { bare: true })).toBeUndefined();
});

test('joins continued lines in cloud.conf in linear time', async () => {
  expect(await excessiveItemGrowth((count) => parseGcfg(`[a]\nb = ${'a\\\n'.repeat(8 * count)}`))).toBeUndefined();
});
