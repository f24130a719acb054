import { expect, test } from 'vitest';
import { machineNetwork } from './egress-network.ts';

test('localhost is this machine, whatever name servers say', async () => {
  expect(await machineNetwork.resolve('localhost')).toEqual(['127.0.0.1', '::1']);
});
