import { expect, test } from 'vitest';
import { peerNetwork } from './peer-network.ts';

test.each([
  { address: '192.0.2.1', network: '192.0.2.1' },
  { address: '::ffff:192.0.2.1', network: '192.0.2.1' },
  { address: '2001:db8::1', network: '2001:db8:0:0::/64' },
  { address: '2001:db8:0:0:ffff:ffff:ffff:ffff', network: '2001:db8:0:0::/64' },
  { address: '2001:0DB8:0000:0000::2', network: '2001:db8:0:0::/64' },
  { address: '2001:db8:0:1::', network: '2001:db8:0:1::/64' },
  { address: '2001:db8::5:6:7:8', network: '2001:db8:0:0::/64' },
  { address: '1:2:3::192.0.2.1', network: '1:2:3:0::/64' },
  { address: 'fe80::1%eth0', network: 'fe80:0:0:0::/64' },
  { address: '::1', network: '0:0:0:0::/64' },
  { address: '', network: '' },
])('counts $address under the network $network', ({ address, network }) => {
  expect(peerNetwork(address)).toBe(network);
});
