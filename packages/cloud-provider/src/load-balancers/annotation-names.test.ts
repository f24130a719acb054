import { describe, expect, test } from 'vitest';
import { ANNOTATION, SERVICE_ANNOTATIONS, TUNING_ANNOTATIONS } from './annotation-names.ts';
import { specFromService } from './spec-from-service.ts';
import { aService, SETTINGS } from './testing/a-service.ts';

type Name = keyof typeof ANNOTATION;

/** What becomes of a Service with a value that is invalid. */
interface Row {
  readonly unreadable: readonly string[];
  readonly is: 'refused' | 'told' | 'unread';
  readonly reason?: string;
}

const FLAGS = ['True', 'TRUE', 'yes', 'on', '1', ' true', 'true ', 'false ', '"true"'];
const IDS = ['demo', '../x', '4b2ee5ba'];
const NUMBERS = ['many', '-7', '1.5', '10s', '1e3', '9'.repeat(40)];
const RANGES = ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/8;192.0.2.0/24', 'internal', ',', '2001:db8::/32'];

const TABLE: Readonly<Record<Name, Row>> = {
  internal: { unreadable: FLAGS, is: 'refused' },
  sourceRanges: { unreadable: RANGES, is: 'refused' },
  loadBalancerID: { unreadable: [], is: 'unread', reason: 'read before all others: see sharing.ts' },
  address: { unreadable: ['x'], is: 'unread', reason: 'Fairway alone writes it' },
  class: { unreadable: ['gold'], is: 'refused' },
  networkID: { unreadable: IDS, is: 'refused' },
  subnetID: { unreadable: IDS, is: 'refused' },
  memberSubnetID: { unreadable: IDS, is: 'refused' },
  portID: { unreadable: IDS, is: 'refused' },
  floatingNetworkID: { unreadable: IDS, is: 'refused' },
  floatingSubnetID: { unreadable: IDS, is: 'refused' },
  floatingSubnet: { unreadable: ['~(', 'x'.repeat(256)], is: 'refused' },
  floatingSubnetTags: { unreadable: ['x'.repeat(256)], is: 'refused' },
  keepFloatingIP: { unreadable: FLAGS, is: 'refused' },
  proxyProtocol: { unreadable: ['v3', 'True', 'yes'], is: 'refused' },
  xForwardedFor: { unreadable: FLAGS, is: 'refused' },
  tlsContainerRef: { unreadable: ['x'.repeat(256)], is: 'refused', reason: 'the rest needs Barbican' },
  algorithm: { unreadable: ['FASTEST', 'round_robin'], is: 'told' },
  connectionLimit: { unreadable: NUMBERS, is: 'refused' },
  timeoutClientData: { unreadable: NUMBERS, is: 'told' },
  timeoutMemberConnect: { unreadable: NUMBERS, is: 'told' },
  timeoutMemberData: { unreadable: NUMBERS, is: 'told' },
  timeoutTcpInspect: { unreadable: NUMBERS, is: 'told' },
  monitor: { unreadable: FLAGS, is: 'told' },
  monitorDelay: { unreadable: NUMBERS, is: 'told' },
  monitorTimeout: { unreadable: NUMBERS, is: 'told' },
  monitorMaxRetries: { unreadable: NUMBERS, is: 'told' },
  monitorMaxRetriesDown: { unreadable: NUMBERS, is: 'told' },
  flavorID: { unreadable: IDS, is: 'refused' },
  availabilityZone: { unreadable: ['x'.repeat(256)], is: 'refused', reason: 'Octavia refuses one that it lacks' },
  nodeSelector: { unreadable: ['=a', 'zone in (a)', 'zone!=a', 'a/b/c=d', 'zone=a b'], is: 'refused' },
  hostname: { unreadable: ['-shop', 'Shop', '192.0.2.1', 'a..b', 'x'.repeat(256)], is: 'told' },
  ovhClass: { unreadable: ['iolb', 'amphora'], is: 'refused' },
  ovhFlavor: { unreadable: ['x'.repeat(256)], is: 'refused', reason: 'the rest needs Octavia' },
  ovhAllowedSources: { unreadable: ['10.0.0.0/33', 'office', ',', '198.51.100.256', '2001:db8::1'], is: 'refused' },
  ovhProxyProtocol: { unreadable: ['v2-ssl', 'v2_ssl', 'v2-ssl-cn', 'v3'], is: 'refused' },
  ovhAlgorithm: { unreadable: ['first', 'uri'], is: 'told' },
  provider: { unreadable: ['x'.repeat(256)], is: 'refused' },
};

