import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, formatFigures } from './figures.ts';
import { GrowingFairway } from './growth/growing-fairway.ts';
import { entryOf } from './growth/projects.ts';
import { difference, totalOf } from './product/simulator-calls.ts';

/** Fewer with `GROWTH_CLUSTERS=200`. */
const CLUSTERS = Number(process.env['GROWTH_CLUSTERS'] ?? 1000);
const NODES = 10;
const CLUSTERS_OF_A_PROJECT = 10;
const CREATED_AT_A_TIME = 5;
/** How many clusters are created between two figures. */
const STEP = Math.min(100, Math.ceil(CLUSTERS / 4));
const SETTLE_MS = 90_000;
const MEASURE_MS = 120_000;
const COMPARE_TIMEOUT_MS = 600_000;
const MIB = 1024 * 1024;

/** One step of growth, as Fairway's own process saw it. */
interface Step {
  readonly clusters: number;
  readonly seconds: number;
  readonly cpuMsPerCluster: number;
  readonly rssMib: number;
}

/** Up to a thousand clusters of ten nodes, with cloud, control planes and nodes in other processes: what Fairway itself takes. */
export async function benchGrowth(print: (text: string) => void): Promise<void> {
  const projects = Math.ceil(CLUSTERS / CLUSTERS_OF_A_PROJECT);
  await using fairway = await GrowingFairway.start(projects, NODES);
  await sleep(SETTLE_MS / 9);
  const empty = await fairway.liveMemory();
  const steps: Step[] = [];
  for (let made = 0; made < CLUSTERS; made += STEP) {
    const step = await grow(fairway, made, Math.min(made + STEP, CLUSTERS));
    steps.push(step);
    print(
      `${step.clusters} clusters: ${step.seconds.toFixed(1)} s, ${step.cpuMsPerCluster.toFixed(0)} ms of CPU each, ${step.rssMib.toFixed(0)} MiB; the world ${(fairway.worldUsage.rssBytes / MIB).toFixed(0)} MiB`,
    );
  }
  await sleep(SETTLE_MS);
  const idle = await atRest(fairway);
  const full = await fairway.liveMemory();
  const start = await startAgain(fairway);
  const [first, last] = [steps[0], steps.at(-1)];
  const figures: Figure[] = [
    {
      name: `memory per idle cluster of ${NODES} nodes, after a full collection`,
      unit: 'MiB',
      value: (full.heapBytes - empty.heapBytes) / MIB / CLUSTERS,
      goal: { kind: 'at-most', value: 1 },
    },
    { name: 'resident memory per idle cluster', unit: 'MiB', value: (full.rssBytes - empty.rssBytes) / MIB / CLUSTERS },
    { name: 'resident memory without clusters', unit: 'MiB', value: empty.rssBytes / MIB },
    {
      name: `CPU, ${CLUSTERS} idle clusters`,
      unit: '% of a core',
      value: idle.cpuPercent,
      goal: { kind: 'at-most', value: 20 },
    },
    {
      name: `OpenStack calls, ${CLUSTERS} idle clusters in ${projects} projects`,
      unit: 'per minute',
      value: idle.callsPerMinute,
      goal: { kind: 'at-most', value: 120 },
    },
    {
      name: `CPU to create one: the last ${STEP}, beside the first`,
      unit: 'ms',
      value: last?.cpuMsPerCluster ?? Number.NaN,
      peer: first?.cpuMsPerCluster,
      goal: { kind: 'ratio-at-most', value: 1.15 },
    },
    {
      name: 'killed and started: first reconcile',
      unit: 's',
      value: start.firstMs / 1000,
      goal: { kind: 'at-most', value: 5 },
    },
    {
      name: 'killed and started: all clusters compared',
      unit: 's',
      value: start.allMs / 1000,
      goal: { kind: 'at-most', value: 60 },
    },
  ];
  print(formatFigures(`${CLUSTERS} clusters of ${NODES} nodes, Fairway's own process`, figures, 'first'));
}

async function grow(fairway: GrowingFairway, from: number, to: number): Promise<Step> {
  const before = { ...fairway.usage, atMs: performance.now() };
  let next = from;
  const lane = async () => {
    while (next < to) {
      const number = next++;
      await fairway.create(`growth-${number}`, entryOf(Math.floor(number / CLUSTERS_OF_A_PROJECT)));
    }
  };
  await Promise.all(Array.from({ length: CREATED_AT_A_TIME }, lane));
  const after = fairway.usage;
  return {
    clusters: to,
    seconds: (performance.now() - before.atMs) / 1000,
    cpuMsPerCluster: (after.cpuMs - before.cpuMs) / (to - from),
    rssMib: after.rssBytes / MIB,
  };
}

async function atRest(fairway: GrowingFairway): Promise<{ cpuPercent: number; callsPerMinute: number }> {
  const before = { ...fairway.usage, calls: await fairway.calls.counts(), atMs: performance.now() };
  await sleep(MEASURE_MS);
  const after = { ...fairway.usage, calls: await fairway.calls.counts(), atMs: performance.now() };
  const elapsedMs = after.atMs - before.atMs;
  return {
    cpuPercent: (100 * (after.cpuMs - before.cpuMs)) / elapsedMs,
    callsPerMinute: (totalOf(difference(before.calls, after.calls)) * 60_000) / elapsedMs,
  };
}

/** All are compared when each Cluster was reconciled and nothing waits in the controller's queue. */
async function startAgain(fairway: GrowingFairway): Promise<{ firstMs: number; allMs: number }> {
  const begin = performance.now();
  await fairway.restart();
  let firstMs: number | undefined;
  while (performance.now() - begin < COMPARE_TIMEOUT_MS) {
    const { reconciles, waiting } = await fairway.progressOf('cluster');
    if (reconciles > 0) firstMs ??= performance.now() - begin;
    if (firstMs !== undefined && reconciles >= CLUSTERS && waiting === 0) {
      return { firstMs, allMs: performance.now() - begin };
    }
    await sleep(100);
  }
  return { firstMs: firstMs ?? Number.NaN, allMs: Number.NaN };
}
