import { describe, expect, test } from 'vitest';
import { specFromService } from './spec-from-service.ts';
import { aService, SETTINGS } from './testing/services.ts';
import {
  isIngressAnnotation,
  isLoadBalancerAnnotation,
  type Restriction,
  restrictionOf,
} from './unread-annotations.ts';

const BETA = 'service.beta.kubernetes.io/';
const INTERNAL_ANNOTATION = 'service.beta.kubernetes.io/openstack-internal-load-balancer';

function read(annotations: Record<string, string>, ranges: string[] = []) {
  const service = aService({ loadBalancerSourceRanges: ranges });
  service.metadata.annotations = annotations;
  return specFromService(service, SETTINGS);
}

const ADVICE = { internal: INTERNAL_ANNOTATION, sources: 'spec.loadBalancerSourceRanges', other: 'remove it' };

function outcome(annotations: Record<string, string>): string {
  try {
    return read(annotations)
      .warnings.map(({ reason, message }) => `${reason} ${message}`)
      .join();
  } catch (error) {
    return `refused ${String(error)}`;
  }
}

describe('restrictions that a load balancer would lose', () => {
  test.each<{ name: string; value: string; is: Restriction | undefined }>([
    { name: `${BETA}aws-load-balancer-internal`, value: 'true', is: 'internal' },
    { name: `${BETA}aws-load-balancer-internal`, value: '0.0.0.0/0', is: 'internal' },
    { name: `${BETA}aws-load-balancer-internal`, value: 'false', is: undefined },
    { name: `${BETA}aws-load-balancer-scheme`, value: 'internal', is: 'internal' },
    { name: `${BETA}aws-load-balancer-scheme`, value: 'internet-facing', is: undefined },
    { name: `${BETA}aws-load-balancer-security-groups`, value: 'sg-1', is: 'sources' },
    { name: `${BETA}azure-load-balancer-internal`, value: 'true', is: 'internal' },
    { name: `${BETA}azure-allowed-ip-ranges`, value: '10.0.0.0/8', is: 'sources' },
    { name: `${BETA}azure-allowed-service-tags`, value: 'x', is: 'sources' },
    { name: `${BETA}azure-deny-all-except-load-balancer-source-ranges`, value: 'true', is: 'sources' },
    { name: `${BETA}alibaba-cloud-loadbalancer-address-type`, value: 'intranet', is: 'internal' },
    { name: `${BETA}alibaba-cloud-loadbalancer-acl-id`, value: 'acl-1', is: 'sources' },
    { name: `${BETA}oci-load-balancer-internal`, value: 'true', is: 'internal' },
    { name: `${BETA}do-loadbalancer-deny-rules`, value: 'cidr:10.0.0.0/8', is: 'sources' },
    { name: `${BETA}scw-loadbalancer-private`, value: 'true', is: 'internal' },
    { name: `${BETA}vultr-loadbalancer-firewall-rules`, value: '10.0.0.0/8,80', is: 'sources' },
    { name: `${BETA}openstack-internal-loadbalancer`, value: 'true', is: 'internal' },
    { name: `${BETA}loadbalancer-source-ranges`, value: '10.0.0.0/8', is: 'sources' },
    { name: `${BETA}ovh-loadbalancer-allowed-source`, value: '10.0.0.0/8', is: 'sources' },
    { name: `${BETA}ovh-loadbalancer-colour`, value: 'red', is: undefined },
    { name: 'loadbalancer.openstack.org/internal', value: 'true', is: 'internal' },
    { name: 'loadbalancer.openstack.org/source-ranges', value: '10.0.0.0/8', is: 'sources' },
    { name: 'loadbalancer.openstack.org/typo', value: 'x', is: undefined },
    { name: 'loadbalancer.ovhcloud.com/allowed-cidrs', value: '10.0.0.0/8', is: 'sources' },
    { name: 'networking.gke.io/load-balancer-type', value: 'Internal', is: 'internal' },
    { name: 'cloud.google.com/load-balancer-type', value: 'Internal', is: 'internal' },
    { name: 'service.kubernetes.io/ibm-load-balancer-cloud-provider-ip-type', value: 'private', is: 'internal' },
    { name: 'service.kubernetes.io/qcloud-loadbalancer-internal-subnetid', value: 'subnet-1', is: 'internal' },
    { name: 'load-balancer.hetzner.cloud/disable-public-network', value: 'true', is: 'internal' },
    { name: 'oci-network-load-balancer.oraclecloud.com/internal', value: 'true', is: 'internal' },
    { name: 'lb.stackit.cloud/internal-lb', value: 'true', is: 'internal' },
    { name: 'yawol.stackit.cloud/internalLB', value: 'true', is: 'internal' },
    { name: 'yawol.stackit.cloud/loadBalancerSourceRanges', value: '10.0.0.0/8', is: 'sources' },
  ])('classifies $name: $value as $is', ({ name, value, is }) => {
    expect(isLoadBalancerAnnotation(name)).toBe(true);
    expect(restrictionOf(name, value)).toBe(is);
    expect(outcome({ [name]: value })).toMatch(is === undefined ? /^UnknownAnnotation / : /^refused /);
    expect(outcome({ [name]: value })).toContain(name);
    expect(outcome({ [name]: value })).toContain(is === undefined ? 'has no effect' : ADVICE[is]);
  });

  test.each([
    'service.kubernetes.io/topology-mode',
    'cloud.google.com/neg',
    'networking.gke.io/pod-ranges',
    'kubernetes.io/description',
    'example.org/internal',
    'meta.helm.sh/release-name',
  ])('ignores %s, which does not concern load balancers', (name) => {
    expect(isLoadBalancerAnnotation(name)).toBe(false);
  });

  test.each([
    { name: 'nginx.ingress.kubernetes.io/whitelist-source-range', value: '10.0.0.0/8', is: 'sources' },
    { name: 'nginx.ingress.kubernetes.io/auth-url', value: 'https://auth.example.org', is: 'other' },
    { name: 'nginx.ingress.kubernetes.io/rewrite-target', value: '/', is: undefined },
    { name: 'alb.ingress.kubernetes.io/scheme', value: 'internal', is: 'internal' },
    { name: 'alb.ingress.kubernetes.io/inbound-cidrs', value: '10.0.0.0/8', is: 'sources' },
    { name: 'appgw.ingress.kubernetes.io/use-private-ip', value: 'true', is: 'internal' },
    { name: 'traefik.ingress.kubernetes.io/router.middlewares', value: 'auth@file', is: 'other' },
  ])('classifies $name of an Ingress as $is', ({ name, value, is }) => {
    expect(isIngressAnnotation(name)).toBe(true);
    expect(restrictionOf(name, value)).toBe(is);
  });
});

describe('a Service whose manifest was written for several clouds', () => {
  const aws = { [`${BETA}aws-load-balancer-internal`]: 'true' };
  const azure = { [`${BETA}azure-allowed-ip-ranges`]: '10.0.0.0/8' };

  test('is served if its annotations for other clouds have the same meaning as those supported here', () => {
    expect(read({ ...aws, [INTERNAL_ANNOTATION]: 'true' }).balancerSpec.floatingIP).toBeUndefined();
    expect(read(azure, ['10.0.0.0/8']).balancerSpec.sourceRanges).toEqual(['10.0.0.0/8']);
  });

  test('is public if an annotation supported here requests that', () => {
    expect(read({ ...aws, [INTERNAL_ANNOTATION]: 'false' }).balancerSpec.floatingIP).toBeDefined();
  });

  test('is refused if only another cloud’s annotation restricts it', () => {
    expect(() => read({ ...azure, [INTERNAL_ANNOTATION]: 'true' })).toThrow('azure-allowed-ip-ranges');
    expect(() => read({ ...aws, [INTERNAL_ANNOTATION]: '' })).toThrow('aws-load-balancer-internal');
  });
});
