import { expect, test } from 'vitest';
import { specFromService } from './spec-from-service.ts';
import { ingressOf } from './status.ts';
import { aService, SETTINGS } from './testing/services.ts';

// Cases from cloud-provider-openstack's createLoadBalancerStatus.
test.each<{ annotations: Parameters<typeof aService>[1]; suffix?: string; ingress: object }>([
  { annotations: {}, suffix: 'nip.io', ingress: { ip: '192.0.2.1', ipMode: 'VIP' } },
  { annotations: { proxyProtocol: 'true' }, suffix: 'nip.io', ingress: { hostname: '192.0.2.1.nip.io' } },
  {
    annotations: { proxyProtocol: 'true', hostname: 'shop.example.com' },
    suffix: 'nip.io',
    ingress: { hostname: 'shop.example.com' },
  },
  { annotations: {}, ingress: { ip: '192.0.2.1', ipMode: 'VIP' } },
  { annotations: { proxyProtocol: 'true' }, ingress: { ip: '192.0.2.1', ipMode: 'Proxy' } },
  { annotations: { hostname: 'shop.example.com' }, ingress: { hostname: 'shop.example.com' } },
  {
    annotations: { hostname: 'shop.example.com', proxyProtocol: 'true' },
    ingress: { hostname: 'shop.example.com' },
  },
])('reports the status of a Service with $annotations and the suffix $suffix', ({ annotations, suffix, ingress }) => {
  const { balancerSpec } = specFromService(aService({}, annotations), { ...SETTINGS, hostnameSuffix: suffix });

  expect(ingressOf(balancerSpec, ['192.0.2.1'])).toEqual([ingress]);
});

test('reports both addresses of a Service with two families, in their order', () => {
  const { balancerSpec } = specFromService(aService({ ipFamilies: ['IPv6', 'IPv4'] }), SETTINGS);

  expect(ingressOf(balancerSpec, ['2001:db8::1', '192.0.2.1'])).toEqual([
    { ip: '2001:db8::1', ipMode: 'VIP' },
    { ip: '192.0.2.1', ipMode: 'VIP' },
  ]);
});
