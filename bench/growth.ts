import { freemem, totalmem } from 'node:os';
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
/** Clusters created per step. */
const STEP = Math.min(100, Math.ceil(CLUSTERS / 4));
const SETTLE_MS = 90_000;
const MEASURE_MS = 120_000;
const COMPARE_TIMEOUT_MS = 600_000;
/** Time limit of a scrape: a thousand clusters have many metrics. */
const POLL_INTERVAL_MS = 200;
/** Growth stops if the machine has less than this left. */
const SPARE_MIB = 2048;
/** Time limit for a batch of creations. */
const SPARE_FILES = 400;
const MIB = 1024 * 1024;

/** One step of growth, measured in Fairway's process. */
interface Step {
  /** Number of clusters after the step, and how many it created. */
  readonly clusters: number;
  readonly made: number;
  readonly seconds: number;
  readonly cpuMsPerCluster: number;
  readonly rssMib: number;
  readonly worldMib: number;
  /** Why growth stopped here. */
  readonly obstacle: string | undefined;
}

/** Up to a thousand clusters of ten nodes, with cloud, control planes and nodes in other processes: measures Fairway alone. */
export async function benchGrowth(print: (text: string) => void): Promise<void> {
  const projects = Math.ceil(CLUSTERS / CLUSTERS_OF_A_PROJECT);
  await using fairway = await GrowingFairway.start(projects, NODES);
  await sleep(SETTLE_MS / 9);
  const empty = await fairway.liveMemory();
  const emptyWorldMib = fairway.worldUsage.rssBytes / MIB;
  const steps = await growAll(fairway, print);
  const [first, last] = [steps[0], steps.at(-1)];
  const clusters = last?.clusters ?? 0;
  if (first === undefined || last === undefined || clusters === 0) return;
  await sleep(SETTLE_MS);
  const worldMib = fairway.worldUsage.rssBytes / MIB;
  const idle = await partOf(print, 'the measurement at rest', () => atRest(fairway));
  if (idle) print(`at rest, calls per minute: ${idle.mostCalled.join(', ')}`);
  const full = await partOf(print, 'the measurement of memory', () => fairway.liveMemory());
  const start = await partOf(print, 'the restart', () => startAgain(fairway, clusters));
  const figures: Figure[] = [
    {
      name: `memory per idle cluster of ${NODES} nodes, after a full collection`,
      unit: 'MiB',
      value: full ? (full.heapBytes - empty.heapBytes) / MIB / clusters : Number.NaN,
      goal: { kind: 'at-most', value: 1 },
    },
    {
      name: 'resident memory per idle cluster',
      unit: 'MiB',
      value: full ? (full.rssBytes - empty.rssBytes) / MIB / clusters : Number.NaN,
    },
    { name: 'resident memory without clusters', unit: 'MiB', value: empty.rssBytes / MIB },
    {
      name: `CPU, ${clusters} idle clusters`,
      unit: '% of a core',
      value: idle?.cpuPercent ?? Number.NaN,
      goal: { kind: 'at-most', value: 20 },
    },
    {
      name: `OpenStack calls, ${clusters} idle clusters in ${Math.ceil(clusters / CLUSTERS_OF_A_PROJECT)} projects`,
      unit: 'per minute',
      value: idle?.callsPerMinute ?? Number.NaN,
      goal: { kind: 'at-most', value: 120 },
    },
    {
      name: `CPU to create one: the last ${STEP}, beside the first`,
      unit: 'ms',
      value: last.cpuMsPerCluster,
      peer: first.cpuMsPerCluster,
      goal: { kind: 'ratio-at-most', value: 1.15 },
    },
    {
      name: '  without what those took meanwhile that were there',
      unit: 'ms',
      value: ofCreationAlone(last, idle, clusters),
      peer: ofCreationAlone(first, idle, clusters),
      goal: { kind: 'ratio-at-most', value: 1.15 },
    },
    {
      name: 'killed and started: first reconcile',
      unit: 's',
      value: (start?.firstMs ?? Number.NaN) / 1000,
      goal: { kind: 'at-most', value: 5 },
    },
    {
      name: 'killed and started: all clusters compared',
      unit: 's',
      value: (start?.allMs ?? Number.NaN) / 1000,
      goal: { kind: 'at-most', value: 60 },
    },
    {
      name: 'the world: resident memory per idle cluster',
      unit: 'MiB',
      value: (worldMib - emptyWorldMib) / clusters,
      goal: { kind: 'at-most', value: 12 },
    },
    { name: 'the world: CPU', unit: '% of a core', value: idle?.worldCpuPercent ?? Number.NaN },
  ];
  print(formatFigures(`${clusters} clusters of ${NODES} nodes, Fairway's own process`, figures, 'first'));
}

