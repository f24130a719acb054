import type { Cluster } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Event } from '@fairway/kube/kinds/generated/types';
import { expect, test } from 'vitest';
import { clusterEvents } from './cluster-events.ts';

const CLUSTER = { metadata: { name: 'demo', uid: 'u-2' } } as Cluster;
const POOLS = [{ metadata: { name: 'demo-general' } }, { metadata: { name: 'gpu' } }] as NodePool[];

test.each([
  { kind: 'Cluster', name: 'demo', uid: 'u-2', isOwn: true },
  { kind: 'Cluster', name: 'demo', uid: 'u-1', isOwn: false },
  { kind: 'NodePool', name: 'gpu', isOwn: true },
  { kind: 'NodePool', name: 'other-general', isOwn: false },
  { kind: 'Machine', name: 'demo-general-x2k4q', isOwn: true },
  { kind: 'Machine', name: 'demo-gpu-x2k4q', isOwn: true },
  { kind: 'Machine', name: 'demo-general-two-x2k4q', isOwn: false },
  { kind: 'Secret', name: 'demo', isOwn: false },
])('an event of $kind $name ($uid) belongs to the cluster: $isOwn', ({ kind, name, uid, isOwn }) => {
  const event = { metadata: { name: 'e' }, involvedObject: { kind, name, ...(uid && { uid }) } } as Event;

  expect(clusterEvents([event], CLUSTER, POOLS)).toHaveLength(isOwn ? 1 : 0);
});
