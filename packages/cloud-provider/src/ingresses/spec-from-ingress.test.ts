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

test.each<{ annotations: Record<string, string>; says: string }>([
  { annotations: { [`${OCTAVIA_PREFIX}internal`]: 'False' }, says: '"False" is invalid: it must be true or false' },
  { annotations: { [`${OCTAVIA_PREFIX}internal`]: 'no' }, says: 'is invalid' },
  { annotations: { [`${OCTAVIA_PREFIX}keep-floatingip`]: 'yes' }, says: 'is invalid' },
  { annotations: { [`${OCTAVIA_PREFIX}floatingip`]: '203.0.113' }, says: 'is not an IPv4 address' },
  { annotations: { [`${OCTAVIA_PREFIX}whitelist-source-range`]: '10.0.0.0' }, says: 'is not an address range' },
  { annotations: { [`${OCTAVIA_PREFIX}whitelist-source-range`]: ' , ' }, says: 'contains no address range' },
  { annotations: { 'ingress.fairway.dev/http': 'off' }, says: 'it must be redirect, serve, none' },
  { annotations: { 'kubernetes.io/ingress.allow-http': 'no' }, says: 'is invalid' },
  { annotations: { 'loadbalancer.openstack.org/class': 'gold' }, says: 'class "gold" does not exist' },
  {
    annotations: { [`${OCTAVIA_PREFIX}source-range`]: '10.0.0.0/8' },
    says: `use ${OCTAVIA_PREFIX}whitelist-source-range`,
  },
  {
    annotations: { 'nginx.ingress.kubernetes.io/whitelist-source-range': '10.0.0.0/8' },
    says: `use ${OCTAVIA_PREFIX}whitelist-source-range, or remove it`,
  },
  {
    annotations: { 'nginx.ingress.kubernetes.io/auth-url': 'https://a.example' },
    says: 'must not be ignored: remove it',
  },
  {
    annotations: { 'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.0/8' },
    says: `use ${OCTAVIA_PREFIX}whitelist-source-range`,
  },
  { annotations: { 'loadbalancer.openstack.org/subnet-id': 'x' }, says: 'is not supported here' },
])('refuses $annotations: $says', ({ annotations, says }) => {
  expect(() => read({ ...PUBLIC_ANNOTATIONS, ...annotations })).toThrow(says);
});

test.each([
  { name: `${OCTAVIA_PREFIX}timeout-client-data`, value: '5s', reason: 'InvalidAnnotation' },
  { name: `${OCTAVIA_PREFIX}colour`, value: 'red', reason: 'UnknownAnnotation' },
  { name: 'nginx.ingress.kubernetes.io/rewrite-target', value: '/', reason: 'UnknownAnnotation' },
  { name: 'loadbalancer.openstack.org/lb-method', value: 'SOURCE_IP', reason: 'UnknownAnnotation' },
])('reports $name: $value', ({ name, value, reason }) => {
  expect(read({ [name]: value }).warnings.map((each) => each.reason)).toEqual([reason]);
});

test('is internal anyway if a Service annotation requests it', () => {
  const internalAnnotations = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };

  expect(read(internalAnnotations).balancerSpec.floatingIP).toBeUndefined();
});
