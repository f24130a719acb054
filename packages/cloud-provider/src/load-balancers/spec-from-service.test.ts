import { describe, expect, test } from 'vitest';
import { specFromService } from './spec-from-service.ts';
import { aService, DNS, HTTP, SETTINGS } from './testing/services.ts';

const ID = '4b2ee5ba-2d1f-4ba4-9a31-1b9b2b6a9d5e';
const OTHER_ID = '0cf8fcd5-65b6-4a0f-a1ad-0a7e8a5e2b9a';

const specOf = (...service: Parameters<typeof aService>) =>
  specFromService(aService(...service), SETTINGS).balancerSpec;
const warningsFor = (...service: Parameters<typeof aService>) =>
  specFromService(aService(...service), SETTINGS).warnings.map(({ reason }) => reason);

test('serves a plain Service over TCP to everyone, with a monitor and a floating IP', () => {
  const { balancerSpec, warnings } = specFromService(aService(), SETTINGS);

  expect(warnings).toEqual([]);
  expect(balancerSpec).toMatchObject({
    provider: undefined,
    families: [4],
    needsAllFamilies: false,
    vip: { subnetID: 'nodes', networkID: undefined, portID: undefined, address: undefined },
    floatingIP: { networkID: 'external' },
    memberSubnetID: 'nodes',
    algorithm: 'ROUND_ROBIN',
    persistsBySource: false,
    sourceRanges: [],
    connectionLimit: -1,
    timeouts: { clientData: 50_000, memberConnect: 5_000, memberData: 50_000, tcpInspect: 0 },
  });
  expect(balancerSpec.ports).toEqual([
    {
      index: 0,
      port: 80,
      nodePort: 30080,
      listenerProtocol: 'TCP',
      poolProtocol: 'TCP',
      monitor: { type: 'TCP', delay: 5, timeout: 3, maxRetries: 1, maxRetriesDown: 3 },
    },
  ]);
});

// Cases from cloud-provider-openstack's tests of getStringFromServiceAnnotation, getBoolFromServiceAnnotation and
// getIntFromServiceAnnotation.
describe('annotation values', () => {
  test.each([
    { value: 'true', internal: true, warnings: [] },
    { value: 'false', internal: false, warnings: [] },
    { value: '', internal: false, warnings: [] },
  ])('reads a flag "$value"', ({ value, internal, warnings }) => {
    expect(specOf({}, { internal: value }).floatingIP === undefined).toBe(internal);
    expect(warningsFor({}, { internal: value })).toEqual(warnings);
  });

  test.each([
    { value: '100', connect: 100, warnings: [] },
    { value: ' 100 ', connect: 100, warnings: [] },
    { value: '-2', connect: 5_000, warnings: ['InvalidAnnotation'] },
    { value: '1e3', connect: 5_000, warnings: ['InvalidAnnotation'] },
    { value: '10s', connect: 5_000, warnings: ['InvalidAnnotation'] },
    { value: '', connect: 5_000, warnings: [] },
    { value: '9'.repeat(40), connect: 5_000, warnings: ['InvalidAnnotation'] },
  ])('reads a number "$value"', ({ value, connect, warnings }) => {
    expect(specOf({}, { timeoutMemberConnect: value }).timeouts?.memberConnect).toBe(connect);
    expect(warningsFor({}, { timeoutMemberConnect: value })).toEqual(warnings);
  });

  test('makes monitor times consistent', () => {
    const monitor = { monitorDelay: '10', monitorTimeout: '60', monitorMaxRetries: '11' };

    expect(specOf({}, monitor).ports[0]?.monitor).toMatchObject({ delay: 10, timeout: 10, maxRetries: 1 });
    expect(warningsFor({}, monitor)).toEqual(['InvalidAnnotation', 'InvalidAnnotation']);
  });

  test('reports misspelled annotations and unknown ones of the same family, up to a limit', () => {
    const service = aService();
    service.metadata.annotations = Object.fromEntries(
      Array.from({ length: 100 }, (_, index) => [`loadbalancer.openstack.org/typo-${index}`, 'x'.repeat(10_000)]),
    );

    const { warnings } = specFromService(service, SETTINGS);

    expect(warnings).toHaveLength(9);
    expect(warnings.at(-1)?.message).toBe('and 92 more warnings');
    expect(Math.max(...warnings.map(({ message }) => message.length))).toBeLessThan(200);
  });
});

