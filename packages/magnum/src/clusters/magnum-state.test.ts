import type { ConditionReason } from '@fairway/api/conditions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { describe, expect, test } from 'vitest';
import { clusterState, nodegroupState } from './magnum-state.ts';
import { recordAnnotation } from './record.ts';

const CREATED = '2026-01-01T00:00:00Z';
const MINUTE_MS = 60_000;
const after = (minutes: number) => Date.parse(CREATED) + minutes * MINUTE_MS;

type Operation = NonNullable<NonNullable<Cluster['status']>['lastOperation']>;
const operation = (type: Operation['type'], state: Operation['state'], reason?: ConditionReason) =>
  ({
    type,
    state,
    progress: 40,
    description: 'about it',
    lastUpdateTime: CREATED,
    ...(reason && { reason, since: CREATED }),
  }) satisfies Operation;

interface Facts {
  readonly last?: Operation;
  readonly isSeen?: boolean;
  readonly isDeleted?: boolean;
  readonly isChanged?: boolean;
  readonly timeout?: number;
  /** As first stored. */
  readonly isUntouched?: boolean;
  readonly name?: string;
  /** Rotations of its certificate authorities: requested, and observed. */
  readonly rotation?: readonly [string, string?];
}

function metadataOf({ isDeleted, isChanged, timeout, isUntouched, name, rotation }: Facts) {
  const record = {
    name,
    ...(isChanged && { updated_at: CREATED }),
    ...(timeout !== undefined && { create_timeout: timeout }),
  };
  return {
    generation: isUntouched ? 1 : 2,
    creationTimestamp: CREATED,
    annotations: { ...recordAnnotation(record), ...(rotation && { 'fairway.dev/rotate-credentials': rotation[0] }) },
    ...(isDeleted && { deletionTimestamp: CREATED }),
  };
}

