import type { ConditionReason } from '@fairway/api/conditions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { clusterState, nodegroupState } from './magnum-state.ts';
import { recordAnnotation } from './record.ts';

const CREATED_AT = '2026-01-01T00:00:00Z';
const MINUTE_MS = 60_000;
const after = (minutes: number) => Date.parse(CREATED_AT) + minutes * MINUTE_MS;

type Operation = NonNullable<NonNullable<Cluster['status']>['lastOperation']>;
const operation = (type: Operation['type'], state: Operation['state'], reason?: ConditionReason) =>
  ({
    type,
    state,
    progress: 40,
    description: 'about it',
    lastUpdateTime: CREATED_AT,
    ...(reason && { reason, since: CREATED_AT }),
  }) satisfies Operation;

interface Facts {
  readonly last?: Operation;
  readonly isObserved?: boolean;
  readonly isDeleted?: boolean;
  readonly isChanged?: boolean;
  readonly timeout?: number;
  /** As first stored, without later changes. */
  readonly isUnchanged?: boolean;
  readonly name?: string;
  /** Rotations of the certificate authorities: requested, and observed. */
  readonly rotation?: readonly [string, string?];
}

function metadataOf({ isDeleted, isChanged, timeout, isUnchanged, name, rotation }: Facts) {
  const record = {
    name,
    ...(isChanged && { updated_at: CREATED_AT }),
    ...(timeout !== undefined && { create_timeout: timeout }),
  };
  return {
    generation: isUnchanged ? 1 : 2,
    creationTimestamp: CREATED_AT,
    annotations: { ...recordAnnotation(record), ...(rotation && { 'fairway.dev/rotate-credentials': rotation[0] }) },
    ...(isDeleted && { deletionTimestamp: CREATED_AT }),
  };
}

function statusOf({ last, isObserved = true, isUnchanged }: Facts) {
  return { ...(isObserved && { observedGeneration: isUnchanged ? 1 : 2 }), ...(last && { lastOperation: last }) };
}

const cluster = (facts: Facts): Cluster => {
  const [, rotation] = facts.rotation ?? [];
  const credentials = { rotation, caNotAfter: '2036-01-01T00:00:00Z' };
  return { ...aCluster({}, metadataOf(facts)), status: { ...statusOf(facts), credentials } };
};
const pool = (facts: Facts): NodePool => ({ ...aNodePool({}, metadataOf(facts)), status: statusOf(facts) });

