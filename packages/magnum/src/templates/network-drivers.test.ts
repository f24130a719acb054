import { MAGNUM_DRIVERS, REFUSED_DRIVER } from '@fairway/api/limits/catalogue-magnum';
import { expect, test } from 'vitest';
import { checkNetworkDriver, networkDriverOf } from './network-drivers.ts';

test.each(MAGNUM_DRIVERS)('the limits page and the Magnum API agree that $driver is $podNetwork', (stated) => {
  expect(networkDriverOf(stated.podNetwork)).toBe(stated.driver);
});

test('the driver that the limits page excludes is refused in new templates, with those to use', () => {
  const check = (stored: string | undefined) => () =>
    checkNetworkDriver(REFUSED_DRIVER, { stored, plan: undefined, nowMs: 0 });

  expect(check(undefined)).toThrow('network_driver flannel is not supported: use calico, cilium or none');
  expect(check(REFUSED_DRIVER)).not.toThrow();
});