function statusOf({ last, isSeen = true, isUntouched }: Facts) {
  return { ...(isSeen && { observedGeneration: isUntouched ? 1 : 2 }), ...(last && { lastOperation: last }) };
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
    { reason: 'nobody has seen it', facts: { isSeen: false }, status: 'CREATE_IN_PROGRESS' },
    { reason: 'it is being made', facts: { last: operation('Create', 'Processing') }, status: 'CREATE_IN_PROGRESS' },
    {
      reason: 'its making meets something that may pass',
      facts: { last: operation('Create', 'Error') },
      status: 'CREATE_IN_PROGRESS',
    },
    {
      reason: 'the user has to act before it can be made',
      facts: { last: operation('Create', 'Error', 'QuotaExceeded') },
      minutes: 2,
      status: 'CREATE_FAILED',
    },
    {
      reason: 'the same, for less than a minute',
      facts: { last: operation('Create', 'Error', 'QuotaExceeded') },
      minutes: 0.9,
      status: 'CREATE_IN_PROGRESS',
    },
    {
      reason: 'the cloud does not answer while it is made',
      facts: { last: operation('Create', 'Error', 'CloudUnavailable') },
      minutes: 2,
      status: 'CREATE_IN_PROGRESS',
    },
    {
      reason: 'nodes can not be had',
      facts: { last: operation('Reconcile', 'Error', 'FlavorNotFound') },
      minutes: 2,
      status: 'UPDATE_FAILED',
    },
    {
      reason: 'a drain that has its time',
      facts: { last: operation('Reconcile', 'Error', 'PodDisruptionBudget') },
      minutes: 2,
      status: 'UPDATE_IN_PROGRESS',
    },
    {
      reason: 'its owner has paused the upgrade',
      facts: { last: operation('Upgrade', 'Error', 'UpgradePaused') },
      minutes: 2,
      status: 'UPDATE_IN_PROGRESS',
    },
    {
      reason: 'something of the user holds up its deletion',
      facts: { last: operation('Delete', 'Error', 'ResourceInUse'), isDeleted: true },
      minutes: 2,
      status: 'DELETE_FAILED',
    },
    {
      reason: 'the cloud holds up its deletion',
      facts: { last: operation('Delete', 'Error', 'CloudUnavailable'), isDeleted: true },
      minutes: 2,
      status: 'DELETE_IN_PROGRESS',
    },
    {
      reason: 'it takes longer than an hour',
      facts: { last: operation('Create', 'Error') },
      minutes: 61,
      status: 'CREATE_FAILED',
    },
    {
      reason: 'it takes longer than was said',
      facts: { last: operation('Create', 'Error'), timeout: 5 },
      minutes: 6,
      status: 'CREATE_FAILED',
    },
    {
      reason: 'it may take forever',
      facts: { last: operation('Create', 'Error'), timeout: 0 },
      minutes: 1000,
      status: 'CREATE_IN_PROGRESS',
    },
    { reason: 'it is made', facts: ready, status: 'CREATE_COMPLETE' },
    { reason: 'it is made, late', facts: ready, minutes: 1000, status: 'CREATE_COMPLETE' },
    {
      reason: 'a change is stored that nobody has seen',
      facts: { ...ready, isSeen: false },
      status: 'UPDATE_IN_PROGRESS',
    },
    { reason: 'it is upgraded', facts: { last: operation('Upgrade', 'Processing') }, status: 'UPDATE_IN_PROGRESS' },
    { reason: 'it heals itself', facts: { last: operation('Reconcile', 'Error') }, status: 'UPDATE_IN_PROGRESS' },
    { reason: 'an upgrade has failed', facts: { last: operation('Upgrade', 'Failed') }, status: 'UPDATE_FAILED' },
    { reason: 'an upgrade is over', facts: { last: operation('Upgrade', 'Succeeded') }, status: 'UPDATE_COMPLETE' },
    {
      reason: 'a change that changed nothing is over',
      facts: { ...ready, isChanged: true },
      status: 'UPDATE_COMPLETE',
    },
    {
      reason: 'a pool of it has a change',
      facts: ready,
      pools: [{ ...ready, isSeen: false }],
      status: 'UPDATE_IN_PROGRESS',
    },
    { reason: 'a pool of it is new', facts: ready, pools: [ready, { isSeen: false }], status: 'UPDATE_IN_PROGRESS' },
    {
      reason: 'a pool of it has failed',
      facts: ready,
      pools: [{ last: operation('Scale', 'Failed') }],
      status: 'UPDATE_FAILED',
    },
    {
      reason: 'the nodes that it was asked for are being made',
      facts: ready,
      pools: [{ last: operation('Create', 'Processing'), name: 'default-worker' }],
      status: 'CREATE_IN_PROGRESS',
    },
    {
      reason: 'the same can not be had',
      facts: ready,
      pools: [{ last: operation('Create', 'Failed'), name: 'default-worker' }],
      status: 'CREATE_FAILED',
    },
    {
      reason: 'a node that nobody has asked for since it was made is not ready',
      facts: { last: operation('Reconcile', 'Processing'), isUntouched: true },
      status: 'CREATE_COMPLETE',
    },
    {
      reason: 'the same is over',
      facts: { last: operation('Reconcile', 'Succeeded'), isUntouched: true },
      status: 'CREATE_COMPLETE',
    },
    {
      reason: 'a rotation was asked for that nobody has seen',
      facts: { ...ready, isChanged: true, rotation: ['a'] },
      status: 'UPDATE_IN_PROGRESS',
    },
    {
      reason: 'the rotation is over',
      facts: { last: operation('RotateCredentials', 'Succeeded'), rotation: ['a', 'a'] },
      status: 'UPDATE_COMPLETE',
    },
    { reason: 'it is to go', facts: { ...ready, isDeleted: true }, status: 'DELETE_IN_PROGRESS' },
  ])('$status: $reason', ({ facts, pools = [ready], minutes = 1, status }) => {
    const state = clusterState(cluster(facts), pools.map(pool), after(minutes));
    expect(state.status).toBe(status);
    expect(state.reason).not.toBe('');
  });
});

describe('the state of a nodegroup', () => {
  test.each<{ facts: Facts; status: string }>([
    { facts: { isSeen: false }, status: 'CREATE_IN_PROGRESS' },
    { facts: { last: operation('Create', 'Succeeded') }, status: 'CREATE_COMPLETE' },
    { facts: { last: operation('Create', 'Succeeded'), isSeen: false, isChanged: true }, status: 'UPDATE_IN_PROGRESS' },
    { facts: { last: operation('Scale', 'Processing'), isChanged: true }, status: 'UPDATE_IN_PROGRESS' },
    { facts: { last: operation('Scale', 'Succeeded'), isChanged: true }, status: 'UPDATE_COMPLETE' },
    { facts: { last: operation('Scale', 'Error', 'QuotaExceeded') }, status: 'UPDATE_FAILED' },
    { facts: { isDeleted: true }, status: 'DELETE_IN_PROGRESS' },
  ])('$status', ({ facts, status }) => {
    expect(nodegroupState(pool(facts), after(2)).status).toBe(status);
  });
});
