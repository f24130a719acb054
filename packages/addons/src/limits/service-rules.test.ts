import type { PlanServices } from '@fairway/api/kinds/plan-services';
import { type InClusterLimits, inClusterLimits } from '@fairway/api/limits/in-cluster';
import { serviceExcesses } from '@fairway/api/limits/service-limits';
import { aPlan } from '@fairway/api/testing/objects';
import type { Service, ServiceSpec } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import { describe, expect, test } from 'vitest';
import { someFacts } from '../testing/facts.ts';
import { violationsOf } from '../testing/policy-evaluation.ts';
import { limitPolicies } from './objects.ts';

const OPENSTACK = 'loadbalancer.openstack.org/';
const PROVIDER = 'loadbalancer.fairway.dev/provider';
const ID = `${OPENSTACK}load-balancer-id`;
const OWN_ID = 'fairway.dev/load-balancer-id';

const WITHOUT_OPENSTACK = { refusedAnnotations: [{ key: `${OPENSTACK}*` }] } satisfies PlanServices;
const WITHOUT_OVN = { refusedAnnotations: [{ key: PROVIDER, values: ['ovn*'] }] } satisfies PlanServices;
const AMPHORA = { loadBalancerProviders: ['amphora', 'amphorav2'] } satisfies PlanServices;

