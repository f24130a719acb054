import { FINALIZER, PAUSED_ANNOTATION } from '@fairway/api/group';
import { aCluster, aNodePool } from '@fairway/api/testing/objects';
import { expect, test } from 'vitest';
import { isHeldByTenant } from './held-deletion.ts';

const PAUSE = { annotations: { [PAUSED_ANNOTATION]: 'true' } };

test.each([
  { what: 'nothing', cluster: {}, pool: { finalizers: [FINALIZER] }, isHeld: false },
  {
    what: 'the garbage collector',
    cluster: {},
    pool: { finalizers: [FINALIZER, 'foregroundDeletion'] },
    isHeld: false,
  },
  { what: 'a finalizer of the cluster only', cluster: { finalizers: ['a.example/b'] }, pool: {}, isHeld: false },
  { what: 'a pause', cluster: PAUSE, pool: {}, isHeld: true },
  { what: 'a pause of a pool', cluster: {}, pool: PAUSE, isHeld: true },
  { what: 'a finalizer of a pool', cluster: {}, pool: { finalizers: ['fairway.dev/mine'] }, isHeld: true },
])('a deletion that waits for $what: $isHeld', ({ cluster, pool, isHeld }) => {
  expect(isHeldByTenant(aCluster({}, cluster), [aNodePool({}, pool)])).toBe(isHeld);
});
