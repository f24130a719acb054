import type { LastOperation } from '@fairway/api/kinds/status';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { objectUpdated } from './update-goal.ts';

const operation = (state: LastOperation['state']): LastOperation => ({
  type: 'Replace',
  state,
  progress: 50,
  description: 'one node after another',
  lastUpdateTime: '2026-11-22T00:00:00Z',
});

const pool = (state: LastOperation['state'], reason: string, observedGeneration = 2) => ({
  ...aNodePool({}, { name: 'web', uid: 'u', generation: 2 }),
  status: {
    observedGeneration,
    lastOperation: operation(state),
    conditions: [
      {
        type: 'Ready',
        status: reason === 'AsExpected' ? ('True' as const) : ('False' as const),
        reason,
        message: `because of ${reason}`,
        lastTransitionTime: '2026-11-22T00:00:00Z',
      },
    ],
  },
});

test.each([
  { reason: 'the change is not observed yet', is: pool('Succeeded', 'AsExpected', 1), state: 'running' },
  { reason: 'nodes are being replaced, and enough are ready', is: pool('Processing', 'AsExpected'), state: 'running' },
  { reason: 'the change is blocked', is: pool('Error', 'QuotaExceeded'), state: 'blocked' },
  { reason: 'the change has failed', is: pool('Failed', 'FlavorNotFound'), state: 'failed' },
  { reason: 'everything is done', is: pool('Succeeded', 'AsExpected'), state: 'done' },
])('$reason: $state', ({ is, state }) => {
  const goal = objectUpdated({ kind: 'nodepool', name: 'web', uid: 'u' });

  expect(goal.outcome({ cluster: aCluster(), pools: [is], machines: [] })).toMatchObject({ state });
});