// Cases from cloud-provider-openstack's Test_getListenerProtocol, TestBuildPoolCreateOpt and buildMonitorCreateOpts, in
// which Octavia refuses UDP with PROXY (#2854).
describe('protocols', () => {
  const bothSpecs = { ports: [HTTP, DNS] };
  const of = (...service: Parameters<typeof aService>) =>
    specOf(...service).ports.map(
      (port) => `${port.listenerProtocol}/${port.poolProtocol}/${port.monitor?.type ?? '-'}`,
    );

  test.each([
    { is: 'by default', annotations: {}, protocols: ['TCP/TCP/TCP', 'UDP/UDP/-'] },
    {
      is: 'with monitors for all ports',
      annotations: { monitor: 'true' },
      protocols: ['TCP/TCP/TCP', 'UDP/UDP/UDP-CONNECT'],
    },
    { is: 'without monitors', annotations: { monitor: 'false' }, protocols: ['TCP/TCP/-', 'UDP/UDP/-'] },
    { is: 'PROXY', annotations: { proxyProtocol: 'true' }, protocols: ['TCP/PROXY/TCP', 'UDP/UDP/-'] },
    { is: 'PROXY v1', annotations: { proxyProtocol: 'v1' }, protocols: ['TCP/PROXY/TCP', 'UDP/UDP/-'] },
    { is: 'PROXY v2', annotations: { proxyProtocol: 'v2' }, protocols: ['TCP/PROXYV2/TCP', 'UDP/UDP/-'] },
    { is: 'no PROXY', annotations: { proxyProtocol: 'false' }, protocols: ['TCP/TCP/TCP', 'UDP/UDP/-'] },
    { is: 'X-Forwarded-For', annotations: { xForwardedFor: 'true' }, protocols: ['HTTP/HTTP/TCP', 'UDP/UDP/-'] },
    {
      is: 'TLS',
      annotations: { tlsContainerRef: 'https://barbican/v1/containers/x' },
      protocols: ['TERMINATED_HTTPS/HTTP/TCP', 'UDP/UDP/-'],
    },
    {
      is: 'TLS with PROXY',
      annotations: { tlsContainerRef: 'https://barbican/v1/containers/x', proxyProtocol: 'true' },
      protocols: ['TERMINATED_HTTPS/PROXY/TCP', 'UDP/UDP/-'],
    },
  ])('$is', ({ annotations, protocols }) => {
    expect(of(bothSpecs, annotations)).toEqual(protocols);
  });

  test('reports that TCP settings have no effect on other ports', () => {
    expect(warningsFor(bothSpecs, { proxyProtocol: 'v2' })).toEqual(['LoadBalancerTcpOnly']);
    expect(warningsFor({}, { proxyProtocol: 'v2' })).toEqual([]);
  });

  test.each([
    { policy: 'Cluster', provider: 'amphora', tcp: { type: 'TCP' }, udp: undefined },
    { policy: 'Local', provider: 'amphora', tcp: { type: 'HTTP', port: 31000 }, udp: { type: 'HTTP', port: 31000 } },
    { policy: 'Local', provider: 'ovn', tcp: { type: 'TCP' }, udp: undefined },
    { policy: 'Cluster', provider: 'ovn', tcp: undefined, udp: undefined },
  ])(
    'chooses the default monitors for externalTrafficPolicy $policy on $provider',
    ({ policy, provider, tcp, udp }) => {
      const healthCheckNodePort = policy === 'Local' ? 31000 : 0;
      const [first, second] = specOf(
        { ...bothSpecs, externalTrafficPolicy: policy, healthCheckNodePort },
        { provider },
      ).ports;

      const requested = [first, second].map((port) => {
        const { type, port: at } = port?.monitor ?? {};
        return type && { type, ...(at !== undefined && { port: at }) };
      });
      expect(requested).toEqual([tcp, udp]);
    },
  );
});

describe('refusals that name the setting', () => {
  test.each([
    { is: 'no port', service: [{ ports: [] }], says: 'spec.ports' },
    {
      is: 'PROXY with X-Forwarded-For',
      service: [{}, { proxyProtocol: 'true', xForwardedFor: 'true' }],
      says: 'only one of them',
    },
    {
      is: 'a class that does not exist',
      service: [{}, { class: 'gold' }],
      says: 'class "gold" does not exist; available: none',
    },
    { is: 'the old provider of OVHcloud', service: [{}, { ovhClass: 'iolb' }], says: 'iolb is not supported' },
    { is: 'an invalid ID', service: [{}, { subnetID: '../x' }], says: '"../x" is not an ID' },
    {
      is: 'an address of another family',
      service: [{ loadBalancerIP: '2001:db8::1' }],
      says: 'is not a valid IPv4 address',
    },
    {
      is: 'an invalid range',
      service: [{ loadBalancerSourceRanges: ['10.0.0.0/33'] }],
      says: '"10.0.0.0/33" is not an address range',
    },
    {
      is: 'a range without a prefix length',
      service: [{ loadBalancerSourceRanges: ['10.0.0.1'] }],
      says: 'is not an address range',
    },
    { is: 'only ranges of another family', service: [{ loadBalancerSourceRanges: ['2001:db8::/32'] }], says: 'IPv4' },
    {
      is: 'TLS with OVN',
      service: [{}, { provider: 'ovn', tlsContainerRef: 'x' }],
      says: 'provider ovn does not support',
    },
    { is: 'PROXY with OVN', service: [{}, { provider: 'ovn', proxyProtocol: 'v2' }], says: 'proxy-protocol' },
    {
      is: 'ranges with OVN, which would admit everyone',
      service: [{ loadBalancerSourceRanges: ['10.0.0.0/8'] }, { provider: 'ovn' }],
      says: 'spec.loadBalancerSourceRanges',
    },
    {
      is: 'a long reference',
      service: [{}, { tlsContainerRef: 'x'.repeat(300) }],
      says: 'has 300 characters, but may have at most 255',
    },
  ] as const)('$is', ({ service, says }) => {
    expect(() => specOf(...(service as unknown as Parameters<typeof aService>))).toThrow(says);
  });
});

