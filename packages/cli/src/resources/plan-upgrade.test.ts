import { expect, test } from 'vitest';
import { describePlan } from './plan-upgrade.ts';

const time = '2026-11-23T12:00:00Z';

test('describes a plan step by step, with its requirements and blockers', () => {
  const text = describePlan('cluster.fairway.dev/demo', {
    from: '1.35.2',
    to: '1.36.3',
    time,
    steps: [
      { order: 1, type: 'ControlPlane', message: 'the control plane is updated from 1.35.2 to 1.36.3' },
      {
        order: 2,
        type: 'NodePool',
        pool: 'web',
        message: '3 nodes: …',
        estimate: { seconds: 270, from: 'NewNodes', message: 'a new node took 90 s' },
      },
    ],
    estimate: { seconds: 270, from: 'NewNodes', message: 'the nodes take about 5 min' },
    quotas: [
      { name: 'instances', needed: 1, left: 4, limit: 10, isEnough: true },
      { name: 'cores', needed: 2, left: 1, limit: 10, isEnough: false },
    ],
    findings: [
      { type: 'UpgradePaused', effect: 'Blocks', pool: 'web', message: 'spec.upgradeStrategy.paused' },
      { type: 'LocalStorage', effect: 'Loses', message: 'data of pods', objects: ['shop/cart-0'], more: 7 },
    ],
  });

  expect(text).toBe(`cluster.fairway.dev/demo: from 1.35.2 to 1.36.3

1. the control plane is updated from 1.35.2 to 1.36.3
2. pool web, 3 nodes: …
   (a new node took 90 s)

Estimated: the nodes take about 5 min.

Quota: the new nodes need 1 of 4 instances, 2 of 1 cores left.

BLOCKS UpgradePaused: pool web: spec.upgradeStrategy.paused
LOSES LocalStorage: data of pods
  - shop/cart-0
  - and 7 more
`);
});

test('reports that there is nothing to do', () => {
  expect(describePlan('demo', { from: '1.36.3', time, steps: [], quotas: [], findings: [] })).toBe(
    'demo: stays at 1.36.3\n\nNothing to do.\n',
  );
});

test('an upgrade plan without blockers', () => {
  const steps = [
    { order: 1, type: 'ControlPlane', message: 'the control plane is updated from 1.35.2 to 1.36.3' } as const,
  ];
  expect(describePlan('demo', { from: '1.35.2', to: '1.36.3', time, steps, quotas: [], findings: [] })).toMatch(
    /\n\nNo blockers found\.\n$/,
  );
});
