import { excessiveGrowth } from '@fairway/base/testing/growth';
import { expect, test } from 'vitest';
import * as scalars from './scalars.ts';

const MEGABYTE = 'a'.repeat(2 ** 20);

/** A schema's later checks also run on strings that are too long, unless the length check aborts. */
test.each([
  ['a schedule', scalars.cron()],
  ['a time zone', scalars.timeZone()],
  ['a network', scalars.ipv4Cidr()],
  ['an address', scalars.ipv4()],
])('refuses a megabyte-long %s as too long, without further validation', (_, schema) => {
  const { error } = schema.safeParse(MEGABYTE);
  expect(error?.issues.map(({ code }) => code)).toEqual(['too_big']);
});

test.each([
  ['a schedule', scalars.cron()],
  ['a time zone', scalars.timeZone()],
  ['a duration', scalars.duration()],
  ['a time', scalars.requestTime()],
  ['a version', scalars.kubernetesVersion()],
  ['a quantity', scalars.quantity()],
  ['a network', scalars.ipv4Cidr()],
  ['an address', scalars.ipv4()],
  ['an ID', scalars.openstackId()],
])('validates %s in linear time', async (_, schema) => {
  expect(await excessiveGrowth((text) => schema.safeParse(text))).toBeUndefined();
});
