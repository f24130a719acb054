import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import type { LastOperation } from '@fairway/api/kinds/status';
import { expect, test } from 'vitest';
import type { Operation } from '../operation.ts';
import { rotationEnd, rotationOperation } from './rotation-operation.ts';

const NOW = '2026-01-01T00:00:00Z';
const renewing: Operation = {
  type: 'Upgrade',
  state: 'Processing',
  progress: 20,
  description: 'the nodes of pool a are being updated',
  estimatedEndTime: NOW,
};
const preparing = { phase: 'Preparing', caNotAfter: NOW, generation: 1, nodes: { total: 3, renewed: 0 } } as const;

interface Case {
  readonly reason: string;
  readonly credentials?: ClusterStatus['credentials'];
  readonly last?: LastOperation;
  readonly upgrading?: Operation;
  readonly operation: object | undefined;
}

test.each<Case>([
  { reason: 'no rotation', operation: undefined },
  { reason: 'it waits to be completed', credentials: { phase: 'Prepared', caNotAfter: NOW }, operation: undefined },
  {
    reason: 'the control plane is first',
    credentials: preparing,
    operation: { state: 'Processing', steps: { done: 0, total: 4 }, description: /^the control plane/ },
  },
  {
    reason: 'the nodes are next',
    credentials: { ...preparing, nodes: { total: 3, renewed: 1 } },
    upgrading: renewing,
    operation: {
      progress: 50,
      steps: { done: 2, total: 4 },
      estimatedEndTime: NOW,
      description: /^the nodes of pool a/,
    },
  },
  {
    reason: 'the nodes wait for their user',
    credentials: preparing,
    upgrading: { ...renewing, state: 'Pending', reason: 'UpgradePaused', since: NOW },
    operation: { state: 'Pending', reason: 'UpgradePaused', since: NOW },
  },
  {
    reason: 'their update was aborted, which does not end the rotation',
    credentials: preparing,
    upgrading: { ...renewing, state: 'Failed', reason: 'UpgradeAborted' },
    operation: { state: 'Error', reason: 'UpgradeAborted' },
  },
  {
    reason: 'an upgrade that began earlier is reported instead',
    credentials: preparing,
    upgrading: renewing,
    last: { ...renewing, lastUpdateTime: NOW },
    operation: undefined,
  },
  {
    reason: 'it is completed',
    credentials: { phase: 'Completing', caNotAfter: NOW },
    operation: { state: 'Processing', steps: { done: 0, total: 1 } },
  },
])('$reason', ({ credentials, last, upgrading, operation }) => {
  const status = { ...(credentials && { credentials }), ...(last && { lastOperation: last }) };
  const reportedText = rotationOperation(status, upgrading);
  const { description, ...rest } = (operation ?? {}) as { description?: RegExp };
  expect({ reportedText }).toMatchObject({ reportedText: operation && { type: 'RotateCredentials', ...rest } });
  expect(reportedText?.description ?? '').toMatch(description ?? /.*/);
});

test('rotationEnd reports the result', () => {
  expect(rotationEnd({ credentials: { phase: 'Prepared', caNotAfter: NOW } })).toContain('is waiting to be completed');
  expect(rotationEnd({ credentials: { phase: 'Stable', caNotAfter: NOW } })).toContain('no longer trusted');
});