describe('addresses', () => {
  test('are without a floating IP for IPv6, and members have the same family', () => {
    const { balancerSpec, warnings } = specFromService(
      aService({ ipFamilies: ['IPv6'], loadBalancerIP: '2001:db8::7' }),
      SETTINGS,
    );

    expect(balancerSpec).toMatchObject({ families: [6], floatingIP: undefined, vip: { address: '2001:db8::7' } });
    expect(warnings.map(({ reason }) => reason)).toEqual(['LoadBalancerFloatingIPSkipped']);
  });

  test.each([
    { ipFamilies: ['IPv4', 'IPv6'], policy: 'PreferDualStack', families: [4, 6], needsAll: false },
    { ipFamilies: ['IPv6', 'IPv4'], policy: 'RequireDualStack', families: [6, 4], needsAll: true },
    { ipFamilies: ['IPv6'], policy: 'RequireDualStack', families: [6, 4], needsAll: true },
    { ipFamilies: ['IPv6'], policy: 'PreferDualStack', families: [6], needsAll: false },
    { ipFamilies: [], policy: 'SingleStack', families: [4], needsAll: false },
  ])('serves $families for ipFamilies $ipFamilies and policy $policy', ({ ipFamilies, policy, families, needsAll }) => {
    expect(specOf({ ipFamilies, ipFamilyPolicy: policy })).toMatchObject({ families, needsAllFamilies: needsAll });
  });

  test.each([
    { is: 'the floating IP', ip: '192.0.2.7', internal: 'false', vip: undefined, floating: '192.0.2.7' },
    { is: 'the IPv4 address', ip: '192.0.2.7', internal: 'true', vip: '192.0.2.7', floating: undefined },
    { is: 'the IPv6 address', ip: '2001:DB8::0:7', internal: 'false', vip: '2001:db8::7', floating: undefined },
  ])('accepts loadBalancerIP of two families: $is', ({ ip, internal, vip, floating }) => {
    const balancerSpec = specOf({ ipFamilies: ['IPv6', 'IPv4'], loadBalancerIP: ip }, { internal });

    expect(balancerSpec.vip.address).toBe(vip);
    expect(balancerSpec.floatingIP?.address).toBe(floating);
  });

  test.each([
    { loadBalancerIP: '192.0.2.7', ipFamilies: ['IPv6'], says: '"192.0.2.7" is not a valid IPv6 address' },
    { loadBalancerIP: 'fe80::1%eth0', ipFamilies: ['IPv4', 'IPv6'], says: 'is not a valid IPv4 or IPv6 address' },
  ])('refuses loadBalancerIP $loadBalancerIP of $ipFamilies', ({ says, ...spec }) => {
    expect(() => specOf(spec)).toThrow(says);
  });

  const V4 = '192.0.2.0/24';
  const V6 = '2001:db8::/32';
  test.each([
    { ranges: [V4, V6], allowed: [V4, V6], closed: [] },
    { ranges: [V4], allowed: [V4], closed: ['LoadBalancerFamilyClosed'] },
    { ranges: ['0.0.0.0/0'], allowed: ['0.0.0.0/0'], closed: ['LoadBalancerFamilyClosed'] },
    { ranges: ['0.0.0.0/0', V4, V6], allowed: ['0.0.0.0/0', V6], closed: [] },
    { ranges: ['0.0.0.0/0', '::/0'], allowed: [], closed: [] },
    { ranges: [], allowed: [], closed: [] },
  ])('splits ranges $ranges of two families: $allowed', ({ ranges, allowed, closed }) => {
    const spec = { ipFamilies: ['IPv4', 'IPv6'], loadBalancerSourceRanges: ranges };

    expect(specOf(spec).sourceRanges).toEqual(allowed);
    expect(warningsFor(spec)).toEqual(closed);
  });

  test.each([
    { internal: 'true', vip: '192.0.2.7', floating: undefined },
    { internal: 'false', vip: undefined, floating: '192.0.2.7' },
  ])('reads loadBalancerIP with internal: $internal', ({ internal, vip, floating }) => {
    const balancerSpec = specOf({ loadBalancerIP: '192.0.2.7' }, { internal });

    expect(balancerSpec.vip.address).toBe(vip);
    expect(balancerSpec.floatingIP?.address).toBe(floating);
  });

  test('makes a load balancer internal if there is no external network, and reports it', () => {
    const { balancerSpec, warnings } = specFromService(aService(), { ...SETTINGS, floatingNetworkID: undefined });

    expect(balancerSpec.floatingIP).toBeUndefined();
    expect(warnings.map(({ reason }) => reason)).toEqual(['LoadBalancerForcedInternal']);
  });

  // Cases from getSubnetID, getNetworkID and getMemberSubnetID of cloud-provider-openstack.
  test('reads subnets and networks from the Service, then its class, then the cluster', () => {
    const classes = new Map([
      ['gold', { subnetID: 'gold-vip', memberSubnetID: 'gold-members', floatingNetworkID: 'gold-net' }],
    ]);
    const of = (...service: Parameters<typeof aService>) =>
      specFromService(aService(...service), { ...SETTINGS, classes }).balancerSpec;

    expect(of()).toMatchObject({ vip: { subnetID: 'nodes' }, memberSubnetID: 'nodes' });
    expect(of({}, { class: 'gold' })).toMatchObject({
      vip: { subnetID: 'gold-vip' },
      memberSubnetID: 'gold-members',
      floatingIP: { networkID: 'gold-net' },
    });
    expect(of({}, { class: 'gold', subnetID: ID, memberSubnetID: OTHER_ID })).toMatchObject({
      vip: { subnetID: ID },
      memberSubnetID: OTHER_ID,
      floatingIP: { networkID: 'gold-net' },
    });
  });

  test.each([
    { given: ['10.1.2.3/8', '10.0.0.0/8'], are: ['10.0.0.0/8'] },
    { given: ['192.0.2.0/24', '10.0.0.0/8'], are: ['10.0.0.0/8', '192.0.2.0/24'] },
    { given: ['10.0.0.0/8', '0.0.0.0/0'], are: [] },
    { given: ['10.0.0.0/8', '2001:db8::/32'], are: ['10.0.0.0/8'] },
  ])('reads source ranges $given', ({ given, are }) => {
    expect(specOf({ loadBalancerSourceRanges: given }).sourceRanges).toEqual(are);
  });

  test('uses the annotation’s ranges if the field is empty', () => {
    const sourceRanges = ' 10.0.0.0/8 , 192.0.2.0/24';

    expect(specOf({}, { sourceRanges }).sourceRanges).toEqual(['10.0.0.0/8', '192.0.2.0/24']);
    expect(specOf({ loadBalancerSourceRanges: ['10.9.0.0/16'] }, { sourceRanges }).sourceRanges).toEqual([
      '10.9.0.0/16',
    ]);
  });
});

