import type { Ingress } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { SETTINGS } from '../load-balancers/testing/services.ts';
import { specFromIngress } from './spec-from-ingress.ts';

const OCTAVIA_PREFIX = 'octavia.ingress.kubernetes.io/';
const PUBLIC_ANNOTATIONS = { [`${OCTAVIA_PREFIX}internal`]: 'false' };

function read(annotations: Record<string, string>) {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const ingress: Ingress = { metadata: { name: 'shop', annotations }, spec: { defaultBackend: backend } };
  return specFromIngress(ingress, SETTINGS);
}

test.each<{ annotations: Record<string, string>; expectedMessage: string }>([
  {
    annotations: { [`${OCTAVIA_PREFIX}internal`]: 'False' },
    expectedMessage: '"False" is invalid: it must be true or false',
  },
  { annotations: { [`${OCTAVIA_PREFIX}internal`]: 'no' }, expectedMessage: 'is invalid' },
  { annotations: { [`${OCTAVIA_PREFIX}keep-floatingip`]: 'yes' }, expectedMessage: 'is invalid' },
  { annotations: { [`${OCTAVIA_PREFIX}floatingip`]: '203.0.113' }, expectedMessage: 'is not an IPv4 address' },
  {
    annotations: { [`${OCTAVIA_PREFIX}whitelist-source-range`]: '10.0.0.0' },
    expectedMessage: 'is not an address range',
  },
  { annotations: { [`${OCTAVIA_PREFIX}whitelist-source-range`]: ' , ' }, expectedMessage: 'contains no address range' },
  { annotations: { 'ingress.fairway.dev/http': 'off' }, expectedMessage: 'it must be redirect, serve, none' },
  { annotations: { 'kubernetes.io/ingress.allow-http': 'no' }, expectedMessage: 'is invalid' },
  { annotations: { 'loadbalancer.openstack.org/class': 'gold' }, expectedMessage: 'class "gold" does not exist' },
  {
    annotations: { [`${OCTAVIA_PREFIX}source-range`]: '10.0.0.0/8' },
    expectedMessage: `use ${OCTAVIA_PREFIX}whitelist-source-range`,
  },
  {
    annotations: { 'nginx.ingress.kubernetes.io/whitelist-source-range': '10.0.0.0/8' },
    expectedMessage: `use ${OCTAVIA_PREFIX}whitelist-source-range, or remove it`,
  },
  {
    annotations: { 'nginx.ingress.kubernetes.io/auth-url': 'https://a.example' },
    expectedMessage: 'must not be ignored: remove it',
  },
  {
    annotations: { 'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.0/8' },
    expectedMessage: `use ${OCTAVIA_PREFIX}whitelist-source-range`,
  },
  { annotations: { 'loadbalancer.openstack.org/subnet-id': 'x' }, expectedMessage: 'is not supported here' },
])('refuses $annotations: $expectedMessage', ({ annotations, expectedMessage }) => {
  expect(() => read({ ...PUBLIC_ANNOTATIONS, ...annotations })).toThrow(expectedMessage);
});

test.each([
  { name: `${OCTAVIA_PREFIX}timeout-client-data`, value: '5s', reason: 'InvalidAnnotation' },
  { name: `${OCTAVIA_PREFIX}colour`, value: 'red', reason: 'UnknownAnnotation' },
  { name: 'nginx.ingress.kubernetes.io/rewrite-target', value: '/', reason: 'UnknownAnnotation' },
  { name: 'loadbalancer.openstack.org/lb-method', value: 'SOURCE_IP', reason: 'UnknownAnnotation' },
])('reports $name: $value', ({ name, value, reason }) => {
  expect(read({ [name]: value }).warnings.map((each) => each.reason)).toEqual([reason]);
});

test('makes the load balancer internal even if only a Service annotation requests it', () => {
  const internalAnnotations = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };

  expect(read(internalAnnotations).balancerSpec.floatingIP).toBeUndefined();
});
