import { describe, expect, test } from 'vitest';
import { SETTINGS } from '../load-balancers/testing/services.ts';
import { parseGateway } from './parse.ts';
import type { GatewaySpec } from './schemas.ts';
import { specFromGateway } from './spec-from-gateway.ts';

const INTERNAL_ANNOTATION = 'service.beta.kubernetes.io/openstack-internal-load-balancer';

test.each<{ operator: boolean; annotation?: string; isPublic: boolean }>([
  { operator: false, isPublic: true },
  { operator: false, annotation: 'true', isPublic: false },
  { operator: true, isPublic: false },
  { operator: true, annotation: 'false', isPublic: true },
])(
  'is internal or public: with the operator’s $operator and the annotation $annotation, public is $isPublic',
  (testCase) => {
    const annotations = testCase.annotation === undefined ? {} : { [INTERNAL_ANNOTATION]: testCase.annotation };
    const listeners = [{ name: 'http', port: 80, protocol: 'HTTP' }];
    const gateway = parseGateway({
      metadata: { name: 'shop', namespace: 'default', uid: 'u', annotations },
      spec: { gatewayClassName: 'octavia', listeners },
    });

    const { balancerSpec } = specFromGateway(gateway, gateway.spec as GatewaySpec, {
      ...SETTINGS,
      isInternal: testCase.operator,
    });

    expect(balancerSpec.floatingIP !== undefined).toBe(testCase.isPublic);
  },
);

function readGateway(annotations: Record<string, string>, infrastructure: object) {
  const listeners = [{ name: 'http', port: 80, protocol: 'HTTP' }];
  const gateway = parseGateway({
    metadata: { name: 'shop', namespace: 'default', uid: 'u', annotations },
    spec: { gatewayClassName: 'octavia', listeners, infrastructure },
  });
  if ('problem' in gateway.spec) throw new Error(gateway.spec.problem);
  return specFromGateway(gateway, gateway.spec, SETTINGS);
}

const RANGES_ANNOTATION = 'service.beta.kubernetes.io/load-balancer-source-ranges';

describe('spec.infrastructure', () => {
  test('accepts annotations with the same meaning as on the Gateway', () => {
    const { balancerSpec } = readGateway(
      {},
      { annotations: { [INTERNAL_ANNOTATION]: 'true', [RANGES_ANNOTATION]: '10.0.0.0/8' } },
    );

    expect(balancerSpec).toMatchObject({ floatingIP: undefined, sourceRanges: ['10.0.0.0/8'] });
  });

  test('may repeat what the Gateway specifies', () => {
    expect(
      readGateway({ [INTERNAL_ANNOTATION]: 'true' }, { annotations: { [INTERNAL_ANNOTATION]: 'true' } }).balancerSpec
        .floatingIP,
    ).toBe(undefined);
  });

  test('reports that its labels have no effect', () => {
    expect(readGateway({}, { labels: { team: 'shop' } }).warnings).toEqual([
      { reason: 'FieldIgnored', message: expect.stringContaining('spec.infrastructure.labels has no effect') },
    ]);
  });

  test.each([
    { infrastructure: { parametersRef: { name: 'x' } }, reason: 'InvalidParameters' },
    { infrastructure: { placement: 'edge' }, reason: 'Invalid' },
  ])('rejects $infrastructure', ({ infrastructure, reason }) => {
    expect(readGateway({}, infrastructure).refused).toMatchObject({ reason });
  });
});

const SUBNET = 'loadbalancer.openstack.org/subnet-id';

test.each<{ annotations?: Record<string, string>; infrastructure?: object; expectedMessage: string }>([
  { annotations: { [INTERNAL_ANNOTATION]: 'True' }, expectedMessage: '"True" is invalid' },
  { infrastructure: { annotations: { [INTERNAL_ANNOTATION]: 'yes' } }, expectedMessage: '"yes" is invalid' },
  { infrastructure: { annotations: { [INTERNAL_ANNOTATION]: true } }, expectedMessage: 'infrastructure.annotations' },
  {
    annotations: { [INTERNAL_ANNOTATION]: 'true' },
    infrastructure: { annotations: { [INTERNAL_ANNOTATION]: 'false' } },
    expectedMessage: 'contradict each other',
  },
  { annotations: { [SUBNET]: 'x' }, expectedMessage: `annotation ${SUBNET}: "x" is not supported here` },
  {
    infrastructure: { annotations: { 'service.beta.kubernetes.io/ovh-loadbalancer-allowed-sources': '10.0.0.0/8' } },
    expectedMessage: `use ${RANGES_ANNOTATION}, or remove it`,
  },
  {
    infrastructure: { annotations: { 'service.beta.kubernetes.io/aws-load-balancer-scheme': 'internal' } },
    expectedMessage: `use ${INTERNAL_ANNOTATION}: "true"`,
  },
])(
  'refuses $annotations and $infrastructure: $expectedMessage',
  ({ annotations = {}, infrastructure = {}, expectedMessage }) => {
    expect(() => readGateway(annotations, infrastructure)).toThrow(expectedMessage);
  },
);

test('reports that a tuning annotation for Services has no effect', () => {
  const { warnings } = readGateway({ 'loadbalancer.openstack.org/timeout-client-data': '5' }, {});

  expect(warnings.map(({ reason }) => reason)).toEqual(['UnknownAnnotation']);
});
