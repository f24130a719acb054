import { freemem, totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Figure, formatFigures } from './figures.ts';
import { GrowingFairway } from './growth/growing-fairway.ts';
import { projectName } from './growth/projects.ts';
import { difference, totalOf } from './product/simulator-calls.ts';

/** `GROWTH_CLUSTERS=200` reduces the number of clusters. */
const CLUSTERS = Number(process.env['GROWTH_CLUSTERS'] ?? 1000);
const NODES = 10;
const CLUSTERS_PER_PROJECT = 10;
const CREATE_CONCURRENCY = 5;
/** Clusters created per step. */
const CLUSTERS_PER_STEP = Math.min(100, Math.ceil(CLUSTERS / 4));
const SETTLE_MS = 90_000;
const MEASURE_MS = 120_000;
const RESYNC_TIMEOUT_MS = 600_000;
/** Interval of metrics scrapes during a resync: a thousand clusters have many metrics. */
const POLL_INTERVAL_MS = 200;
/** Growth stops if the machine has less free memory than this. */
const MIN_FREE_MIB = 2048;
/** Growth stops if Fairway can open fewer additional files than this. */
const MIN_FREE_FILES = 400;
const MIB = 1024 * 1024;

/** One step of growth, measured in Fairway's process. */
interface Step {
  /** Number of clusters after the step, and how many of them the step created. */
  readonly clusters: number;
  readonly created: number;
  readonly seconds: number;
  readonly cpuMsPerCluster: number;
  readonly rssMib: number;
  readonly environmentMib: number;
  /** Why growth stopped here. */
  readonly stopReason: string | undefined;
}

/**
 * Creates up to a thousand clusters of ten nodes. Cloud, control planes and nodes run in other processes, to measure
 * Fairway alone.
 */
export async function benchGrowth(print: (text: string) => void): Promise<void> {
  const projects = Math.ceil(CLUSTERS / CLUSTERS_PER_PROJECT);
  await using fairway = await GrowingFairway.start(projects, NODES);
  await sleep(SETTLE_MS / 9);
  const empty = await fairway.liveMemory();
  const emptyEnvironmentMib = fairway.environmentUsage.rssBytes / MIB;
  const steps = await growAll(fairway, print);
  const [first, last] = [steps[0], steps.at(-1)];
  const clusters = last?.clusters ?? 0;
  if (first === undefined || last === undefined || clusters === 0) return;
  await sleep(SETTLE_MS);
  const environmentMib = fairway.environmentUsage.rssBytes / MIB;
  const idle = await tryMeasure(print, 'the idle measurement', () => measureIdle(fairway));
  if (idle) print(`idle, calls per minute: ${idle.topCalls.join(', ')}`);
  const full = await tryMeasure(print, 'the measurement of memory', () => fairway.liveMemory());
  const start = await tryMeasure(print, 'the restart', () => measureRestart(fairway, clusters));
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
      name: `OpenStack calls, ${clusters} idle clusters in ${Math.ceil(clusters / CLUSTERS_PER_PROJECT)} projects`,
      unit: 'per minute',
      value: idle?.callsPerMinute ?? Number.NaN,
      goal: { kind: 'at-most', value: 120 },
    },
    {
      name: `CPU to create one: the last ${CLUSTERS_PER_STEP}, compared with the first`,
      unit: 'ms',
      value: last.cpuMsPerCluster,
      peer: first.cpuMsPerCluster,
      goal: { kind: 'ratio-at-most', value: 1.15 },
    },
    {
      name: '  without the cost of existing clusters in that time',
      unit: 'ms',
      value: creationCpuMs(last, idle, clusters),
      peer: creationCpuMs(first, idle, clusters),
      goal: { kind: 'ratio-at-most', value: 1.15 },
    },
    {
      name: 'killed and started: first reconcile',
      unit: 's',
      value: (start?.firstReconcileMs ?? Number.NaN) / 1000,
      goal: { kind: 'at-most', value: 5 },
    },
    {
      name: 'killed and started: all clusters compared',
      unit: 's',
      value: (start?.resyncMs ?? Number.NaN) / 1000,
      goal: { kind: 'at-most', value: 60 },
    },
    {
      name: 'environment: resident memory per idle cluster',
      unit: 'MiB',
      value: (environmentMib - emptyEnvironmentMib) / clusters,
      goal: { kind: 'at-most', value: 12 },
    },
    { name: 'environment: CPU', unit: '% of a core', value: idle?.environmentCpuPercent ?? Number.NaN },
  ];
  print(formatFigures(`${clusters} clusters of ${NODES} nodes, Fairway's own process`, figures, 'first'));
}

/** Grows step by step to the requested number or until something stops it. */
async function growAll(fairway: GrowingFairway, print: (text: string) => void): Promise<Step[]> {
  const steps: Step[] = [];
  let environmentMib = fairway.environmentUsage.rssBytes / MIB;
  for (let created = 0; created < CLUSTERS; created += CLUSTERS_PER_STEP) {
    const step = await grow(fairway, created, Math.min(created + CLUSTERS_PER_STEP, CLUSTERS));
    const { clusters, seconds, cpuMsPerCluster, rssMib, stopReason } = step;
    if (clusters > created) {
      steps.push(step);
      const each = (step.environmentMib - environmentMib) / (clusters - created);
      print(
        `${clusters} clusters: ${seconds.toFixed(1)} s, ${cpuMsPerCluster.toFixed(0)} ms of CPU each, ${rssMib.toFixed(0)} MiB; environment ${step.environmentMib.toFixed(0)} MiB, ${each.toFixed(1)} MiB each`,
      );
    }
    if (stopReason !== undefined) {
      print(`stopped at ${clusters} clusters: ${stopReason}`);
      break;
    }
    environmentMib = step.environmentMib;
  }
  return steps;
}

