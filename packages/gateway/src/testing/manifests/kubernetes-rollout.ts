import type { Row } from './row.ts';

export const KUBERNETES_ROLLOUT_ROWS: readonly Row[] = [
  {
    name: 'a rollout',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      rollout: {},
    },
    has: { 'spec.rollout': { maxConcurrent: 20, maxPercent: 10, maxFailures: 1, timeout: '15m', paused: false } },
  },
  {
    name: 'a rollout of none at a time',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      rollout: { maxConcurrent: 0 },
    },
    refused: [
      'spec.rollout.maxConcurrent: Invalid value: 0: spec.rollout.maxConcurrent in body should be greater than or equal to 1',
    ],
  },
  {
    name: 'a rollout of more than all',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      rollout: { maxPercent: 101 },
    },
    refused: [
      'spec.rollout.maxPercent: Invalid value: 101: spec.rollout.maxPercent in body should be less than or equal to 100',
    ],
  },
  {
    name: 'a rollout that may not fail',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      rollout: { maxFailures: 0 },
    },
    refused: [
      'spec.rollout.maxFailures: Invalid value: 0: spec.rollout.maxFailures in body should be greater than or equal to 1',
    ],
  },
  {
    name: 'a rollout in a hurry',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      rollout: { timeout: '10s' },
    },
    refused: ['spec.rollout.timeout: Invalid value: "10s": must be at least 1m'],
    refusedByCrd: ['spec.rollout.timeout: Invalid value: must be at least 1m'],
  },
  {
    name: 'a rollout whose paused flag is a word',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      rollout: { paused: 'yes' },
    },
    refused: [
      'spec.rollout.paused: Invalid value: "string": spec.rollout.paused in body must be of type boolean: "string"',
    ],
  },
  {
    name: 'canaries',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      rollout: { canarySelector: { matchLabels: { tier: 'canary' } } },
    },
  },
  {
    name: 'canaries by an expression',
    metadata: { name: '1.39' },
    spec: {
      minor: '1.39',
      source: 'upstream',
      patches: [{ version: '1.39.0' }],
      components: { containerd: '2.2.7', pause: '3.10.1' },
      rollout: { canarySelector: { matchExpressions: [] } },
    },
    refused: [
      'KubernetesRelease in version "v1alpha1" cannot be handled as a KubernetesRelease: strict decoding error: unknown field "spec.rollout.canarySelector.matchExpressions"',
    ],
  },
];
