import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { expect, test } from 'vitest';
import { operation } from '../operation.ts';
import { deleteOperation } from './deletion.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const CURRENT = { current: 10, ready: 10, desired: 10, upToDate: 10 };
const refused = { reason: 'CredentialInvalid', message: 'the cloud refuses the credential' } as const;
const going = { reason: 'Deleting', message: '4 machines still to be deleted' } as const;

test('a deletion whose first pass fails reports no progress yet', () => {
  const status: ClusterStatus = { nodes: CURRENT };

  expect(deleteOperation(status, refused)).toMatchObject({ progress: 0, steps: { done: 0, total: 12 } });
});

test('a deletion that fails later keeps its progress', () => {
  const status: ClusterStatus = { nodes: CURRENT };
  const lastOperation = operation(undefined, deleteOperation(status, { ...going, left: 6 }), NOW_MS);

  expect(lastOperation.steps).toEqual({ done: 6, total: 12 });
  expect(deleteOperation({ nodes: { ...CURRENT, current: 4 }, lastOperation }, refused).steps).toEqual({
    done: 6,
    total: 12,
  });
});

test('a deletion started by an earlier release, which recorded no steps, counts the remaining resources', () => {
  const lastOperation = { ...operation(undefined, deleteOperation(undefined, going), NOW_MS), steps: undefined };
  const status = { nodes: { ...CURRENT, current: 3 }, lastOperation } as unknown as ClusterStatus;

  expect(deleteOperation(status, refused).steps).toEqual({ done: 0, total: 5 });
});