async function grow(fairway: GrowingFairway, from: number, to: number): Promise<Step> {
  const before = { ...fairway.usage, atMs: performance.now() };
  let next = from;
  let created = from;
  let stopReason: string | undefined;
  const lane = async () => {
    while (next < to && stopReason === undefined) {
      stopReason ??= shortageOf(fairway);
      if (stopReason !== undefined) return;
      const number = next++;
      try {
        await fairway.create(`growth-${number}`, projectName(Math.floor(number / CLUSTERS_PER_PROJECT)));
        created++;
      } catch (error) {
        stopReason ??= error instanceof Error ? error.message : String(error);
      }
    }
  };
  await Promise.all(Array.from({ length: CREATE_CONCURRENCY }, lane));
  const after = fairway.usage;
  return {
    clusters: created,
    created: created - from,
    seconds: (performance.now() - before.atMs) / 1000,
    cpuMsPerCluster: (after.cpuMs - before.cpuMs) / Math.max(1, created - from),
    rssMib: after.rssBytes / MIB,
    environmentMib: fairway.environmentUsage.rssBytes / MIB,
    stopReason,
  };
}

/** Describes the resource that the machine is about to run out of. */
function shortageOf(fairway: GrowingFairway): string | undefined {
  const { open, limit } = fairway.openFiles ?? { open: 0, limit: Number.POSITIVE_INFINITY };
  if (open + MIN_FREE_FILES > limit)
    return `Fairway has ${open} files and sockets open, and may have ${limit} (ulimit -Hn)`;
  const freeMib = freemem() / MIB;
  if (freeMib >= MIN_FREE_MIB) return undefined;
  const [environment, total] = [fairway.environmentUsage.rssBytes / MIB, totalmem() / MIB];
  return `the environment takes ${environment.toFixed(0)} MiB of ${total.toFixed(0)}, and ${freeMib.toFixed(0)} are left`;
}

/**
 * CPU per cluster that a step created, in ms, excluding the CPU used by idle clusters during that time, which is
 * estimated from the final idle usage.
 */
function creationCpuMs(
  { created, clusters, seconds, cpuMsPerCluster }: Step,
  idle: IdleUsage | undefined,
  finalClusters: number,
) {
  const share = (clusters - created / 2) / finalClusters;
  return cpuMsPerCluster - ((idle?.cpuPercent ?? Number.NaN) * share * seconds * 10) / created;
}

/** Runs one part of the measurement; if it fails, the figures of the other parts are kept. */
async function tryMeasure<T>(
  print: (text: string) => void,
  label: string,
  measure: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await measure();
  } catch (error) {
    print(`${label} failed: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  }
}

interface IdleUsage {
  readonly cpuPercent: number;
  readonly environmentCpuPercent: number;
  readonly callsPerMinute: number;
  /** The most frequent calls per minute, such as `network GET /v2.0/ports`. */
  readonly topCalls: readonly string[];
}

const MAX_TOP_CALLS = 6;

async function measureIdle(fairway: GrowingFairway): Promise<IdleUsage> {
  const sampleUsage = async () => ({
    ...fairway.usage,
    worldCpuMs: fairway.environmentUsage.cpuMs,
    calls: await fairway.calls.counts(),
    atMs: performance.now(),
  });
  const before = await sampleUsage();
  await sleep(MEASURE_MS);
  const after = await sampleUsage();
  const elapsedMs = after.atMs - before.atMs;
  const calls = difference(before.calls, after.calls);
  const perMinute = (count: number) => (count * 60_000) / elapsedMs;
  return {
    cpuPercent: (100 * (after.cpuMs - before.cpuMs)) / elapsedMs,
    environmentCpuPercent: (100 * (after.worldCpuMs - before.worldCpuMs)) / elapsedMs,
    callsPerMinute: perMinute(totalOf(calls)),
    topCalls: [...calls]
      .sort(([, a], [, b]) => b - a)
      .slice(0, MAX_TOP_CALLS)
      .map(([call, count]) => `${call} ${perMinute(count).toFixed(1)}`),
  };
}

/** The resync is complete when each Cluster was reconciled and the controller's queue is empty. */
async function measureRestart(
  fairway: GrowingFairway,
  clusters: number,
): Promise<{ firstReconcileMs: number; resyncMs: number }> {
  const begin = performance.now();
  await fairway.restart();
  let firstReconcileMs: number | undefined;
  while (performance.now() - begin < RESYNC_TIMEOUT_MS) {
    const { reconciles, waiting } = await fairway.progressOf('cluster');
    if (reconciles > 0) firstReconcileMs ??= performance.now() - begin;
    if (firstReconcileMs !== undefined && reconciles >= clusters && waiting === 0) {
      return { firstReconcileMs, resyncMs: performance.now() - begin };
    }
    await sleep(POLL_INTERVAL_MS);
  }
  return { firstReconcileMs: firstReconcileMs ?? Number.NaN, resyncMs: Number.NaN };
}
