import { NodeAddressSettings } from '@fairway/openstack/config/node-address-settings';
import type { ServerAddress } from '@fairway/openstack/types/server';
import { describe, expect, test } from 'vitest';
import { type AddressRules, machineAddresses } from './machine-addresses.ts';

type Networks = Record<string, ServerAddress[]>;
type Settings = Parameters<(typeof NodeAddressSettings)['parse']>[0];

const fixedAddress = (...addresses: string[]): ServerAddress[] =>
  addresses.map((addr) => ({ addr, version: addr.includes(':') ? 6 : 4, 'OS-EXT-IPS:type': 'fixed' }));
const floating = (addr: string): ServerAddress => ({ addr, version: 4, 'OS-EXT-IPS:type': 'floating' });
/** Some clouds do not report the type of any address. */
const untypedAddress = (...addresses: string[]): ServerAddress[] =>
  addresses.map((addr) => ({ addr, version: addr.includes(':') ? 6 : 4 }));

function addressesOf(
  addresses: Networks,
  rules: Omit<AddressRules, 'settings'> & { settings?: Settings } = {},
  access = {},
) {
  const settings = NodeAddressSettings.parse(rules.settings ?? {});
  const all = machineAddresses({ name: 'node-1', addresses, ...access }, { ...rules, settings });
  const of = (type: string) => all.filter((each) => each.type === type).map(({ address }) => address);
  return { internal: of('InternalIP'), external: of('ExternalIP') };
}

const V6_ACCESS = '2001:4800:790e:510:be76:4eff:fe04:82a8';
const V6_PUBLIC = '2001:4800:780e:510:be76:4eff:fe04:84a8';
const access = { accessIPv4: '50.56.176.99', accessIPv6: V6_ACCESS };
const privateNetwork = [...fixedAddress('10.0.0.32'), floating('50.56.176.36'), ...untypedAddress('10.0.0.31')];
const publicNetwork = untypedAddress('50.56.176.35', V6_PUBLIC);

/** The servers and settings of cloud-provider-openstack's TestNodeAddresses* (pkg/openstack/openstack_test.go). */
describe('addresses in cloud-provider-openstack’s test cases', () => {
  test.each<{
    case: string;
    networks: Networks;
    settings: Settings;
    internal: string[];
    external: string[];
  }>([
    {
      case: 'a public network',
      networks: { private: privateNetwork, public: publicNetwork },
      settings: { public_networks: ['public'] },
      internal: ['10.0.0.32', '10.0.0.31'],
      external: ['50.56.176.99', '50.56.176.36', '50.56.176.35', V6_ACCESS, V6_PUBLIC],
    },
    {
      case: 'a network with another name',
      networks: { private: privateNetwork, 'pub-net': publicNetwork },
      settings: { public_networks: ['pub-net'] },
      internal: ['10.0.0.32', '10.0.0.31'],
      external: ['50.56.176.99', '50.56.176.36', '50.56.176.35', V6_ACCESS, V6_PUBLIC],
    },
    {
      case: 'a fixed address in a public network',
      networks: {
        private: [...fixedAddress('10.0.0.32'), ...untypedAddress('10.0.0.31')],
        'pub-net': untypedAddress('50.56.176.36', V6_PUBLIC),
      },
      settings: { public_networks: ['pub-net'] },
      internal: ['10.0.0.32', '10.0.0.31'],
      external: ['50.56.176.99', '50.56.176.36', V6_ACCESS, V6_PUBLIC],
    },
    {
      case: 'several internal networks',
      networks: { private: privateNetwork, 'also-private': untypedAddress('10.0.0.64'), 'pub-net': publicNetwork },
      settings: { internal_networks: ['private', 'also-private'] },
      internal: ['10.0.0.64', '10.0.0.32', '10.0.0.31'],
      external: ['50.56.176.99', '50.56.176.36', V6_ACCESS],
    },
    {
      case: 'one internal network',
      networks: { private: privateNetwork, 'also-private': untypedAddress('10.0.0.64'), 'pub-net': publicNetwork },
      settings: { internal_networks: ['also-private'] },
      internal: ['10.0.0.64'],
      external: ['50.56.176.99', '50.56.176.36', V6_ACCESS],
    },
    {
      case: 'no IPv6',
      networks: { private: privateNetwork, public: publicNetwork },
      settings: { public_networks: ['public'], ipv6: false },
      internal: ['10.0.0.32', '10.0.0.31'],
      external: ['50.56.176.99', '50.56.176.36', '50.56.176.35'],
    },
    {
      case: 'a sort order',
      networks: { private: privateNetwork, public: publicNetwork },
      settings: { public_networks: ['public'], sort_order: ['10.0.0.0/8', '50.56.176.0/24', '2001:4800::/32'] },
      internal: ['10.0.0.31', '10.0.0.32'],
      external: ['50.56.176.35', '50.56.176.36', '50.56.176.99', V6_PUBLIC, V6_ACCESS],
    },
  ])('$case', ({ networks, settings, internal, external }) => {
    expect(addressesOf(networks, { settings }, access)).toEqual({ internal, external });
  });
});

