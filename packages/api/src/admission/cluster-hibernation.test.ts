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

const hibernated = { enabled: true };
const running = { enabled: false };

test.each([
  {
    reason: 'the quota has enough capacity',
    now: running,
    before: hibernated,
    pools: [pool({ replicas: 2 })],
    warns: false,
  },
  {
    reason: 'the quota has too little capacity',
    now: running,
    before: hibernated,
    pools: [pool({ replicas: 3 })],
    warns: true,
  },
  {
    reason: 'the current nodes of the cluster free enough capacity',
    now: hibernated,
    before: running,
    pools: [pool({ replicas: 3 }, 3)],
    warns: false,
  },
  {
    reason: 'hibernation does not change',
    now: hibernated,
    before: hibernated,
    pools: [pool({ replicas: 3 })],
    warns: false,
  },
  {
    reason: 'the cluster is new',
    now: hibernated,
    before: 'nothing' as const,
    pools: [pool({ replicas: 3 })],
    warns: false,
  },
  {
    reason: 'pools of other clusters do not count',
    now: running,
    before: hibernated,
    pools: [pool({ replicas: 3, clusterName: 'other' })],
    warns: false,
  },
])('warns of insufficient quota ($warns): $reason', ({ now, before, pools, warns }) => {
  const warnings = warningsOf(now, before, pools);

  expect(warnings).toEqual(
    warns
      ? [
          "spec.hibernation: the cluster could currently not wake up completely: 3 nodes need 6 cores, and the project's quota of 10 has 4 left: free something, ask for a larger quota, or scale pools down",
        ]
      : [],
  );
});

test('does not warn if the quota is unlimited', () => {
  expect(warningsOf(running, hibernated, [pool({ replicas: 300 })], { cores: { limit: -1, used: 6 } })).toEqual([]);
});