function aService(spec: Partial<ServiceSpec>, annotations?: Record<string, string>): Service {
  return {
    metadata: { name: 'web', namespace: 'shop', ...(annotations && { annotations }) },
    spec: { type: 'ClusterIP', ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack', ...spec },
  };
}

function aBalancer(annotations?: Record<string, string>, spec: Partial<ServiceSpec> = {}): Service {
  return aService({ type: 'LoadBalancer', ...spec }, annotations);
}

function violations(limits: InClusterLimits, object: Service, old?: Service): readonly string[] {
  const { storage, today } = someFacts();
  // The plan that Fairway reads.
  const read = inClusterLimits(aPlan(limits).spec);
  return violationsOf(limitPolicies({ limits: read, storage, today }), { type: Services, object, old });
}

describe('Services', () => {
  test.each<{ reason: string; services: PlanServices; object: Service; expectedMessage?: string }>([
    { reason: 'a type of the plan', services: { types: ['ClusterIP'] }, object: aService({}) },
    {
      reason: 'another type',
      services: { types: ['ClusterIP', 'NodePort'] },
      object: aBalancer(),
      expectedMessage: "spec.type: LoadBalancer is not allowed by the cluster's plan: use ClusterIP or NodePort",
    },
    {
      reason: 'an external name',
      services: { types: ['ClusterIP'] },
      object: {
        metadata: { name: 'web', namespace: 'shop' },
        spec: { type: 'ExternalName', externalName: 'a.example' },
      },
      expectedMessage: "spec.type: ExternalName is not allowed by the cluster's plan: use ClusterIP",
    },
    {
      reason: 'the default type',
      services: { types: ['NodePort'] },
      object: { metadata: { name: 'web', namespace: 'shop' }, spec: {} },
      expectedMessage: "spec.type: ClusterIP is not allowed by the cluster's plan: use NodePort",
    },
    { reason: 'a family of the plan', services: { ipFamilies: ['IPv4'] }, object: aService({}) },
    {
      reason: 'PreferDualStack in a cluster with one family',
      services: { ipFamilies: ['IPv4'] },
      object: aService({ ipFamilyPolicy: 'PreferDualStack' }),
    },
    {
      reason: 'another family',
      services: { ipFamilies: ['IPv4'] },
      object: aService({ ipFamilies: ['IPv6'] }),
      expectedMessage:
        "spec.ipFamilies: IPv6 is not allowed for Services by the cluster's plan: use ipFamilyPolicy SingleStack with IPv4",
    },
    {
      reason: 'both families',
      services: { ipFamilies: ['IPv4', 'IPv6'] },
      object: aService({ ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' }),
      expectedMessage:
        "spec.ipFamilies: DualStack is not allowed for Services by the cluster's plan: use ipFamilyPolicy SingleStack with IPv4 or IPv6",
    },
    {
      reason: 'a requirement of both families',
      services: { ipFamilies: ['IPv4'] },
      object: aService({ ipFamilyPolicy: 'RequireDualStack' }),
      expectedMessage:
        "spec.ipFamilies: DualStack is not allowed for Services by the cluster's plan: use ipFamilyPolicy SingleStack with IPv4",
    },
    {
      reason: 'one family where the plan has both',
      services: { ipFamilies: ['DualStack'] },
      object: aService({}),
      expectedMessage:
        "spec.ipFamilies: IPv4 is not allowed for Services by the cluster's plan: use ipFamilyPolicy RequireDualStack",
    },
    { reason: 'other annotations', services: WITHOUT_OPENSTACK, object: aBalancer({ 'example.org/a': 'b' }) },
    {
      reason: 'a refused annotation',
      services: WITHOUT_OPENSTACK,
      object: aBalancer({ [`${OPENSTACK}flavor-id`]: '1' }),
      expectedMessage: `metadata.annotations: ${OPENSTACK}* is not allowed for Services of type LoadBalancer by the cluster's plan: remove it`,
    },
    {
      reason: 'a refused annotation on a Service of another type',
      services: WITHOUT_OPENSTACK,
      object: aService({}, { [`${OPENSTACK}flavor-id`]: '1' }),
    },
    {
      reason: 'another value of an annotation',
      services: WITHOUT_OVN,
      object: aBalancer({ [PROVIDER]: 'amphora' }),
    },
    {
      reason: 'a refused value of an annotation',
      services: WITHOUT_OVN,
      object: aBalancer({ [PROVIDER]: 'ovn-2' }),
      expectedMessage: `metadata.annotations: ${PROVIDER} with the value ovn* is not allowed for Services of type LoadBalancer by the cluster's plan: use another value, or remove it`,
    },
    {
      reason: 'a refused value in another spelling',
      services: WITHOUT_OVN,
      object: aBalancer({ [PROVIDER]: ' OVN\n' }),
      expectedMessage: `metadata.annotations: ${PROVIDER} with the value ovn* is not allowed for Services of type LoadBalancer by the cluster's plan: use another value, or remove it`,
    },
    {
      reason: 'a value that is too long to be compared',
      services: WITHOUT_OVN,
      object: aBalancer({ [PROVIDER]: '😀'.repeat(1001) }),
      expectedMessage: `metadata.annotations: ${PROVIDER} with the value ovn* is not allowed for Services of type LoadBalancer by the cluster's plan: use another value, or remove it`,
    },
    {
      reason: 'a long value that is compared',
      services: WITHOUT_OVN,
      object: aBalancer({ [PROVIDER]: '😀'.repeat(1000) }),
    },
    {
      reason: 'more annotations than a policy can check',
      services: WITHOUT_OPENSTACK,
      object: aBalancer(Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`a${at}`, '']))),
      expectedMessage:
        "metadata.annotations: Services of type LoadBalancer have at most 500 annotations, which the cluster's plan limits: remove some",
    },
    {
      reason: 'many annotations where the plan names one',
      services: WITHOUT_OVN,
      object: aBalancer(Object.fromEntries(Array.from({ length: 501 }, (_, at) => [`a${at}`, '']))),
    },
    {
      reason: 'text that CEL interprets',
      services: { refusedAnnotations: [{ key: 'lb.example.org/a', values: ["it's (a+b)\\d?\n*"] }] },
      object: aBalancer({ 'lb.example.org/a': "it's (a+b)\\d?\nc" }),
      expectedMessage: `metadata.annotations: lb.example.org/a with the value it's (a+b)\\d? * is not allowed for Services of type LoadBalancer by the cluster's plan: use another value, or remove it`,
    },
    {
      reason: 'prefix and suffix of a pattern that overlap',
      services: { refusedAnnotations: [{ key: 'aba*aba' }] },
      object: aBalancer({ aba: '', ababa: '' }),
    },
    {
      reason: 'what Fairway records about the load balancer',
      services: WITHOUT_OPENSTACK,
      object: aBalancer({ [ID]: 'some', [OWN_ID]: 'some', [`${OPENSTACK}load-balancer-address`]: '192.0.2.1' }),
    },
    {
      reason: 'the load balancer of another Service',
      services: WITHOUT_OPENSTACK,
      object: aBalancer({ [ID]: 'other', [OWN_ID]: 'some' }),
      expectedMessage: `metadata.annotations: ${OPENSTACK}* is not allowed for Services of type LoadBalancer by the cluster's plan: remove it`,
    },
    { reason: 'the default provider', services: AMPHORA, object: aBalancer() },
    { reason: 'a provider of the plan', services: AMPHORA, object: aBalancer({ [PROVIDER]: ' amphora ' }) },
    { reason: 'an empty provider', services: AMPHORA, object: aBalancer({ [PROVIDER]: ' ' }) },
    {
      reason: 'another provider',
      services: AMPHORA,
      object: aBalancer({ [PROVIDER]: 'ovn' }),
      expectedMessage: `metadata.annotations: ${PROVIDER} must be amphora or amphorav2 by the cluster's plan: use it, or remove the annotation`,
    },
  ])('with $reason are accepted or refused: $expectedMessage', ({ services, object, expectedMessage }) => {
    const expected = expectedMessage === undefined ? [] : [expectedMessage];
    const read = aPlan({ services }).spec.services;

    expect(violations({ services }, object)).toEqual(expected.map((message) => `Deny ${message}`));
    expect(
      serviceExcesses(object, read).map(({ problem }) => problem.replace('\n', ' ')),
      'Fairway’s controllers have the same rules',
    ).toEqual(expected);
  });

  const ANNOTATED = aBalancer({ [`${OPENSTACK}flavor-id`]: '1', [PROVIDER]: 'ovn' });
  const DUAL = aService({ ipFamilies: ['IPv4', 'IPv6'], ipFamilyPolicy: 'PreferDualStack' });

  test.each<{ reason: string; services: PlanServices; old: Service; object: Service; isRefused?: boolean }>([
    { reason: 'a stored type', services: { types: ['ClusterIP'] }, old: aBalancer(), object: aBalancer({ a: 'b' }) },
    {
      reason: 'a changed type',
      services: { types: ['ClusterIP'] },
      old: aService({}),
      object: aBalancer(),
      isRefused: true,
    },
    { reason: 'stored families', services: { ipFamilies: ['IPv4'] }, old: DUAL, object: DUAL },
    { reason: 'one family fewer', services: { ipFamilies: ['IPv4'] }, old: DUAL, object: aService({}) },
    {
      reason: 'one family more',
      services: { ipFamilies: ['IPv4'] },
      old: aService({}),
      object: DUAL,
      isRefused: true,
    },
    { reason: 'a stored annotation', services: WITHOUT_OPENSTACK, old: ANNOTATED, object: ANNOTATED },
    { reason: 'a removed annotation', services: WITHOUT_OPENSTACK, old: ANNOTATED, object: aBalancer() },
    {
      reason: 'a changed annotation',
      services: WITHOUT_OPENSTACK,
      old: ANNOTATED,
      object: aBalancer({ [`${OPENSTACK}flavor-id`]: '2' }),
      isRefused: true,
    },
    {
      reason: 'another load balancer to share, which Fairway itself enters when one is replaced',
      services: WITHOUT_OPENSTACK,
      old: aBalancer({ [ID]: 'one' }),
      object: aBalancer({ [ID]: 'two' }),
    },
    {
      reason: 'a load balancer to share',
      services: WITHOUT_OPENSTACK,
      old: aBalancer(),
      object: aBalancer({ [ID]: 'two' }),
      isRefused: true,
    },
    {
      reason: 'an additional annotation',
      services: WITHOUT_OPENSTACK,
      old: ANNOTATED,
      object: aBalancer({ ...ANNOTATED.metadata.annotations, [`${OPENSTACK}class`]: 'a' }),
      isRefused: true,
    },
    {
      reason: 'an annotation that takes effect with the new type',
      services: WITHOUT_OPENSTACK,
      old: aService({}, ANNOTATED.metadata.annotations),
      object: ANNOTATED,
      isRefused: true,
    },
    { reason: 'a stored provider', services: AMPHORA, old: ANNOTATED, object: ANNOTATED },
    {
      reason: 'a changed provider',
      services: AMPHORA,
      old: aBalancer({ [PROVIDER]: 'amphora' }),
      object: ANNOTATED,
      isRefused: true,
    },
  ])(
    'can be updated with $reason, unless it newly exceeds the limits',
    ({ services, old, object, isRefused = false }) => {
      expect(violations({ services }, object, old)).toHaveLength(isRefused ? 1 : 0);
    },
  );

  test('created by Kubernetes and Fairway are exempt', () => {
    const services: PlanServices = { types: ['NodePort'] };
    const own = (name: string, namespace: string): Service => ({
      metadata: { name, namespace },
      spec: { type: 'ClusterIP' },
    });

    expect(violations({ services }, own('kubernetes', 'default'))).toEqual([]);
    expect(violations({ services }, own('kube-dns', 'kube-system'))).toEqual([]);
    expect(violations({ services }, own('metrics-server', 'kube-system'))).toEqual([]);
    expect(violations({ services }, own('kube-dns', 'shop'))).toHaveLength(1);
    expect(violations({ services }, own('web', 'kube-system'))).toHaveLength(1);
  });
});

test.each<{ reason: string; value: string; provider: string; expectedViolations: readonly string[] }>([
  { reason: 'the note is on this provider', value: 'ovn', provider: 'ovn', expectedViolations: ['Warn'] },
  { reason: 'the note is on another provider', value: 'ovn', provider: 'f5', expectedViolations: ['Deny'] },
  { reason: 'the note is on all providers', value: '', provider: 'f5', expectedViolations: ['Warn'] },
])('a note on $value decides on the provider $provider: $reason', ({ value, provider, expectedViolations }) => {
  const limitNotes = [{ limit: 'services.loadBalancerProviders', value, enforcement: 'Warn' }] as const;
  const found = violations({ services: AMPHORA, limitNotes: [...limitNotes] }, aBalancer({ [PROVIDER]: provider }));

  expect(found.map((each) => each.slice(0, 4))).toEqual(expectedViolations);
});
