import { describe, expect, test } from 'vitest';
import { type EgressExceptions, type EgressKind, egressPolicy, parseEgressTarget } from './egress-policy.ts';

const NONE: EgressExceptions = { allowed: [], denied: [] };

function decide(kind: EgressKind, address: string, port: number, exceptions = NONE): string | undefined {
  const policy = egressPolicy({
    nodeNetworks: ['10.1.0.0/20'],
    exceptions,
    ownAddresses: () => ['127.0.0.1', '10.1.0.1', '192.0.2.7', '93.184.215.1', '2a00::1'],
  });
  return policy(kind, address, port);
}

describe('allowed destinations of an API server', () => {
  test.each<{ kind: EgressKind; address: string; port: number; reason: string }>([
    { kind: 'cluster', address: '10.1.0.5', port: 10_250, reason: 'a kubelet of the cluster' },
    { kind: 'cluster', address: '::ffff:10.1.0.5', port: 10_250, reason: 'the same, written otherwise' },
    { kind: 'cluster', address: '10.1.0.5', port: 4443, reason: 'metrics-server on a node of the cluster' },
    { kind: 'cluster', address: '93.184.215.14', port: 10_250, reason: 'a kubelet with a public address' },
    { kind: 'cluster', address: '93.184.215.14', port: 443, reason: 'what a Service leads to' },
    { kind: 'controlplane', address: '93.184.215.14', port: 8443, reason: 'a webhook on the Internet' },
    { kind: 'controlplane', address: '2606:2800:21f::1', port: 443, reason: 'an issuer on the Internet' },
  ])('$kind $address:$port: $reason', ({ kind, address, port }) => {
    expect(decide(kind, address, port)).toBeUndefined();
  });

  test.each<{ kind: EgressKind; address: string; port: number; reason: string }>([
    { kind: 'controlplane', address: '127.0.0.1', port: 443, reason: 'loopback' },
    { kind: 'controlplane', address: '127.8.9.1', port: 443, reason: 'all of loopback' },
    { kind: 'controlplane', address: '0.0.0.0', port: 443, reason: 'means loopback on Linux' },
    { kind: 'controlplane', address: '::', port: 443, reason: 'the same in IPv6' },
    { kind: 'controlplane', address: '::1', port: 443, reason: 'loopback in IPv6' },
    { kind: 'controlplane', address: '::ffff:127.0.0.1', port: 443, reason: 'loopback within IPv6' },
    { kind: 'controlplane', address: '::ffff:7f00:1', port: 443, reason: 'the same in hexadecimal' },
    { kind: 'controlplane', address: '::127.0.0.1', port: 443, reason: 'the deprecated form of it' },
    { kind: 'controlplane', address: '64:ff9b::7f00:1', port: 443, reason: 'loopback behind a translator' },
    { kind: 'controlplane', address: '2002:7f00:1::1', port: 443, reason: 'loopback in 6to4' },
    { kind: 'cluster', address: '169.254.169.254', port: 80, reason: "the cloud's metadata" },
    { kind: 'cluster', address: '169.254.169.254', port: 10_250, reason: 'whatever the port' },
    { kind: 'controlplane', address: 'fe80::1', port: 443, reason: 'link-local' },
    { kind: 'controlplane', address: 'fe80::1%eth0', port: 443, reason: 'with a zone' },
    { kind: 'controlplane', address: 'fd00::1', port: 443, reason: 'private in IPv6' },
    { kind: 'cluster', address: '10.1.0.1', port: 10_250, reason: 'this machine, in the range of the nodes' },
    { kind: 'controlplane', address: '93.184.215.1', port: 443, reason: 'this machine, by its public address' },
    { kind: 'controlplane', address: '2a00:0::0:1', port: 443, reason: 'this machine, written otherwise' },
    { kind: 'cluster', address: '10.1.0.5', port: 22, reason: 'a node, and not its kubelet' },
    { kind: 'cluster', address: '10.1.0.1', port: 4443, reason: 'this machine, on the port of metrics-server' },
    { kind: 'cluster', address: '10.0.0.1', port: 4443, reason: 'that port, of the network of the operator' },
    { kind: 'cluster', address: '93.184.215.14', port: 4443, reason: 'that port, of the Internet' },
    { kind: 'controlplane', address: '10.1.0.5', port: 4443, reason: 'a webhook is no metrics-server' },
    { kind: 'controlplane', address: '10.1.0.5', port: 10_250, reason: 'a webhook is no kubelet' },
    { kind: 'cluster', address: '10.1.16.1', port: 10_250, reason: "past the end of the nodes' range" },
    { kind: 'controlplane', address: '10.0.0.1', port: 443, reason: "the operator's network" },
    { kind: 'controlplane', address: '100.64.0.1', port: 443, reason: "the provider's network" },
    { kind: 'controlplane', address: '224.0.0.1', port: 443, reason: 'multicast' },
    { kind: 'controlplane', address: '255.255.255.255', port: 443, reason: 'broadcast' },
    { kind: 'cluster', address: '93.184.215.14', port: 25, reason: 'nobody sends mail through pods/proxy' },
    { kind: 'controlplane', address: 'localhost', port: 443, reason: 'a name, which somebody else must resolve' },
    { kind: 'controlplane', address: '2130706433', port: 443, reason: 'no way to write an address' },
  ])('not $kind $address:$port: $reason', ({ kind, address, port }) => {
    expect(decide(kind, address, port)).toContain(' ');
  });
});

describe('exceptions of the operator', () => {
  test.each([
    { allowed: ['10.9.0.0/16'], address: '10.9.1.1', port: 8443, reason: 'any port of a private range' },
    { allowed: ['127.0.0.1:9443'], address: '127.0.0.1', port: 9443, reason: 'even of this machine' },
    { allowed: ['[fd00::/8]:443'], address: 'fd00::7', port: 443, reason: 'IPv6 as well' },
  ])('is allowed: $reason', ({ allowed, address, port }) => {
    expect(decide('controlplane', address, port, { allowed, denied: [] })).toBeUndefined();
  });

  test('are limited to the port that they name', () => {
    expect(decide('controlplane', '127.0.0.1', 9444, { allowed: ['127.0.0.1:9443'], denied: [] })).toContain(
      'loopback',
    );
  });

  test('deny ranges despite any permission', () => {
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
