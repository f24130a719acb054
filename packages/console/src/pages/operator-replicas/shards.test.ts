import { hash32 } from '@fairway/kube/controller/rendezvous';
import { ShardLeases } from '@fairway/kube/controller/shard-leases';
import type { Lease } from '@fairway/kube/kinds/generated/types';
import { describe, expect, test } from 'vitest';
import { GROUP_SELECTOR, renewalTimes, shardOf, shardStateOf } from './shards.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');
const names = new ShardLeases('fairway-system', 'fairway', 2);

function lease(
  metadata: Lease['metadata'],
  holderIdentity: string,
  acquireTime = '2026-01-01T11:00:00.000000Z',
): Lease {
  const spec = { holderIdentity, leaseDurationSeconds: 8, acquireTime, renewTime: '2026-01-01T11:59:59.000000Z' };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec };
}

const member = (name: string) => lease(names.memberMetadata(name), name);
const heardMsByReplica = (entries: Readonly<Record<string, number>>) => new Map(Object.entries(entries));

describe('the assignment of clusters', () => {
  test('computes the same shards as the replicas', () => {
    for (let i = 0; i < 1000; i++) expect(shardOf(`team-${i}/demo`, 64)).toBe(hash32(`team-${i}/demo`) % 64);
    expect(GROUP_SELECTOR).toBe(names.selector);
  });

  test('assigns to each replica the clusters of its shards', () => {
    const keys = Array.from({ length: 100 }, (_, i) => `team/${i}`);
    const leases = [member('a'), member('b'), lease(names.shardMetadata(0), 'a'), lease(names.shardMetadata(1), 'b')];

    const { replicas, shards } = shardStateOf(leases, keys, { heardMs: new Map(), nowMs: NOW });

    expect(replicas.map(({ name, isAlive, shards: held }) => [name, isAlive, held])).toEqual([
      ['a', true, 1],
      ['b', true, 1],
    ]);
    expect(replicas.map(({ clusters }) => clusters)).toEqual(shards.map(({ clusters }) => clusters));
    expect(replicas.reduce((sum, { clusters }) => sum + clusters, 0)).toBe(100);
  });

  test('shows shards of a dead replica as unassigned, and recently acquired ones as moved', () => {
    const taken = lease(names.shardMetadata(1), 'b', '2026-01-01T11:59:30.000000Z');
    const leases = [member('a'), member('b'), lease(names.shardMetadata(0), 'a'), taken];
    const heardMs = heardMsByReplica({ 'fairway-member-a': NOW - 19_000, 'fairway-member-b': NOW - 1_000 });

    const { replicas, shards } = shardStateOf(leases, [], { heardMs, nowMs: NOW });

    expect(replicas.map(({ isAlive }) => isAlive)).toEqual([false, true]);
    expect(shards).toMatchObject([
      { holder: undefined, hasMoved: false },
      { holder: 'b', hasMoved: true },
    ]);
  });

  test('records when each renewal was observed', () => {
    const first = renewalTimes(new Map(), [member('a')], 1000);
    const sameTimes = renewalTimes(first, [member('a')], 2000);
    const renewed = { ...member('a'), spec: { renewTime: '2026-01-01T12:00:02.000000Z' } };

    expect(sameTimes.get('fairway-member-a')?.ms).toBe(1000);
    expect(renewalTimes(sameTimes, [renewed], 3000).get('fairway-member-a')?.ms).toBe(3000);
  });

  test('shows no assignment without any Leases', () => {
    expect(shardStateOf([], ['team/demo'], { heardMs: new Map(), nowMs: NOW })).toEqual({ replicas: [], shards: [] });
  });
});
