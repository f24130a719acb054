import { describe, expect, test } from 'vitest';
import { type EgressExceptions, type EgressKind, egressPolicy, parseEgressTarget } from './egress-policy.ts';

const NO_EXCEPTIONS: EgressExceptions = { allowed: [], denied: [] };

function decide(kind: EgressKind, address: string, port: number, exceptions = NO_EXCEPTIONS): string | undefined {
  const policy = egressPolicy({
    nodeNetworks: ['10.1.0.0/20'],
    exceptions,
    ownAddresses: () => ['127.0.0.1', '10.1.0.1', '192.0.2.7', '93.184.215.1', '2a00::1'],
  });
  return policy(kind, address, port);
}

describe('destinations of an API server', () => {
  test.each<{ kind: EgressKind; address: string; port: number; reason: string }>([
    { kind: 'cluster', address: '10.1.0.5', port: 10_250, reason: 'a kubelet of the cluster' },
    { kind: 'cluster', address: '::ffff:10.1.0.5', port: 10_250, reason: 'a kubelet in another notation' },
    { kind: 'cluster', address: '10.1.0.5', port: 4443, reason: 'metrics-server on a node of the cluster' },
    { kind: 'cluster', address: '93.184.215.14', port: 10_250, reason: 'a kubelet with a public address' },
    { kind: 'cluster', address: '93.184.215.14', port: 443, reason: 'a Service endpoint' },
    { kind: 'controlplane', address: '93.184.215.14', port: 8443, reason: 'a webhook on the Internet' },
    { kind: 'controlplane', address: '2606:2800:21f::1', port: 443, reason: 'an issuer on the Internet' },
  ])('allows $kind $address:$port: $reason', ({ kind, address, port }) => {
    expect(decide(kind, address, port)).toBeUndefined();
  });

  test.each<{ kind: EgressKind; address: string; port: number; reason: string }>([
    { kind: 'controlplane', address: '127.0.0.1', port: 443, reason: 'loopback' },
    { kind: 'controlplane', address: '127.8.9.1', port: 443, reason: 'another loopback address' },
    {
      kind: 'controlplane',
      address: '0.0.0.0',
      port: 443,
      reason: 'the unspecified address, which is loopback on Linux',
    },
    { kind: 'controlplane', address: '::', port: 443, reason: 'the unspecified IPv6 address' },
    { kind: 'controlplane', address: '::1', port: 443, reason: 'the IPv6 loopback address' },
    { kind: 'controlplane', address: '::ffff:127.0.0.1', port: 443, reason: 'a loopback address mapped to IPv6' },
    { kind: 'controlplane', address: '::ffff:7f00:1', port: 443, reason: 'a mapped address in hexadecimal' },
    { kind: 'controlplane', address: '::127.0.0.1', port: 443, reason: 'a mapped address in the deprecated form' },
    { kind: 'controlplane', address: '64:ff9b::7f00:1', port: 443, reason: 'a loopback address behind NAT64' },
    { kind: 'controlplane', address: '2002:7f00:1::1', port: 443, reason: 'a loopback address in 6to4' },
    { kind: 'cluster', address: '169.254.169.254', port: 80, reason: 'the metadata service of the cloud' },
    { kind: 'cluster', address: '169.254.169.254', port: 10_250, reason: 'the metadata service on any port' },
    { kind: 'controlplane', address: 'fe80::1', port: 443, reason: 'link-local' },
    { kind: 'controlplane', address: 'fe80::1%eth0', port: 443, reason: 'a link-local address with a zone' },
    { kind: 'controlplane', address: 'fd00::1', port: 443, reason: 'a private IPv6 address' },
    { kind: 'cluster', address: '10.1.0.1', port: 10_250, reason: 'this machine in the range of the nodes' },
    { kind: 'controlplane', address: '93.184.215.1', port: 443, reason: 'this machine by its public address' },
    { kind: 'controlplane', address: '2a00:0::0:1', port: 443, reason: 'this machine in another notation' },
    { kind: 'cluster', address: '10.1.0.5', port: 22, reason: 'a node, but not its kubelet' },
    { kind: 'cluster', address: '10.1.0.1', port: 4443, reason: 'this machine on the port of metrics-server' },
    {
      kind: 'cluster',
      address: '10.0.0.1',
      port: 4443,
      reason: 'the port of metrics-server in the network of the operator',
    },
    { kind: 'cluster', address: '93.184.215.14', port: 4443, reason: 'the port of metrics-server on the Internet' },
    { kind: 'controlplane', address: '10.1.0.5', port: 4443, reason: 'a webhook on the port of metrics-server' },
    { kind: 'controlplane', address: '10.1.0.5', port: 10_250, reason: 'a webhook on the port of a kubelet' },
    { kind: 'cluster', address: '10.1.16.1', port: 10_250, reason: 'an address outside the range of the nodes' },
    { kind: 'controlplane', address: '10.0.0.1', port: 443, reason: 'the network of the operator' },
    { kind: 'controlplane', address: '100.64.0.1', port: 443, reason: 'the network of the provider' },
    { kind: 'controlplane', address: '224.0.0.1', port: 443, reason: 'multicast' },
    { kind: 'controlplane', address: '255.255.255.255', port: 443, reason: 'broadcast' },
    { kind: 'cluster', address: '93.184.215.14', port: 25, reason: 'a mail server reached through pods/proxy' },
    { kind: 'controlplane', address: 'localhost', port: 443, reason: 'a name that is not resolved' },
    { kind: 'controlplane', address: '2130706433', port: 443, reason: 'an invalid address notation' },
  ])('denies $kind $address:$port: $reason', ({ kind, address, port }) => {
    expect(decide(kind, address, port)).toContain(' ');
  });
});

describe('exceptions configured by the operator', () => {
  test.each([
    { allowed: ['10.9.0.0/16'], address: '10.9.1.1', port: 8443, reason: 'any port of a private range' },
    { allowed: ['127.0.0.1:9443'], address: '127.0.0.1', port: 9443, reason: 'a port of this machine' },
    { allowed: ['[fd00::/8]:443'], address: 'fd00::7', port: 443, reason: 'an IPv6 address' },
  ])('allow $reason', ({ allowed, address, port }) => {
    expect(decide('controlplane', address, port, { allowed, denied: [] })).toBeUndefined();
  });

  test('are limited to the specified port', () => {
    expect(decide('controlplane', '127.0.0.1', 9444, { allowed: ['127.0.0.1:9443'], denied: [] })).toContain(
      'loopback',
    );
  });

  test('deny ranges even if other rules allow them', () => {
    const exceptions = { allowed: ['10.0.0.0/8'], denied: ['10.1.0.0/24', '93.184.215.0/24'] };

    expect(decide('cluster', '10.1.0.5', 10_250, exceptions)).toContain('operator');
    expect(decide('controlplane', '93.184.215.14', 443, exceptions)).toContain('operator');
  });

  test.each(['', 'example.org', '10.0.0.0/33', '10.0.0.0/x', '10.0.0.1:0', '10.0.0.1:70000', '10.0.0', '::1/129'])(
    'cannot be parsed: "%s"',
    (text) => {
      expect(() => parseEgressTarget(text)).toThrow(`"${text.replace(/:\d+$/, '')}`);
    },
  );
});