test.each([
  { annotations: {}, flavor: undefined },
  { annotations: { flavorID: ID }, flavor: { id: ID } },
  { annotations: { ovhFlavor: 'medium' }, flavor: { name: 'medium' } },
  { annotations: { flavorID: ID, ovhFlavor: 'medium' }, flavor: { id: ID } },
])('reads the flavor of $annotations', ({ annotations, flavor }) => {
  expect(specOf({}, annotations).flavor).toEqual(flavor);
});

test.each([
  { provider: 'amphora', value: 'LEAST_CONNECTIONS', is: 'LEAST_CONNECTIONS' },
  { provider: 'amphora', value: 'SOURCE_IP_PORT', is: 'ROUND_ROBIN' },
  { provider: 'ovn', value: 'ROUND_ROBIN', is: 'SOURCE_IP_PORT' },
  { provider: 'ovn', value: '', is: 'SOURCE_IP_PORT' },
])('treats the algorithm $value on $provider as $is', ({ provider, value, is }) => {
  expect(specOf({}, { provider, algorithm: value }).algorithm).toBe(is);
});

test.each([
  { value: '', selector: [] },
  {
    value: 'zone=a,gpu',
    selector: [
      ['zone', 'a'],
      ['gpu', null],
    ],
  },
  { value: ' zone = a ,, ', selector: [['zone', 'a']] },
])('reads the node selector "$value"', ({ value, selector }) => {
  expect([...specOf({}, { nodeSelector: value }).nodeSelector]).toEqual(selector);
});
