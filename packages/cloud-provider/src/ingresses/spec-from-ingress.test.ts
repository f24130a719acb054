import type { Ingress } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { SETTINGS } from '../load-balancers/testing/a-service.ts';
import { specFromIngress } from './spec-from-ingress.ts';

const OCTAVIA = 'octavia.ingress.kubernetes.io/';
const PUBLIC = { [`${OCTAVIA}internal`]: 'false' };

function read(annotations: Record<string, string>) {
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const ingress: Ingress = { metadata: { name: 'shop', annotations }, spec: { defaultBackend: backend } };
  return specFromIngress(ingress, SETTINGS);
}

test.each<{ annotations: Record<string, string>; says: string }>([
  { annotations: { [`${OCTAVIA}internal`]: 'False' }, says: '"False" is invalid: it must be true or false' },
  { annotations: { [`${OCTAVIA}internal`]: 'no' }, says: 'is invalid' },
  { annotations: { [`${OCTAVIA}keep-floatingip`]: 'yes' }, says: 'is invalid' },
  { annotations: { [`${OCTAVIA}floatingip`]: '203.0.113' }, says: 'is not an IPv4 address' },
  { annotations: { [`${OCTAVIA}whitelist-source-range`]: '10.0.0.0' }, says: 'is not an address range' },
  { annotations: { [`${OCTAVIA}whitelist-source-range`]: ' , ' }, says: 'contains no address range' },
  { annotations: { 'ingress.fairway.dev/http': 'off' }, says: 'it must be redirect, serve, none' },
  { annotations: { 'kubernetes.io/ingress.allow-http': 'no' }, says: 'is invalid' },
  { annotations: { 'loadbalancer.openstack.org/class': 'gold' }, says: 'class "gold" does not exist' },
  { annotations: { [`${OCTAVIA}source-range`]: '10.0.0.0/8' }, says: `use ${OCTAVIA}whitelist-source-range` },
  {
    annotations: { 'nginx.ingress.kubernetes.io/whitelist-source-range': '10.0.0.0/8' },
    says: `use ${OCTAVIA}whitelist-source-range, or remove it`,
  },
  {
    annotations: { 'nginx.ingress.kubernetes.io/auth-url': 'https://a.example' },
    says: 'must not be ignored: remove it',
  },
  {
    annotations: { 'service.beta.kubernetes.io/load-balancer-source-ranges': '10.0.0.0/8' },
    says: `use ${OCTAVIA}whitelist-source-range`,
  },
  { annotations: { 'loadbalancer.openstack.org/subnet-id': 'x' }, says: 'is not supported here' },
])('$annotations is refused: $says', ({ annotations, says }) => {
  expect(() => read({ ...PUBLIC, ...annotations })).toThrow(says);
});

test.each([
  { name: `${OCTAVIA}timeout-client-data`, value: '5s', reason: 'InvalidAnnotation' },
  { name: `${OCTAVIA}colour`, value: 'red', reason: 'UnknownAnnotation' },
  { name: 'nginx.ingress.kubernetes.io/rewrite-target', value: '/', reason: 'UnknownAnnotation' },
  { name: 'loadbalancer.openstack.org/lb-method', value: 'SOURCE_IP', reason: 'UnknownAnnotation' },
])('$name: $value is reported', ({ name, value, reason }) => {
  expect(read({ [name]: value }).warnings.map((each) => each.reason)).toEqual([reason]);
});

test('one that requests to be internal by an annotation of Services is internal anyway', () => {
  const asked = { 'service.beta.kubernetes.io/openstack-internal-load-balancer': 'true' };

  expect(read(asked).balancerSpec.floatingIP).toBeUndefined();
});
