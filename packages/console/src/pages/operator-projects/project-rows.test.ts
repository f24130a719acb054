import type { CloudProfile } from '@fairway/api/kinds/cloud-profile';
import type { Cluster, ClusterPhase } from '@fairway/api/kinds/cluster';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { expect, test } from 'vitest';
import { projectRows } from './project-rows.ts';

function cluster(namespace: string, name: string, phase: ClusterPhase, nodes: number): Cluster {
  return {
    metadata: { namespace, name },
    spec: { plan: 'standard' },
    status: { phase, nodes: { desired: nodes, current: nodes, ready: nodes, upToDate: nodes } },
  } as Cluster;
}

function pool(namespace: string, flavor: string, replicas: number, phase: 'Ready' | 'Failed' = 'Ready'): NodePool {
  return { metadata: { namespace, name: 'pool' }, spec: { flavor }, status: { replicas, phase } } as NodePool;
}

const profile = {
  metadata: { namespace: 'one', name: 'default' },
  status: { flavors: [{ name: 'b3-8', id: 'id-8', vcpus: 2, memoryMiB: 8192, diskGiB: 50 }] },
} as CloudProfile;

test('sums clusters, nodes and cores by namespace, and counts objects that need attention', () => {
  const rows = projectRows({
    clusters: [
      cluster('one', 'a', 'Ready', 3),
      cluster('one', 'b', 'Degraded', 1),
      cluster('two', 'a', 'Provisioning', 0),
    ],
    nodePools: [pool('one', 'b3-8', 3), pool('one', 'id-8', 1, 'Failed'), pool('two', 'unknown', 2)],
    cloudProfiles: [profile],
  });

  expect(rows).toEqual([
    {
      metadata: { name: 'one' },
      clusters: 2,
      states: { attention: 1, progress: 0, ready: 1, asleep: 0 },
      nodesReady: 4,
      nodesDesired: 4,
      cores: 8,
      hasMoreCores: false,
      problems: 2,
      plans: ['standard'],
    },
    expect.objectContaining({ metadata: { name: 'two' }, cores: 0, hasMoreCores: true, problems: 0 }),
  ]);
});
