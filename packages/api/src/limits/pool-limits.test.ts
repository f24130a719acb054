import { expect, test } from 'vitest';
import type { NewNodePool } from '../kinds/node-pool.ts';
import type { PlanSpec } from '../kinds/plan.ts';
import { aNodePool, aPlan } from '../testing/objects.ts';
import { applyLimitNotes } from './notes.ts';
import { poolFieldErrors } from './pool-limits.ts';

type PoolSpec = Partial<NewNodePool['spec']>;

const kubelet = (...allowedUnsafeSysctls: string[]): PoolSpec => ({ kubelet: { allowedUnsafeSysctls } });

test.each<{ reason: string; plan: Partial<PlanSpec>; old?: PoolSpec; spec: PoolSpec; refused: readonly string[] }>([
  {
    reason: 'each excluded value is refused',
    plan: {},
    spec: kubelet('net.core.somaxconn', 'kernel.shm_rmid_forced'),
    refused: ['net.core.somaxconn', 'kernel.shm_rmid_forced'],
  },
  {
    reason: 'a note on one value does not admit another',
    plan: { limitNotes: [{ limit: 'allowed.unsafeSysctls', value: 'net.core.somaxconn', enforcement: 'Warn' }] },
    spec: kubelet('net.core.somaxconn', 'kernel.shm_rmid_forced'),
    refused: ['kernel.shm_rmid_forced'],
  },
  {
    reason: 'stored values are kept',
    plan: {},
    old: kubelet('net.core.somaxconn'),
    spec: kubelet('net.core.somaxconn', 'kernel.shm_rmid_forced'),
    refused: ['kernel.shm_rmid_forced'],
  },
  {
    reason: 'a stored excess can be reduced',
    plan: { nodePools: { maxServerTags: 1 } },
    old: { serverTags: ['a', 'b', 'c'] },
    spec: { serverTags: ['a', 'b'] },
    refused: [],
  },
  {
    reason: 'a stored excess cannot grow',
    plan: { nodePools: { maxServerTags: 1 } },
    old: { serverTags: ['a', 'b'] },
    spec: { serverTags: ['a', 'b', 'c'] },
    refused: ['allows at most 1, but there are 3'],
  },
  {
    reason: 'a stored number of pods can be lowered',
    plan: { maxPodsPerNode: 110 },
    old: { kubelet: { maxPods: 250 } },
    spec: { kubelet: { maxPods: 200 } },
    refused: [],
  },
  {
    reason: 'a setting that is no longer allowed cannot be changed',
    plan: { allowed: { kubeletSettings: [] } },
    old: { kubelet: { maxPods: 50 } },
    spec: { kubelet: { maxPods: 60 } },
    refused: ['remove maxPods'],
  },
])('refuses $refused: $reason', ({ plan: limits, old, spec, refused }) => {
  const plan = aPlan(limits);
  const errors = poolFieldErrors(aNodePool(spec).spec, old && aNodePool(old).spec, plan);
  const details = applyLimitNotes(errors, plan, 0).errors.map(({ detail }) => detail);

  expect(details).toHaveLength(refused.length);
  expect(details).toEqual(refused.map((text) => expect.stringContaining(text)));
});