const rows = Object.entries(TABLE).flatMap(([name, { unreadable, is }]) =>
  unreadable.map((value) => ({ name: name as Name, value, shown: value.slice(0, 20), is })),
);

function outcome(name: Name, value: string): readonly string[] {
  try {
    const { warnings } = specFromService(aService({}, { [name]: value }), SETTINGS);
    return warnings.map(({ message }) => `told ${message}`);
  } catch (error) {
    return [`refused ${String(error)}`];
  }
}

test.each(rows)('$name "$shown" is $is', ({ name, value, is }) => {
  const words = outcome(name, value).map((text) => [text.split(' ')[0], text.includes(ANNOTATION[name])]);

  expect(words).toEqual(is === 'unread' ? [] : [[is, true]]);
});

test('annotations that only tune are those that are reported', () => {
  const told = Object.entries(TABLE).filter(([, { is }]) => is === 'told');

  expect(new Set(told.map(([name]) => ANNOTATION[name as Name]))).toEqual(TUNING_ANNOTATIONS);
});

test.each([...SERVICE_ANNOTATIONS])('%s is absent if it is empty', (name) => {
  const service = aService();
  service.metadata.annotations = { [name]: '' };

  expect(specFromService(service, SETTINGS)).toEqual(specFromService(aService(), SETTINGS));
});

describe('the first annotations of OVHcloud', () => {
  const ID = ANNOTATION.ovhAllowedSources;

  test.each([
    { value: '198.51.100.0/24', are: ['198.51.100.0/24'] },
    { value: '10.0.0.0/24,172.10.0.1', are: ['10.0.0.0/24', '172.10.0.1/32'] },
    { value: ' 10.0.0.7 , 10.0.0.0/30 ', are: ['10.0.0.0/30', '10.0.0.7/32'] },
  ])('allowed-sources $value', ({ value, are }) => {
    expect(specFromService(aService({}, { ovhAllowedSources: value }), SETTINGS).balancerSpec.sourceRanges).toEqual(
      are,
    );
  });

  test.each([
    {
      field: ['203.0.113.0/24'],
      warned: [`annotation ${ID} has no effect together with spec.loadBalancerSourceRanges`],
    },
    { field: ['198.51.100.0/24'], warned: [] },
  ])('give way to the field $field', ({ field, warned }) => {
    const service = aService({ loadBalancerSourceRanges: field }, { ovhAllowedSources: '198.51.100.0/24' });
    const { balancerSpec, warnings } = specFromService(service, SETTINGS);

    expect(balancerSpec.sourceRanges).toEqual(field);
    expect(warnings.map(({ message }) => message)).toEqual(warned);
  });

  test.each([
    { value: 'v1', protocol: 'PROXY' },
    { value: 'v2', protocol: 'PROXYV2' },
  ])('proxy-protocol $value', ({ value, protocol }) => {
    const { balancerSpec } = specFromService(aService({}, { ovhProxyProtocol: value }), SETTINGS);

    expect(balancerSpec.ports[0]?.poolProtocol).toBe(protocol);
    expect(() => specFromService(aService({}, { ovhProxyProtocol: value, xForwardedFor: 'true' }), SETTINGS)).toThrow(
      'only one of them',
    );
    expect(() => specFromService(aService({}, { ovhProxyProtocol: value, proxyProtocol: 'false' }), SETTINGS)).toThrow(
      'contradict each other',
    );
  });

  test.each([
    { value: 'roundrobin', algorithm: 'ROUND_ROBIN' },
    { value: 'leastconn', algorithm: 'LEAST_CONNECTIONS' },
    { value: 'source', algorithm: 'SOURCE_IP' },
  ])('balance $value', ({ value, algorithm }) => {
    expect(specFromService(aService({}, { ovhAlgorithm: value }), SETTINGS).balancerSpec.algorithm).toBe(algorithm);
    expect(specFromService(aService({}, { ovhAlgorithm: value, provider: 'ovn' }), SETTINGS)).toMatchObject({
      balancerSpec: { algorithm: 'SOURCE_IP_PORT' },
      warnings: [{ reason: 'InvalidAnnotation' }],
    });
  });
});
