import { describe, expect, test } from 'vitest';
import { ANNOTATION, SERVICE_ANNOTATIONS, TUNING_ANNOTATIONS } from './annotation-names.ts';
import { specFromService } from './spec-from-service.ts';
import { aService, SETTINGS } from './testing/services.ts';

type Name = keyof typeof ANNOTATION;

/** The outcome for a Service with an invalid value. */
interface Row {
  readonly invalid: readonly string[];
  readonly is: 'refused' | 'told' | 'unread';
  readonly reason?: string;
}

const FLAG_VALUES = ['True', 'TRUE', 'yes', 'on', '1', ' true', 'true ', 'false ', '"true"'];
const ID_VALUES = ['demo', '../x', '4b2ee5ba'];
const NUMBER_VALUES = ['many', '-7', '1.5', '10s', '1e3', '9'.repeat(40)];
const RANGE_VALUES = ['10.0.0.0', '10.0.0.0/33', '10.0.0.0/8;192.0.2.0/24', 'internal', ',', '2001:db8::/32'];

const TABLE: Readonly<Record<Name, Row>> = {
  internal: { invalid: FLAG_VALUES, is: 'refused' },
  sourceRanges: { invalid: RANGE_VALUES, is: 'refused' },
  loadBalancerID: { invalid: [], is: 'unread', reason: 'it is read before all other annotations: see sharing.ts' },
  address: { invalid: ['x'], is: 'unread', reason: 'only Fairway writes it' },
  class: { invalid: ['gold'], is: 'refused' },
  networkID: { invalid: ID_VALUES, is: 'refused' },
  subnetID: { invalid: ID_VALUES, is: 'refused' },
  memberSubnetID: { invalid: ID_VALUES, is: 'refused' },
  portID: { invalid: ID_VALUES, is: 'refused' },
  floatingNetworkID: { invalid: ID_VALUES, is: 'refused' },
  floatingSubnetID: { invalid: ID_VALUES, is: 'refused' },
  floatingSubnet: { invalid: ['~(', 'x'.repeat(256)], is: 'refused' },
  floatingSubnetTags: { invalid: ['x'.repeat(256)], is: 'refused' },
  keepFloatingIP: { invalid: FLAG_VALUES, is: 'refused' },
  proxyProtocol: { invalid: ['v3', 'True', 'yes'], is: 'refused' },
  xForwardedFor: { invalid: FLAG_VALUES, is: 'refused' },
  tlsContainerRef: { invalid: ['x'.repeat(256)], is: 'refused', reason: 'other checks need Barbican' },
  algorithm: { invalid: ['FASTEST', 'round_robin'], is: 'told' },
  connectionLimit: { invalid: NUMBER_VALUES, is: 'refused' },
  timeoutClientData: { invalid: NUMBER_VALUES, is: 'told' },
  timeoutMemberConnect: { invalid: NUMBER_VALUES, is: 'told' },
  timeoutMemberData: { invalid: NUMBER_VALUES, is: 'told' },
  timeoutTcpInspect: { invalid: NUMBER_VALUES, is: 'told' },
  monitor: { invalid: FLAG_VALUES, is: 'told' },
  monitorDelay: { invalid: NUMBER_VALUES, is: 'told' },
  monitorTimeout: { invalid: NUMBER_VALUES, is: 'told' },
  monitorMaxRetries: { invalid: NUMBER_VALUES, is: 'told' },
  monitorMaxRetriesDown: { invalid: NUMBER_VALUES, is: 'told' },
  flavorID: { invalid: ID_VALUES, is: 'refused' },
  availabilityZone: { invalid: ['x'.repeat(256)], is: 'refused', reason: 'Octavia refuses an unknown zone' },
  nodeSelector: { invalid: ['=a', 'zone in (a)', 'zone!=a', 'a/b/c=d', 'zone=a b'], is: 'refused' },
  hostname: { invalid: ['-shop', 'Shop', '192.0.2.1', 'a..b', 'x'.repeat(256)], is: 'told' },
  ovhClass: { invalid: ['iolb', 'amphora'], is: 'refused' },
  ovhFlavor: { invalid: ['x'.repeat(256)], is: 'refused', reason: 'other checks need Octavia' },
  ovhAllowedSources: { invalid: ['10.0.0.0/33', 'office', ',', '198.51.100.256', '2001:db8::1'], is: 'refused' },
  ovhProxyProtocol: { invalid: ['v2-ssl', 'v2_ssl', 'v2-ssl-cn', 'v3'], is: 'refused' },
  ovhAlgorithm: { invalid: ['first', 'uri'], is: 'told' },
  provider: { invalid: ['x'.repeat(256)], is: 'refused' },
};

const rows = Object.entries(TABLE).flatMap(([name, { invalid, is }]) =>
  invalid.map((value) => ({ name: name as Name, value, shown: value.slice(0, 20), is })),
);

function outcome(name: Name, value: string): readonly string[] {
  try {
    const { warnings } = specFromService(aService({}, { [name]: value }), SETTINGS);
    return warnings.map(({ message }) => `told ${message}`);
  } catch (error) {
    return [`refused ${String(error)}`];
  }
}

test.each(rows)('treats $name "$shown" as $is', ({ name, value, is }) => {
  const words = outcome(name, value).map((text) => [text.split(' ')[0], text.includes(ANNOTATION[name])]);

  expect(words).toEqual(is === 'unread' ? [] : [[is, true]]);
});

test('reports exactly the tuning annotations', () => {
  const reported = Object.entries(TABLE).filter(([, { is }]) => is === 'told');

  expect(new Set(reported.map(([name]) => ANNOTATION[name as Name]))).toEqual(TUNING_ANNOTATIONS);
});

test.each([...SERVICE_ANNOTATIONS])('treats an empty %s as absent', (name) => {
  const service = aService();
  service.metadata.annotations = { [name]: '' };

  expect(specFromService(service, SETTINGS)).toEqual(specFromService(aService(), SETTINGS));
});

describe('annotations of OVHcloud’s first load balancers', () => {
  const ID = ANNOTATION.ovhAllowedSources;

  test.each([
    { value: '198.51.100.0/24', are: ['198.51.100.0/24'] },
    { value: '10.0.0.0/24,172.10.0.1', are: ['10.0.0.0/24', '172.10.0.1/32'] },
    { value: ' 10.0.0.7 , 10.0.0.0/30 ', are: ['10.0.0.0/30', '10.0.0.7/32'] },
  ])('reads allowed-sources $value', ({ value, are }) => {
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
  ])('give precedence to the field $field', ({ field, warned }) => {
    const service = aService({ loadBalancerSourceRanges: field }, { ovhAllowedSources: '198.51.100.0/24' });
    const { balancerSpec, warnings } = specFromService(service, SETTINGS);

    expect(balancerSpec.sourceRanges).toEqual(field);
    expect(warnings.map(({ message }) => message)).toEqual(warned);
  });

  test.each([
    { value: 'v1', protocol: 'PROXY' },
    { value: 'v2', protocol: 'PROXYV2' },
  ])('reads proxy-protocol $value', ({ value, protocol }) => {
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
  ])('reads balance $value', ({ value, algorithm }) => {
    expect(specFromService(aService({}, { ovhAlgorithm: value }), SETTINGS).balancerSpec.algorithm).toBe(algorithm);
    expect(specFromService(aService({}, { ovhAlgorithm: value, provider: 'ovn' }), SETTINGS)).toMatchObject({
      balancerSpec: { algorithm: 'SOURCE_IP_PORT' },
      warnings: [{ reason: 'InvalidAnnotation' }],
    });
  });
});
