import type { Cluster } from '@fairway/api/kinds/cluster';
import { expect, it } from 'vitest';
import { mainAction } from './main-action.ts';

const cluster = (phase: string | undefined, more: object = {}, requested = false) =>
  ({ metadata: {}, spec: {}, status: { phase, hibernation: { wanted: requested } }, ...more }) as unknown as Cluster;

it.each([
  { state: 'Pending', action: 'events' },
  { state: 'Provisioning', action: 'events' },
  { state: 'Ready', action: 'access' },
  { state: 'Updating', action: 'access' },
  { state: 'Degraded', action: 'access' },
  { state: 'Hibernating', action: 'wake', wanted: true },
  { state: 'Hibernated', action: 'wake', wanted: true },
  { state: 'Waking', action: 'events' },
  { state: 'Resetting', action: 'events' },
  { state: 'Failed', action: 'events' },
  { state: 'Deleting', action: 'events' },
  { state: 'SomethingNew', action: 'events' },
  { state: undefined, action: 'events' },
])('$state: $action', ({ state, action, wanted }) => {
  expect(mainAction(cluster(state, {}, wanted), 1)).toBe(action);
});

it.each([
  { pools: 0, action: 'addPool', reason: 'pods have no node to run on' },
  { pools: undefined, action: 'access', reason: 'the number of pools is unknown' },
])('a ready cluster with $pools pools: $reason', ({ pools, action }) => {
  expect(mainAction(cluster('Ready'), pools)).toBe(action);
});

it('offers only the progress of a cluster that is being deleted', () => {
  const deleted = cluster('Hibernated', { metadata: { deletionTimestamp: '2026-11-28T10:00:00Z' } }, true);

  expect(mainAction(deleted, 0)).toBe('events');
});
