import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, formatFigures } from './figures.ts';
import { IdleClusters } from './idle-cluster/idle-clusters.ts';

const CONTENTS = { nodes: 10, claims: 3 };
/** The first clusters allocate shared memory. */
const WARM_UP_CLUSTERS = 2;
const MEASURED_CLUSTERS = 5;
/** Waits until Events have expired and pages of the last lists have been freed. */
const SETTLE_MS = 20_000;
const MIB = 1024 * 1024;

/**
 * Measures the memory that one more idle cluster needs in Fairway's process, including all controllers. Cloud, control
 * planes and nodes run in other processes.
 */
export async function benchIdleCluster(print: (text: string) => void): Promise<void> {
  await using fairway = await IdleClusters.start();
  const empty = await fairway.heapBytes();
  for (let index = 0; index < WARM_UP_CLUSTERS; index++) await fairway.createCluster(CONTENTS);
  await sleep(SETTLE_MS);
  const before = await fairway.heapBytes();
  for (let index = 0; index < MEASURED_CLUSTERS; index++) await fairway.createCluster(CONTENTS);
  await sleep(SETTLE_MS);
  const after = await fairway.heapBytes();
  const figures: Figure[] = [
    { name: 'heap without clusters', unit: 'MiB', value: empty / MIB },
    {
      name: 'heap for one more cluster',
      unit: 'MiB',
      value: (after - before) / MIB / MEASURED_CLUSTERS,
      goal: { kind: 'at-most', value: 1 },
    },
  ];
  print(
    formatFigures(
      `An idle cluster of ${CONTENTS.nodes} nodes, a load balancer and ${CONTENTS.claims} claims, in Fairway's own process`,
      figures,
    ),
  );
}
