import { expect, test } from 'vitest';
import type { Cluster, NewCluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import { aCluster, aNodePool } from '../testing/objects.ts';
import { hibernationWarnings } from './cluster-hibernation.ts';

const flavor = { id: 'f', name: 'b3-8', vcpus: 2, memoryMiB: 8192, diskGiB: 40 };

function pool(spec: Parameters<typeof aNodePool>[0], replicas = 0): NodePool {
  return { ...aNodePool({ flavor: 'b3-8', clusterName: 'demo', ...spec }), status: { replicas } };
}

function cluster(hibernation: NewCluster['spec']['hibernation']): Cluster {
  return aCluster(hibernation === undefined ? {} : { hibernation }, { name: 'demo' });
}

function warningsOf(
  now: NewCluster['spec']['hibernation'],
  before: NewCluster['spec']['hibernation'] | 'nothing',
  pools: readonly NodePool[],
  quotas = { cores: { limit: 10, used: 6 } },
): string[] {
  const old = before === 'nothing' ? undefined : cluster(before);
  const catalogue = { flavors: [flavor], quotas };
  return hibernationWarnings({
    cluster: cluster(now),
    old,
    pools,
    catalogue,
    plans: [],
    releases: [],
    others: [],
    nowMs: 0,
  });
}

const asleep = { enabled: true };
const awake = { enabled: false };

test.each([
  { reason: 'there is room', now: awake, before: asleep, pools: [pool({ replicas: 2 })], warns: false },
  { reason: 'there is not', now: awake, before: asleep, pools: [pool({ replicas: 3 })], warns: true },
  {
    reason: 'its own nodes make room for themselves',
    now: asleep,
    before: awake,
    pools: [pool({ replicas: 3 }, 3)],
    warns: false,
  },
  {
    reason: 'it is no matter of hibernation',
    now: asleep,
    before: asleep,
    pools: [pool({ replicas: 3 })],
    warns: false,
  },
  { reason: 'it is new', now: asleep, before: 'nothing' as const, pools: [pool({ replicas: 3 })], warns: false },
  {
    reason: 'pools of others do not count',
    now: awake,
    before: asleep,
    pools: [pool({ replicas: 3, clusterName: 'other' })],
    warns: false,
  },
])('whoever hibernates or wakes is warned $warns: $reason', ({ now, before, pools, warns }) => {
  const warnings = warningsOf(now, before, pools);

  expect(warnings).toEqual(
    warns
      ? [
          "spec.hibernation: the cluster could currently not wake up completely: 3 nodes need 6 cores, and the project's quota of 10 has 4 left: free something, ask for a larger quota, or scale pools down",
        ]
      : [],
  );
});

test('a quota without a limit is none', () => {
  expect(warningsOf(awake, asleep, [pool({ replicas: 300 })], { cores: { limit: -1, used: 6 } })).toEqual([]);
});
