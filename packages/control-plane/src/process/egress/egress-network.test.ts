import { expect, test } from 'vitest';
import { machineNetwork } from './egress-network.ts';

test('resolves localhost to this machine, regardless of DNS', async () => {
  expect(await machineNetwork.resolve('localhost')).toEqual(['127.0.0.1', '::1']);
});
