import { expect, test } from 'vitest';
import { loadBalancerDescription, loadBalancerName, partName } from './names.ts';

// Cases from cloud-provider-openstack's tests of GetLoadBalancerName and cutString.
test.each([
  { cluster: 'demo', namespace: 'shop', name: 'web', is: 'kube_service_demo_shop_web' },
  { cluster: 'a_b', namespace: 'shop', name: 'web', is: 'kube_service_a_b_shop_web' },
  { cluster: 'c'.repeat(300), namespace: 'shop', name: 'web', is: `kube_service_${'c'.repeat(242)}` },
])('names the load balancer of $namespace/$name in $cluster', ({ cluster, namespace, name, is }) => {
  expect(loadBalancerName(cluster, { namespace, name })).toBe(is);
});

test.each([
  { part: 'listener', index: 0, is: 'listener_0_kube_service_demo_shop_web' },
  { part: 'pool', index: 1, is: 'pool_1_kube_service_demo_shop_web' },
  { part: 'monitor', index: 12, is: 'monitor_12_kube_service_demo_shop_web' },
] as const)('names the $part of port $index', ({ part, index, is }) => {
  expect(partName(part, index, 'kube_service_demo_shop_web')).toBe(is);
  expect(partName(part, index, 'x'.repeat(255))).toHaveLength(255);
});

test('names the owner in the description', () => {
  expect(loadBalancerDescription('demo', { namespace: 'shop', name: 'web' })).toBe(
    'Kubernetes external service shop/web from cluster demo',
  );
});
