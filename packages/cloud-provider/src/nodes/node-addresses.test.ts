import { describe, expect, test } from 'vitest';
import { foreignNodeIPs, providedNodeIPs, selectedAddresses } from './node-addresses.ts';

const internal = (address: string) => ({ type: 'InternalIP' as const, address });
const external = (address: string) => ({ type: 'ExternalIP' as const, address });
const hostname = { type: 'Hostname' as const, address: 'node-1' };
const all = [internal('10.0.0.7'), internal('10.9.0.7'), internal('fd00::7'), external('203.0.113.5'), hostname];

describe('the address that a kubelet selects', () => {
  test.each<{ annotation: string; addresses: typeof all; reason: string }>([
    {
      annotation: '10.9.0.7',
      addresses: [internal('10.9.0.7'), external('203.0.113.5'), hostname],
      reason: 'it is the only one of its type',
    },
    {
      annotation: '203.0.113.5',
      addresses: [external('203.0.113.5'), internal('10.0.0.7'), internal('10.9.0.7'), internal('fd00::7'), hostname],
      reason: 'it does not affect other types',
    },
    {
      annotation: '10.0.0.7, fd00::7',
      addresses: [internal('10.0.0.7'), internal('fd00::7'), external('203.0.113.5'), hostname],
      reason: 'there may be one of each IP version',
    },
    { annotation: '10.0.0.8', addresses: all, reason: 'it is ignored if it belongs to another server' },
    {
      annotation: '10.0.0.7,169.254.169.254',
      addresses: all,
      reason: 'both are ignored if one of them belongs to another server',
    },
    { annotation: 'node-1', addresses: all, reason: 'a name is not an address' },
    { annotation: '', addresses: all, reason: 'the annotation may be missing' },
  ])('$reason: $annotation', ({ annotation, addresses }) => {
    const provided = providedNodeIPs({ 'alpha.kubernetes.io/provided-node-ip': annotation });

    expect(selectedAddresses(all, provided)).toEqual(addresses);
  });

  test('is reported if the server does not have it', () => {
    expect(foreignNodeIPs(['10.0.0.7', '10.0.0.8'], all)).toEqual(['10.0.0.8']);
  });
});
