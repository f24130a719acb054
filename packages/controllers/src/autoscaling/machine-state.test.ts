import { provisionTimeoutMs } from '@fairway/api/domain/node-startup-timeout';
import type { NodePoolSpec } from '@fairway/api/kinds/node-pool';
import type { PlanSpec } from '@fairway/api/kinds/plan';
import { aNodePool, aPlan } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { machineState } from './machine-state.ts';

const CREATED = '2026-01-01T00:00:00Z';
const MINUTE_MS = 60_000;
const machine = {
  metadata: { name: 'a', creationTimestamp: CREATED },
  spec: {
    clusterName: 'demo',
    nodePoolName: 'general',
    version: '1.36.0',
    flavor: 't1-45',
    image: 'i',
    floatingIP: false,
  },
};

test.each<{ reason: string; pool?: Partial<NodePoolSpec>; healing?: Partial<PlanSpec['healing']>; minutes: number }>([
  { reason: 'neither the pool nor the plan specifies it: cluster-autoscaler’s 15 minutes', minutes: 15 },
  { reason: 'the pool specifies it', pool: { nodeStartupTimeout: '90m' }, minutes: 95 },
  { reason: 'the plan specifies it', healing: { nodeStartupTimeout: '1h' }, minutes: 65 },
  {
    reason: 'both the pool and the plan specify it, and the pool takes precedence',
    pool: { nodeStartupTimeout: '2h' },
    healing: { nodeStartupTimeout: '20m' },
    minutes: 125,
  },
])('waits $minutes minutes for a new machine: $reason', ({ pool = {}, healing = {}, minutes }) => {
  const plan = aPlan();
  const timeoutMs = provisionTimeoutMs(aNodePool(pool).spec, {
    healing: { ...plan.spec.healing, ...healing },
  });
  const at = (nowMs: number) => machineState(machine, undefined, { nowMs: Date.parse(CREATED) + nowMs, timeoutMs });
  const dueMs = Date.parse(CREATED) + minutes * MINUTE_MS;

  expect(at(minutes * MINUTE_MS - 1)).toEqual({ kind: 'upcoming', dueMs });
  expect(at(minutes * MINUTE_MS)).toMatchObject({
    kind: 'failed',
    problem: { reason: 'NodeStartupTimeout', message: expect.stringContaining(`in ${minutes} minutes`) },
  });
});
