import { type Figure, formatFigures } from './figures.ts';
import { type CacheCost, measureCaches } from './scale/caches.ts';
import { type ClusterCost, measureCluster } from './scale/cluster-cost.ts';
import { type Sharing, simulateSharing } from './scale/replicas.ts';
import { CLUSTERS_PER_PROJECT, NODES_PER_CLUSTER, type Size, shareOf } from './scale/share.ts';

const SIZES: readonly Size[] = [
  { clusters: 1_000, replicas: 1 },
  { clusters: 3_000, replicas: 3 },
  { clusters: 10_000, replicas: 10 },
];
/** Measured cache size; other sizes are extrapolated linearly. */
const CACHED_CLUSTERS = 1_000;

/**
 * Measures up to ten thousand clusters across ten replicas. Real members, hashes, controllers and caches are measured
 * separately; totals are computed from them.
 */
export async function benchScale(print: (text: string) => void): Promise<void> {
  const one = await measureCluster();
  const caches = await measureCaches(one, CACHED_CLUSTERS);
  print(
    formatFigures(
      `One cluster of ${NODES_PER_CLUSTER} nodes, and caches of ${CACHED_CLUSTERS}`,
      clusterCostFigures(one, caches),
    ),
  );
  for (const size of SIZES) {
    const sharing = await simulateSharing(size.replicas);
    print(
      formatFigures(`${size.clusters} clusters over ${size.replicas} replicas`, figuresOf(size, sharing, one, caches)),
    );
  }
}

function clusterCostFigures(one: ClusterCost, caches: CacheCost): readonly Figure[] {
  return [
    { name: "writes to Fairway's API to create it", unit: 'writes', value: one.writesToCreate },
    { name: 'writes while idle', unit: 'per hour', value: one.idleWritesPerHour },
    { name: 'OpenStack calls of its project while idle', unit: 'per hour', value: one.idleOpenStackCallsPerHour },
    { name: `lists of ${CACHED_CLUSTERS} clusters, pools and machines`, unit: 'MiB', value: caches.listMib },
    { name: `heap of caches of ${CACHED_CLUSTERS}`, unit: 'MiB', value: caches.heapMib },
    { name: 'CPU to read them', unit: 'ms', value: caches.cpuMs },
  ];
}

function figuresOf(
  size: Size,
  { idleTraffic, takeover }: Sharing,
  one: ClusterCost,
  caches: CacheCost,
): readonly Figure[] {
  const share = shareOf(size);
  const times = size.clusters / CACHED_CLUSTERS;
  const perMinute = (share.projectsListed * one.idleOpenStackCallsPerHour) / 60;
  return [
    { name: 'clusters of the replica that has the most', unit: 'clusters', value: share.maxClusters },
    { name: 'writes of Leases', unit: 'per s', value: idleTraffic.writesPerSecond },
    { name: 'their events to all replicas', unit: 'per s', value: idleTraffic.eventsPerSecond },
    {
      name: 'replicas that list a project, on average',
      unit: 'replicas',
      value: share.projectsListed / (size.clusters / CLUSTERS_PER_PROJECT),
    },
    { name: 'OpenStack calls while idle, all replicas (computed)', unit: 'per minute', value: perMinute },
    {
      name: "writes to Fairway's API while idle (computed)",
      unit: 'per s',
      value: (one.idleWritesPerHour * size.clusters) / 3600,
    },
    { name: 'heap of the caches of each replica (computed)', unit: 'MiB', value: caches.heapMib * times },
    { name: 'CPU of each replica to read its first lists (computed)', unit: 's', value: (caches.cpuMs * times) / 1000 },
    ...(takeover
      ? [
          {
            name: 'a replica killed: others hold all its clusters, median',
            unit: 's',
            value: takeover.medianMs / 1000,
          },
          {
            name: 'the longest of six',
            unit: 's',
            value: takeover.longestMs / 1000,
            goal: { kind: 'at-most', value: 15 } as const,
          },
          { name: 'shards of 64 that changed hands', unit: 'parts', value: takeover.movedShards },
        ]
      : []),
  ];
}
