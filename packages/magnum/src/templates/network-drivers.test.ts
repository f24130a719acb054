import { MAGNUM_DRIVERS, REPLACED_DRIVER } from '@fairway/api/limits/catalogue-magnum';
import { expect, test } from 'vitest';
import { NETWORK_DRIVERS } from './template.ts';

test.each(MAGNUM_DRIVERS)('the limits page and the Magnum API agree that $driver is $podNetwork', (stated) => {
  expect(NETWORK_DRIVERS[stated.driver]).toBe(stated.podNetwork);
});

test('a cluster that requests the unsupported driver gets the stated one', () => {
  const { driver, replacement } = REPLACED_DRIVER;

  expect(NETWORK_DRIVERS[driver]).toBe(NETWORK_DRIVERS[replacement]);
});
