import type { NetworkInterfaceInfo } from 'node:os';
import { expect, test } from 'vitest';
import { certificateNames, clientUrl, type ServerNames } from './server-address.ts';

function address(value: string, internal = false): NetworkInterfaceInfo {
  const commonFields = { address: value, netmask: '', mac: '', internal, cidr: null };
  return value.includes(':') ? { ...commonFields, family: 'IPv6', scopeid: 0 } : { ...commonFields, family: 'IPv4' };
}

const interfaces = {
  lo: [address('127.0.0.1', true), address('::1', true)],
  eth0: [address('10.0.0.5'), address('fe80::1'), address('2001:db8::5')],
};

function names(host: string, overrides: Partial<ServerNames> = {}): ServerNames {
  return { listen: { host, port: 0 }, advertisedAddress: undefined, subjectAltNames: [], interfaces, ...overrides };
}

test.each([
  { reason: 'the listen address', of: names('127.0.0.1'), url: 'https://127.0.0.1:8443' },
  { reason: 'an IPv6 address in brackets', of: names('::1'), url: 'https://[::1]:8443' },
  { reason: 'an address of the machine, never 0.0.0.0', of: names('0.0.0.0'), url: 'https://10.0.0.5:8443' },
  {
    reason: 'the first name',
    of: names('0.0.0.0', { subjectAltNames: ['a.example', 'b'] }),
    url: 'https://a.example:8443',
  },
  {
    reason: 'the advertised address',
    of: names('0.0.0.0', { subjectAltNames: ['a'], advertisedAddress: { host: 'b.example', port: 443 } }),
    url: 'https://b.example:443',
  },
  {
    reason: 'an advertised address without a port',
    of: names('10.0.0.5', { advertisedAddress: { host: '2001:db8::9', port: undefined } }),
    url: 'https://[2001:db8::9]:8443',
  },
  { reason: 'a machine without a network', of: names('::', { interfaces: {} }), url: 'https://127.0.0.1:8443' },
])('clients reach the server at $url: $reason', ({ of, url }) => {
  expect(clientUrl(of, 8443)).toBe(url);
});

test.each([
  { of: names('0.0.0.0'), expected: ['10.0.0.5'] },
  { of: names('::', { subjectAltNames: ['a'] }), expected: ['a', '10.0.0.5', '2001:db8::5'] },
  {
    of: names('10.0.0.5', { advertisedAddress: { host: 'a', port: 1 }, subjectAltNames: ['a', 'b'] }),
    expected: ['a', 'b', '10.0.0.5'],
  },
])('the certificate has the names and addresses $expected', ({ of, expected }) => {
  expect(certificateNames(of)).toEqual(expected);
});
