import { describe, expect, test } from 'vitest';
import { type ClusterSideView, decide, type ManagementView, type PoolViews } from './decision.ts';

const A: ManagementView = { identity: 'pool', generation: 1, hash: 'a', isDeleting: false };
const B: ManagementView = { ...A, generation: 2, hash: 'b' };
/** An object that reflects `A`. */
const clusterAtA: ClusterSideView = { hash: 'a', shown: A, isDeleting: false };
const changed: ClusterSideView = { ...clusterAtA, hash: 'c' };
const unreadable: ClusterSideView = { ...clusterAtA, hash: undefined };
const created: ClusterSideView = { hash: 'c', shown: undefined, isDeleting: false };

interface Row {
  readonly reason: string;
  readonly outer?: ManagementView;
  readonly inner?: ClusterSideView;
  readonly isDefinitionDeleting?: boolean;
  readonly leads: string;
}

const ROWS: readonly Row[] = [
  { reason: 'neither side exists', leads: 'none' },
  { reason: 'the cluster does not have the pool yet', outer: A, leads: 'show' },
  { reason: 'a missing object does not delete its pool', outer: B, leads: 'show' },
  { reason: 'the pool is already being deleted', outer: { ...A, isDeleting: true }, leads: 'none' },
  { reason: 'the definition is missing', outer: A, isDefinitionDeleting: true, leads: 'none' },

  { reason: 'both are the same', outer: A, inner: clusterAtA, leads: 'settle' },
  { reason: 'only the pool has changed', outer: B, inner: clusterAtA, leads: 'show' },
  { reason: 'only the object has changed', outer: A, inner: changed, leads: 'change' },
  { reason: 'an unreadable spec is a change to refuse', outer: A, inner: unreadable, leads: 'change' },
  { reason: 'both have changed', outer: B, inner: changed, leads: 'refuse changed' },
  { reason: 'both have changed to the same spec', outer: B, inner: { ...clusterAtA, hash: 'b' }, leads: 'settle' },
  {
    reason: 'the pool has changed and was changed back',
    outer: { ...A, generation: 3 },
    inner: changed,
    leads: 'change',
  },
  {
    reason: 'another pool has its name now, and nothing was requested',
    outer: { ...B, identity: 'other' },
    inner: clusterAtA,
    leads: 'show',
  },
  {
    reason: 'the request was about another pool',
    outer: { ...A, identity: 'other', hash: 'b' },
    inner: changed,
    leads: 'refuse changed',
  },
  { reason: 'a restored database contains an earlier state of the pool', outer: B, inner: clusterAtA, leads: 'show' },

  { reason: 'a user creates a pool in the cluster', inner: created, leads: 'create' },
  { reason: 'a user creates an existing pool with another spec', outer: A, inner: created, leads: 'refuse exists' },
  {
    reason: 'a user creates an existing pool with the same spec',
    outer: A,
    inner: { ...created, hash: 'a' },
    leads: 'settle',
  },
  {
    reason: 'a user creates a pool whose name is not free yet',
    outer: { ...A, isDeleting: true },
    inner: created,
    leads: 'none',
  },
  { reason: 'the pool was deleted', inner: clusterAtA, leads: 'withdraw' },
  { reason: 'the pool was deleted, regardless of the request', inner: changed, leads: 'withdraw' },
  { reason: 'the pool is being deleted', outer: { ...A, isDeleting: true }, inner: clusterAtA, leads: 'withdraw' },

  {
    reason: 'a user deletes the pool in the cluster',
    outer: A,
    inner: { ...clusterAtA, isDeleting: true },
    leads: 'delete',
  },
  {
    reason: 'a user changed it before, which no longer matters',
    outer: A,
    inner: { ...changed, isDeleting: true },
    leads: 'delete',
  },
  {
    reason: 'the pool has changed since the user saw it',
    outer: B,
    inner: { ...clusterAtA, isDeleting: true },
    leads: 'refuse changed',
  },
  {
    reason: 'the pool is already being deleted',
    outer: { ...A, isDeleting: true },
    inner: { ...clusterAtA, isDeleting: true },
    leads: 'none',
  },
  { reason: 'the pool was deleted', inner: { ...clusterAtA, isDeleting: true }, leads: 'release' },
  {
    reason: 'another pool has its name now',
    outer: { ...A, identity: 'other' },
    inner: { ...clusterAtA, isDeleting: true },
    leads: 'release',
  },
  {
    reason: 'the object never reflected a pool',
    outer: A,
    inner: { ...created, isDeleting: true },
    leads: 'release',
  },
  {
    reason: 'the object is deleted with its definition, which no user has requested',
    outer: A,
    inner: { ...clusterAtA, isDeleting: true },
    isDefinitionDeleting: true,
    leads: 'release',
  },
  {
    reason: 'a definition being deleted ignores requests',
    outer: A,
    inner: changed,
    isDefinitionDeleting: true,
    leads: 'none',
  },
];

describe('the decision for the two sides of a pool', () => {
  test.each(ROWS)('$reason: $leads', ({ outer, inner, isDefinitionDeleting = false, leads }) => {
    const decision = decide({ outer, inner, isDefinitionDeleting } satisfies PoolViews);

    expect([decision.kind, ...('conflict' in decision ? [decision.conflict] : [])].join(' ')).toBe(leads);
  });
});
