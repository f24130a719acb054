import { hash32 } from '@fairway/kube/controller/rendezvous';
import { ShardLeases } from '@fairway/kube/controller/shard-leases';
import type { Lease } from '@fairway/kube/kinds/generated/types';
import { describe, expect, test } from 'vitest';
import { GROUP_SELECTOR, heardTimes, shardOf, sharingOf } from './shards.ts';

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

const member = (name: string) => lease(names.ofMember(name), name);
const heard = (entries: Readonly<Record<string, number>>) => new Map(Object.entries(entries));

describe('who looks after which clusters', () => {
  test('their shards are those that replicas compute', () => {
    for (let i = 0; i < 1000; i++) expect(shardOf(`team-${i}/demo`, 64)).toBe(hash32(`team-${i}/demo`) % 64);
    expect(GROUP_SELECTOR).toBe(names.selector);
  });

  test('each replica has the clusters of its shards', () => {
    const keys = Array.from({ length: 100 }, (_, i) => `team/${i}`);
    const leases = [member('a'), member('b'), lease(names.ofShard(0), 'a'), lease(names.ofShard(1), 'b')];

    const { replicas, shards } = sharingOf(leases, keys, { heardMs: new Map(), nowMs: NOW });

    expect(replicas.map(({ name, isAlive, shards: held }) => [name, isAlive, held])).toEqual([
      ['a', true, 1],
      ['b', true, 1],
    ]);
    expect(replicas.map(({ clusters }) => clusters)).toEqual(shards.map(({ clusters }) => clusters));
    expect(replicas.reduce((sum, { clusters }) => sum + clusters, 0)).toBe(100);
  });

  test('what a dead one held is nobody’s, and what was just taken has moved', () => {
    const taken = lease(names.ofShard(1), 'b', '2026-01-01T11:59:30.000000Z');
    const leases = [member('a'), member('b'), lease(names.ofShard(0), 'a'), taken];
    const heardMs = heard({ 'fairway-member-a': NOW - 19_000, 'fairway-member-b': NOW - 1_000 });

    const { replicas, shards } = sharingOf(leases, [], { heardMs, nowMs: NOW });

    expect(replicas.map(({ isAlive }) => isAlive)).toEqual([false, true]);
    expect(shards).toMatchObject([
      { holder: undefined, hasMoved: false },
      { holder: 'b', hasMoved: true },
    ]);
  });

  test('a renewal is heard of when it changes', () => {
    const first = heardTimes(new Map(), [member('a')], 1000);
    const same = heardTimes(first, [member('a')], 2000);
    const renewed = { ...member('a'), spec: { renewTime: '2026-01-01T12:00:02.000000Z' } };

    expect(same.get('fairway-member-a')?.ms).toBe(1000);
    expect(heardTimes(same, [renewed], 3000).get('fairway-member-a')?.ms).toBe(3000);
  });

  test('without Leases there is nothing to share', () => {
    expect(sharingOf([], ['team/demo'], { heardMs: new Map(), nowMs: NOW })).toEqual({ replicas: [], shards: [] });
  });
});
