import type { InClusterLimits } from '@fairway/api/limits/in-cluster';
import { KEPT_ANNOTATIONS_ANNOTATION as RECORD } from '@fairway/api/limits/service-limits';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { effectiveAnnotations } from './kept-annotations.ts';

const PREFIX = 'loadbalancer.openstack.org/';
const FLAVOR = `${PREFIX}flavor-id`;
const CLASS = `${PREFIX}class`;
const LIMITS: InClusterLimits = { services: { refusedAnnotations: [{ key: `${PREFIX}*` }] } };

function decide(annotations: Record<string, string>, { hasLoadBalancer = true, limits = LIMITS } = {}) {
  const service: Service = { metadata: { name: 'web', annotations }, spec: {} };
  const found = effectiveAnnotations(service, limits, { hasLoadBalancer, nowMs: 0 });
  return { effective: Object.keys(found.service.metadata.annotations ?? {}), ...found };
}

const recordOf = (annotations: Record<string, string>) => decide(annotations).record ?? '';

test.each<{
  reason: string;
  annotations: Record<string, string>;
  more?: Parameters<typeof decide>[1];
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
    annotations: { [FLAVOR]: '1', [CLASS]: 'a', [RECORD]: recordOf({ [FLAVOR]: '1' }) },
    effective: [FLAVOR, RECORD],
  },
  {
    reason: 'its value has changed',
    annotations: { [FLAVOR]: '2', [RECORD]: recordOf({ [FLAVOR]: '1' }) },
    effective: [RECORD],
  },
  {
    reason: 'another one was removed',
    annotations: { [FLAVOR]: '1', [RECORD]: recordOf({ [FLAVOR]: '1', [CLASS]: 'a' }) },
    effective: [FLAVOR, RECORD],
  },
  {
    reason: 'nothing was refused when the limit began',
    annotations: { [FLAVOR]: '1', [RECORD]: recordOf({}) },
    effective: [RECORD],
  },
])('the effective annotations are $effective: $reason', ({ annotations, more, effective }) => {
  const found = decide(annotations, more);
  const hasIgnored = Object.keys(annotations).some((name) => !effective.includes(name));

  expect(found.effective).toEqual(effective);
  expect(found.problem ?? '').toMatch(hasIgnored ? /^annotation .* has no effect: / : /^$/);
});

test('there is no record without a limit', () => {
  expect(decide({ [FLAVOR]: '1' }, { limits: {} }).record).toBeUndefined();
  expect(decide({}).record).toBe('none');
});
