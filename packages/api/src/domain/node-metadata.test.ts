import { describe, expect, it } from 'vitest';
import type { NodeTemplate } from '../kinds/node-pool.ts';
import { isKubeletLabel, nodeTemplateErrors } from './node-metadata.ts';

describe('isKubeletLabel', () => {
  it.each([
    ['example.com/tier', true],
    ['tier', true],
    ['node.kubernetes.io/anything', true],
    ['kubelet.kubernetes.io/anything', true],
    ['topology.kubernetes.io/zone', true],
    ['kubernetes.io/hostname', true],
    ['node-role.kubernetes.io/worker', false],
    ['node-restriction.kubernetes.io/secure', false],
    ['team.node-restriction.kubernetes.io/secure', false],
    ['kubernetes.io/anything', false],
    ['sub.k8s.io/anything', false],
  ])('%s: %s', (key, expected) => {
    expect(isKubeletLabel(key)).toBe(expected);
  });
});

function template(overrides: {
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  taintKeys?: string[];
}): NodeTemplate {
  return {
    metadata: { labels: overrides.labels, annotations: overrides.annotations, finalizers: overrides.finalizers },
    spec: { unschedulable: false, taints: overrides.taintKeys?.map((key) => ({ key, effect: 'NoSchedule' })) },
  };
}

describe('nodeTemplateErrors', () => {
  it.each([
    { labels: { 'example.com/tier': 'gold', tier: '' } },
    { labels: { 'node-role.kubernetes.io/worker': '' } },
    { labels: { 'team.node-restriction.kubernetes.io/secure': 'true' } },
    { taintKeys: ['dedicated', 'example.com/gpu', 'nvidia.com/gpu'] },
    { finalizers: ['example.com/inventory'] },
    { annotations: { note: 'x'.repeat(196_604) } },
  ])('accepts %j', (part) => {
    expect(nodeTemplateErrors(template(part), 'spec.template')).toEqual([]);
  });

  it.each([
    [
      { labels: { 'kubernetes.io/tier': 'x' } },
      'spec.template.metadata.labels[kubernetes.io/tier]',
      'is reserved by Kubernetes',
    ],
    [
      { labels: { 'topology.kubernetes.io/zone': 'x' } },
      'spec.template.metadata.labels[topology.kubernetes.io/zone]',
      'from the server',
    ],
    [
      { labels: { 'fairway.dev/node-pool': 'x' } },
      'spec.template.metadata.labels[fairway.dev/node-pool]',
      'reserved for Fairway',
    ],
    [{ labels: { tier: 'not ok' } }, 'spec.template.metadata.labels[tier]', 'must be empty or at most 63'],
    [{ labels: { '-tier': 'x' } }, 'spec.template.metadata.labels', 'must be a name'],
    [{ labels: { 'Upper.com/tier': 'x' } }, 'spec.template.metadata.labels', 'must be a name'],
    [
      { taintKeys: ['node.kubernetes.io/not-ready'] },
      'spec.template.spec.taints[0].key',
      'set and cleared by Kubernetes',
    ],
    [{ taintKeys: ['ok', 'a/b/c'] }, 'spec.template.spec.taints[1].key', 'must be a name'],
    [
      { annotations: { note: 'ö'.repeat(98_303) } },
      'spec.template.metadata.annotations',
      'has 196610 bytes in total: must be at most 196608',
    ],
    [
      { labels: Object.fromEntries(Array.from({ length: 400 }, (_, n) => [`label-${n}`, 'x'.repeat(40)])) },
      'spec.template.metadata.labels',
      'must be at most 16384',
    ],
    [{ finalizers: ['bare'] }, 'spec.template.metadata.finalizers[0]', 'must have a domain prefix'],
  ])('refuses %j at %s: %s', (part, field, detail) => {
    const errors = nodeTemplateErrors(template(part), 'spec.template');
    expect(errors).toMatchObject([{ field, detail: expect.stringContaining(detail) }]);
  });
});