/** The ranges of TestSortNodeAddresses*; here, IPv4 comes first unless a range says otherwise. */
describe('sorting by ranges', () => {
  const networks = {
    a: fixedAddress(
      'fd08:1374:fcee:916b:be76:4eff:fe04:84a8',
      '192.168.0.1',
      'fd08:1374:fcee:916b:be76:4eff:fe04:82a8',
    ),
    b: fixedAddress('10.0.0.32', '172.16.0.1', '10.0.0.31', '50.56.176.37'),
  };
  const [firstV6, secondV6] = ['fd08:1374:fcee:916b:be76:4eff:fe04:82a8', 'fd08:1374:fcee:916b:be76:4eff:fe04:84a8'];

  test.each<{ sort_order: string[]; internal: string[] }>([
    {
      sort_order: [],
      internal: ['192.168.0.1', '10.0.0.32', '172.16.0.1', '10.0.0.31', '50.56.176.37', secondV6, firstV6],
    },
    {
      sort_order: ['10.0.0.0/8'],
      internal: ['10.0.0.31', '10.0.0.32', '192.168.0.1', '172.16.0.1', '50.56.176.37', secondV6, firstV6],
    },
    {
      sort_order: ['fd08:1374:fcee:916b::/64'],
      internal: [firstV6, secondV6, '192.168.0.1', '10.0.0.32', '172.16.0.1', '10.0.0.31', '50.56.176.37'],
    },
    {
      sort_order: ['10.0.0.0/8', '172.16.0.0/16', '192.168.0.0/24', 'fd08:1374:fcee:916b::/64', '50.56.176.0/24'],
      internal: ['10.0.0.31', '10.0.0.32', '172.16.0.1', '192.168.0.1', firstV6, secondV6, '50.56.176.37'],
    },
  ])('$sort_order', ({ sort_order, internal }) => {
    expect(addressesOf(networks, { settings: { sort_order } }).internal).toEqual(internal);
  });
});

describe('a server with several interfaces', () => {
  const networks = {
    storage: fixedAddress('10.9.0.4'),
    nodes: [...fixedAddress('192.168.1.7'), floating('203.0.113.5')],
    backup: fixedAddress('10.8.0.4'),
  };

  test('puts its address in the nodes’ subnet first, regardless of the network’s name and of the order', () => {
    const nodesCIDR = '192.168.1.0/24';

    expect(addressesOf(networks, { nodesCIDR })).toEqual({
      internal: ['192.168.1.7', '10.8.0.4', '10.9.0.4'],
      external: ['203.0.113.5'],
    });
    expect(addressesOf(networks, { nodesCIDR, settings: { sort_order: ['10.0.0.0/8'] } }).internal[0]).toBe(
      '192.168.1.7',
    );
  });

  test.each<{ settings: Settings; reason: string }>([
    { settings: { public_networks: ['nodes'] }, reason: 'listed as public' },
    { settings: { internal_networks: ['storage'] }, reason: 'not listed as internal' },
  ])('keeps its address in the nodes’ subnet first if the network is $reason', ({ settings }) => {
    expect(addressesOf(networks, { nodesCIDR: '192.168.1.0/24', settings }).internal[0]).toBe('192.168.1.7');
  });
});

describe('a server’s accessIPv4 or accessIPv6', () => {
  const networks = { nodes: fixedAddress('192.168.1.7') };
  const rules = { nodesCIDR: '192.168.1.0/24', clusterRanges: ['10.2.0.0/16', '10.3.0.0/16'] };

  test.each([
    { accessIPv4: '198.51.100.7', external: ['198.51.100.7'], reason: 'is external' },
    { accessIPv4: '192.168.1.8', external: [], reason: 'is ignored in the nodes’ subnet' },
    { accessIPv4: '10.2.0.9', external: [], reason: 'is ignored in the pods’ range' },
    { accessIPv4: '10.3.0.1', external: [], reason: 'is ignored in the Services’ range' },
    { accessIPv4: '169.254.169.254', external: [], reason: 'is ignored if it is the metadata service’s' },
    { accessIPv4: '127.0.0.1', external: [], reason: 'is ignored if it is a loopback address' },
    { accessIPv4: 'nonsense', external: [], reason: 'is ignored if it is not an address' },
  ])('$reason', ({ accessIPv4, external }) => {
    expect(addressesOf(networks, rules, { accessIPv4 }).external).toEqual(external);
  });

  test('is ignored if IPv6 hides an address of the cluster', () => {
    expect(addressesOf(networks, rules, { accessIPv6: '::ffff:192.168.1.8' }).external).toEqual([]);
  });
});

test('lists an access address that is also a floating IP once', () => {
  const networks = { nodes: [...fixedAddress('10.0.0.7'), floating('203.0.113.5')] };

  expect(addressesOf(networks, {}, { accessIPv4: '203.0.113.5' }).external).toEqual(['203.0.113.5']);
});
