import type { InClusterLimits } from '@fairway/api/limits/in-cluster';
import {
  LOAD_BALANCER_ID_ANNOTATION as ID,
  OWN_ID_ANNOTATION,
  PROVIDER_ANNOTATION as PROVIDER,
} from '@fairway/api/limits/service-limits';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { effectiveAnnotations, type LoadBalancerFacts } from './kept-annotations.ts';

const PREFIX = 'loadbalancer.openstack.org/';
const FLAVOR = `${PREFIX}flavor-id`;
const CLASS = `${PREFIX}class`;
const LIMITS: InClusterLimits = { services: { refusedAnnotations: [{ key: `${PREFIX}*` }] } };

const ONLY_FLAVOR: InClusterLimits = { services: { refusedAnnotations: [{ key: FLAVOR }] } };
const BOTH: InClusterLimits = { services: { refusedAnnotations: [{ key: FLAVOR }, { key: `${PREFIX}*` }] } };
const AMPHORA: InClusterLimits = { services: { loadBalancerProviders: ['amphora'] } };

interface DecideOptions extends Partial<LoadBalancerFacts> {
  readonly limits?: InClusterLimits;
}

function decide(annotations: Record<string, string>, { limits = LIMITS, ...given }: DecideOptions = {}) {
  const service: Service = { metadata: { name: 'web', annotations }, spec: {} };
  const facts = {
    hasLoadBalancer: true,
    provider: 'amphora',
    namesOwnLoadBalancer: false,
    record: undefined,
    ...given,
  };
  const found = effectiveAnnotations(service, limits, { facts, nowMs: 0 });
  return { effective: Object.keys(found.service.metadata.annotations ?? {}), ...found };
}

const recordOf = (annotations: Record<string, string>, options?: DecideOptions) => decide(annotations, options).record;

test.each<{
  reason: string;
  annotations: Record<string, string>;
  more?: DecideOptions;
  effective: readonly string[];
}>([
  { reason: 'the plan refuses nothing', annotations: { [FLAVOR]: '1' }, more: { limits: {} }, effective: [FLAVOR] },
  {
    reason: 'the plan only warns',
    annotations: { [FLAVOR]: '1' },
    more: {
      limits: {
        ...LIMITS,
        limitNotes: [{ limit: 'services.refusedAnnotations', value: '', enforcement: 'Warn' }],
      },
    },
    effective: [FLAVOR],
  },
  { reason: 'the load balancer is older than the limit', annotations: { [FLAVOR]: '1' }, effective: [FLAVOR] },
  { reason: 'it is new', annotations: { [FLAVOR]: '1' }, more: { hasLoadBalancer: false }, effective: [] },
  {
    reason: 'only one of them is older than the limit',
    annotations: { [FLAVOR]: '1', [CLASS]: 'a' },
    more: { record: recordOf({ [FLAVOR]: '1' }) },
    effective: [FLAVOR],
  },
  {
    reason: 'its value has changed',
    annotations: { [FLAVOR]: '2' },
    more: { record: recordOf({ [FLAVOR]: '1' }) },
    effective: [],
  },
  {
    reason: 'another one was removed',
    annotations: { [FLAVOR]: '1' },
    more: { record: recordOf({ [FLAVOR]: '1', [CLASS]: 'a' }) },
    effective: [FLAVOR],
  },
  {
    reason: 'nothing was refused when the limit began',
    annotations: { [FLAVOR]: '1' },
    more: { record: recordOf({}) },
    effective: [],
  },
  {
    reason: 'a second limit is newer than it',
    annotations: { [FLAVOR]: '1', [CLASS]: 'a' },
    more: { limits: BOTH, record: recordOf({ [FLAVOR]: '1' }, { limits: ONLY_FLAVOR }) },
    effective: [FLAVOR, CLASS],
  },
  {
    reason: 'an older limit refuses it already',
    annotations: { [FLAVOR]: '1', [CLASS]: 'a' },
    more: { limits: BOTH, record: recordOf({}, { limits: ONLY_FLAVOR }) },
    effective: [CLASS],
  },
  {
    reason: 'the record is not Fairway’s',
    annotations: { [FLAVOR]: '1' },
    more: { record: 'any:,:.:,', hasLoadBalancer: false },
    effective: [],
  },
  {
    reason: 'it names the load balancer that the Service owns',
    annotations: { [ID]: 'own' },
    more: { hasLoadBalancer: false, namesOwnLoadBalancer: true },
    effective: [ID],
  },
  {
    reason: 'it names another load balancer, whatever the Service’s records say',
    annotations: { [ID]: 'other', [OWN_ID_ANNOTATION]: 'other' },
    more: { hasLoadBalancer: false },
    effective: [OWN_ID_ANNOTATION],
  },
  {
    reason: 'the shared load balancer was replaced',
    annotations: { [ID]: 'second' },
    more: { record: recordOf({ [ID]: 'first' }) },
    effective: [ID],
  },
  {
    reason: 'it has this provider',
    annotations: { [PROVIDER]: 'ovn' },
    more: { limits: AMPHORA, provider: 'ovn' },
    effective: [PROVIDER],
  },
  { reason: 'it has another provider', annotations: { [PROVIDER]: 'ovn' }, more: { limits: AMPHORA }, effective: [] },
])('the effective annotations are $effective: $reason', ({ annotations, more, effective }) => {
  const found = decide(annotations, more);
  const hasIgnored = Object.keys(annotations).some((name) => !effective.includes(name));

  expect(found.effective).toEqual(effective);
  expect(found.problem ?? '').toMatch(hasIgnored ? /^annotation .* has no effect: / : /^$/);
});

test('there is no record without a limit', () => {
  expect(recordOf({ [FLAVOR]: '1' }, { limits: {} })).toBeUndefined();
  expect(recordOf({})).toMatch(/^[\w-]{12}:$/);
});

test('a record includes only limits in force and present annotations, so that it does not grow', () => {
  const record = recordOf({ [FLAVOR]: '1', [CLASS]: 'a' }, { limits: BOTH });

  expect(recordOf({}, { record })).toBe(recordOf({}));
});
