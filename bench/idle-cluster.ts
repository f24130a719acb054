import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, formatFigures } from './figures.ts';
import { IdleClusters } from './idle-cluster/idle-clusters.ts';

const CONTENTS = { nodes: 10, claims: 3 };
/** Shared memory is allocated with the first ones. */
const FIRST = 2;
const MORE = 5;
/** Waits until Events have expired and pages of the last lists are collected. */
const SETTLE_MS = 20_000;
const MIB = 1024 * 1024;

/** Memory of another idle cluster in Fairway's process, including all controllers; cloud, control planes and nodes run in other processes. */
export async function benchIdleCluster(print: (text: string) => void): Promise<void> {
  await using fairway = await IdleClusters.start();
  const empty = await fairway.heapBytes();
  for (let index = 0; index < FIRST; index++) await fairway.make(CONTENTS);
  await sleep(SETTLE_MS);
  const before = await fairway.heapBytes();
  for (let index = 0; index < MORE; index++) await fairway.make(CONTENTS);
  await sleep(SETTLE_MS);
  const after = await fairway.heapBytes();
  const figures: Figure[] = [
    { name: 'heap without clusters', unit: 'MiB', value: empty / MIB },
    {
      name: 'heap for one more cluster',
      unit: 'MiB',
      value: (after - before) / MIB / MORE,
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