describe('the state of a cluster', () => {
  const ready = { last: operation('Create', 'Succeeded') };

  test.each<{ reason: string; facts: Facts; pools?: Facts[]; minutes?: number; status: string }>([
    { reason: 'no controller has observed it', facts: { isObserved: false }, status: 'CREATE_IN_PROGRESS' },
    { reason: 'it is being created', facts: { last: operation('Create', 'Processing') }, status: 'CREATE_IN_PROGRESS' },
    {
      reason: 'its creation has a temporary error',
      facts: { last: operation('Create', 'Error') },
      status: 'CREATE_IN_PROGRESS',
    },
    {
      reason: 'its creation requires user action',
      facts: { last: operation('Create', 'Error', 'QuotaExceeded') },
      minutes: 2,
      status: 'CREATE_FAILED',
    },
    {
      reason: 'its creation has required user action for less than a minute',
      facts: { last: operation('Create', 'Error', 'QuotaExceeded') },
      minutes: 0.9,
      status: 'CREATE_IN_PROGRESS',
    },
    {
      reason: 'the cloud is unavailable during its creation',
      facts: { last: operation('Create', 'Error', 'CloudUnavailable') },
      minutes: 2,
      status: 'CREATE_IN_PROGRESS',
    },
    {
      reason: 'nodes cannot be created',
      facts: { last: operation('Reconcile', 'Error', 'FlavorNotFound') },
      minutes: 2,
      status: 'UPDATE_FAILED',
    },
    {
      reason: 'a drain has not timed out yet',
      facts: { last: operation('Reconcile', 'Error', 'PodDisruptionBudget') },
      minutes: 2,
      status: 'UPDATE_IN_PROGRESS',
    },
    {
      reason: 'the user has paused the upgrade',
      facts: { last: operation('Upgrade', 'Error', 'UpgradePaused') },
      minutes: 2,
      status: 'UPDATE_IN_PROGRESS',
    },
    {
      reason: 'a resource of the user blocks its deletion',
      facts: { last: operation('Delete', 'Error', 'ResourceInUse'), isDeleted: true },
      minutes: 2,
      status: 'DELETE_FAILED',
    },
    {
      reason: 'the cloud blocks its deletion',
      facts: { last: operation('Delete', 'Error', 'CloudUnavailable'), isDeleted: true },
      minutes: 2,
      status: 'DELETE_IN_PROGRESS',
    },
    {
      reason: 'its creation takes longer than an hour',
      facts: { last: operation('Create', 'Error') },
      minutes: 61,
      status: 'CREATE_FAILED',
    },
    {
      reason: 'its creation takes longer than its timeout',
      facts: { last: operation('Create', 'Error'), timeout: 5 },
      minutes: 6,
      status: 'CREATE_FAILED',
    },
    {
      reason: 'its creation has no timeout',
      facts: { last: operation('Create', 'Error'), timeout: 0 },
      minutes: 1000,
      status: 'CREATE_IN_PROGRESS',
    },
    { reason: 'it has been created', facts: ready, status: 'CREATE_COMPLETE' },
    { reason: 'its creation completed late', facts: ready, minutes: 1000, status: 'CREATE_COMPLETE' },
    {
      reason: 'no controller has observed a change',
      facts: { ...ready, isObserved: false },
      status: 'UPDATE_IN_PROGRESS',
    },
    {
      reason: 'it is being upgraded',
      facts: { last: operation('Upgrade', 'Processing') },
      status: 'UPDATE_IN_PROGRESS',
    },
    { reason: 'it is being repaired', facts: { last: operation('Reconcile', 'Error') }, status: 'UPDATE_IN_PROGRESS' },
    { reason: 'an upgrade has failed', facts: { last: operation('Upgrade', 'Failed') }, status: 'UPDATE_FAILED' },
    {
      reason: 'an upgrade has completed',
      facts: { last: operation('Upgrade', 'Succeeded') },
      status: 'UPDATE_COMPLETE',
    },
    {
      reason: 'a change without effect has completed',
      facts: { ...ready, isChanged: true },
      status: 'UPDATE_COMPLETE',
    },
    {
      reason: 'one of its pools has an unobserved change',
      facts: ready,
      pools: [{ ...ready, isObserved: false }],
      status: 'UPDATE_IN_PROGRESS',
    },
    {
      reason: 'one of its pools is new',
      facts: ready,
      pools: [ready, { isObserved: false }],
      status: 'UPDATE_IN_PROGRESS',
    },
    {
      reason: 'one of its pools has failed',
      facts: ready,
      pools: [{ last: operation('Scale', 'Failed') }],
      status: 'UPDATE_FAILED',
    },
    {
      reason: 'its first nodes are being created',
      facts: ready,
      pools: [{ last: operation('Create', 'Processing'), name: 'default-worker' }],
      status: 'CREATE_IN_PROGRESS',
    },
    {
      reason: 'its first nodes cannot be created',
      facts: ready,
      pools: [{ last: operation('Create', 'Failed'), name: 'default-worker' }],
      status: 'CREATE_FAILED',
    },
    {
      reason: 'a node is not ready, but no change has been requested since the creation',
      facts: { last: operation('Reconcile', 'Processing'), isUnchanged: true },
      status: 'CREATE_COMPLETE',
    },
    {
      reason: 'a repair has completed, and no change has been requested since the creation',
      facts: { last: operation('Reconcile', 'Succeeded'), isUnchanged: true },
      status: 'CREATE_COMPLETE',
    },
    {
      reason: 'no controller has observed a requested rotation',
      facts: { ...ready, isChanged: true, rotation: ['a'] },
      status: 'UPDATE_IN_PROGRESS',
    },
    {
      reason: 'the rotation has completed',
      facts: { last: operation('RotateCredentials', 'Succeeded'), rotation: ['a', 'a'] },
      status: 'UPDATE_COMPLETE',
    },
    { reason: 'it is being deleted', facts: { ...ready, isDeleted: true }, status: 'DELETE_IN_PROGRESS' },
  ])('is $status if $reason', ({ facts, pools = [ready], minutes = 1, status }) => {
    const state = clusterState(cluster(facts), pools.map(pool), after(minutes));
    expect(state.status).toBe(status);
    expect(state.reason).not.toBe('');
  });
});

describe('the state of a nodegroup', () => {
  test.each<{ facts: Facts; status: string }>([
    { facts: { isObserved: false }, status: 'CREATE_IN_PROGRESS' },
    { facts: { last: operation('Create', 'Succeeded') }, status: 'CREATE_COMPLETE' },
    {
      facts: { last: operation('Create', 'Succeeded'), isObserved: false, isChanged: true },
      status: 'UPDATE_IN_PROGRESS',
    },
    { facts: { last: operation('Scale', 'Processing'), isChanged: true }, status: 'UPDATE_IN_PROGRESS' },
    { facts: { last: operation('Scale', 'Succeeded'), isChanged: true }, status: 'UPDATE_COMPLETE' },
    { facts: { last: operation('Scale', 'Error', 'QuotaExceeded') }, status: 'UPDATE_FAILED' },
    { facts: { isDeleted: true }, status: 'DELETE_IN_PROGRESS' },
  ])('is $status', ({ facts, status }) => {
    expect(nodegroupState(pool(facts), after(2)).status).toBe(status);
  });
});