/** Grows step by step to the requested number or until something stops it. */
async function growAll(fairway: GrowingFairway, print: (text: string) => void): Promise<Step[]> {
  const steps: Step[] = [];
  let worldMib = fairway.worldUsage.rssBytes / MIB;
  for (let made = 0; made < CLUSTERS; made += STEP) {
    const step = await grow(fairway, made, Math.min(made + STEP, CLUSTERS));
    const { clusters, seconds, cpuMsPerCluster, rssMib, obstacle } = step;
    if (clusters > made) {
      steps.push(step);
      const each = (step.worldMib - worldMib) / (clusters - made);
      print(
        `${clusters} clusters: ${seconds.toFixed(1)} s, ${cpuMsPerCluster.toFixed(0)} ms of CPU each, ${rssMib.toFixed(0)} MiB; the world ${step.worldMib.toFixed(0)} MiB, ${each.toFixed(1)} MiB each`,
      );
    }
    if (obstacle !== undefined) {
      print(`stopped at ${clusters} clusters: ${obstacle}`);
      break;
    }
    worldMib = step.worldMib;
  }
  return steps;
}

async function grow(fairway: GrowingFairway, from: number, to: number): Promise<Step> {
  const before = { ...fairway.usage, atMs: performance.now() };
  let next = from;
  let made = from;
  let obstacle: string | undefined;
  const lane = async () => {
    while (next < to && obstacle === undefined) {
      obstacle ??= shortageOf(fairway);
      if (obstacle !== undefined) return;
      const number = next++;
      try {
        await fairway.create(`growth-${number}`, entryOf(Math.floor(number / CLUSTERS_OF_A_PROJECT)));
        made++;
      } catch (error) {
        obstacle ??= error instanceof Error ? error.message : String(error);
      }
    }
  };
  await Promise.all(Array.from({ length: CREATED_AT_A_TIME }, lane));
  const after = fairway.usage;
  return {
    clusters: made,
    made: made - from,
    seconds: (performance.now() - before.atMs) / 1000,
    cpuMsPerCluster: (after.cpuMs - before.cpuMs) / Math.max(1, made - from),
    rssMib: after.rssBytes / MIB,
    worldMib: fairway.worldUsage.rssBytes / MIB,
    obstacle,
  };
}

/** The resource that the machine is about to run out of. */
function shortageOf(fairway: GrowingFairway): string | undefined {
  const { open, limit } = fairway.openFiles ?? { open: 0, limit: Number.POSITIVE_INFINITY };
  if (open + SPARE_FILES > limit)
    return `Fairway has ${open} files and sockets open, and may have ${limit} (ulimit -Hn)`;
  const leftMib = freemem() / MIB;
  if (leftMib >= SPARE_MIB) return undefined;
  const [world, total] = [fairway.worldUsage.rssBytes / MIB, totalmem() / MIB];
  return `the world takes ${world.toFixed(0)} MiB of ${total.toFixed(0)}, and ${leftMib.toFixed(0)} are left`;
}

/** CPU per cluster of a step in ms, less that of idle clusters in the same time, estimated from the end. */
function ofCreationAlone({ made, clusters, seconds, cpuMsPerCluster }: Step, idle: AtRest | undefined, atEnd: number) {
  const share = (clusters - made / 2) / atEnd;
  return cpuMsPerCluster - ((idle?.cpuPercent ?? Number.NaN) * share * seconds * 10) / made;
}

/** A failing part does not discard other figures. */
async function partOf<T>(
  print: (text: string) => void,
  what: string,
  measure: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await measure();
  } catch (error) {
    print(`${what} failed: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

interface AtRest {
  readonly cpuPercent: number;
  readonly worldCpuPercent: number;
  readonly callsPerMinute: number;
  /** The most frequent ones: `network GET /v2.0/ports`, per minute. */
  readonly mostCalled: readonly string[];
}

const MOST_CALLED = 6;

async function atRest(fairway: GrowingFairway): Promise<AtRest> {
  const look = async () => ({
    ...fairway.usage,
    worldCpuMs: fairway.worldUsage.cpuMs,
    calls: await fairway.calls.counts(),
    atMs: performance.now(),
  });
  const before = await look();
  await sleep(MEASURE_MS);
  const after = await look();
  const elapsedMs = after.atMs - before.atMs;
  const calls = difference(before.calls, after.calls);
  const perMinute = (count: number) => (count * 60_000) / elapsedMs;
  return {
    cpuPercent: (100 * (after.cpuMs - before.cpuMs)) / elapsedMs,
    worldCpuPercent: (100 * (after.worldCpuMs - before.worldCpuMs)) / elapsedMs,
    callsPerMinute: perMinute(totalOf(calls)),
    mostCalled: [...calls]
      .sort(([, a], [, b]) => b - a)
      .slice(0, MOST_CALLED)
      .map(([call, count]) => `${call} ${perMinute(count).toFixed(1)}`),
  };
}

/** The resync is complete when each Cluster was reconciled and the controller's queue is empty. */
async function startAgain(fairway: GrowingFairway, clusters: number): Promise<{ firstMs: number; allMs: number }> {
  const begin = performance.now();
  await fairway.restart();
  let firstMs: number | undefined;
  while (performance.now() - begin < COMPARE_TIMEOUT_MS) {
    const { reconciles, waiting } = await fairway.progressOf('cluster');
    if (reconciles > 0) firstMs ??= performance.now() - begin;
    if (firstMs !== undefined && reconciles >= clusters && waiting === 0) {
      return { firstMs, allMs: performance.now() - begin };
    }
    await sleep(POLL_INTERVAL_MS);
  }
  return { firstMs: firstMs ?? Number.NaN, allMs: Number.NaN };
}
