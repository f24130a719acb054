import type { Machine } from '@fairway/api/kinds/machine';
import { expect, test } from 'vitest';
import { nodeAddresses } from './node-addresses.ts';

const machines = [
  ['InternalIP', '10.0.0.5'],
  ['InternalIP', '192.168.7.5'],
  ['InternalIP', 'fd00::5'],
  ['ExternalIP', '203.0.113.5'],
  ['Hostname', 'general-5'],
].map(([type, address]) => ({ status: { addresses: [{ type, address }] } }) as unknown as Machine);

test.each([
  { client: undefined, addresses: ['10.0.0.5', '192.168.7.5'] },
  { client: '0.0.0.0/0', addresses: ['10.0.0.5', '192.168.7.5'] },
  { client: '192.168.0.0/16', addresses: ['192.168.7.5'] },
  { client: '192.168.7.5,10.0.0.0/24', addresses: ['10.0.0.5', '192.168.7.5'] },
  { client: '203.0.113.0/24', addresses: [] },
  { client: 'what somebody wrote', addresses: [] },
])('selects the addresses $addresses for $client', ({ client, addresses }) => {
  const metadata: Record<string, string> = client === undefined ? {} : { 'fairway.dev/share-client': client };

  expect([...nodeAddresses(machines, { metadata })]).toEqual(addresses);
});

test('excludes machines without a status', () => {
  expect(nodeAddresses([{} as Machine], { metadata: {} }).size).toBe(0);
});
