import { type Figure, formatFigures, quantile } from './figures.ts';
import { usageOf } from './process-usage.ts';
import { BenchFairway, NODES } from './product/fairway.ts';
import { type CallCounts, difference, totalOf } from './product/simulator-calls.ts';

const CLUSTERS = 100;
const CREATE_CONCURRENCY = 5;
/** The free plan allows only a few clusters per tenant. */
const PLAN = 'standard';
/** Hollow clusters' garbage collectors keep running for a minute after the last change. */
const SETTLE_MS = 90_000;
const MEASURE_MS = 60_000;
const SAMPLE_INTERVAL_MS = 1_000;
const MIB = 1024 * 1024;

/** Measures the cost of idle clusters: the simulated cloud, all control planes and all nodes run in one process. */
export async function benchIdle(print: (text: string) => void): Promise<void> {
  await using fairway = await BenchFairway.start('none');
  const emptyBytes = usageOf([fairway.pid]).rssBytes;
  const begin = performance.now();
  let next = 0;
  const lane = async () => {
    while (next < CLUSTERS) await fairway.create(`idle-${next++}`, PLAN);
  };
  await Promise.all(Array.from({ length: CREATE_CONCURRENCY }, lane));
  const readyMs = performance.now() - begin;
  await sleep(SETTLE_MS);

  const before = { ...usageOf([fairway.pid]), calls: await fairway.calls.counts(), atMs: performance.now() };
  const sizes: number[] = [];
  while (performance.now() < before.atMs + MEASURE_MS) {
    await sleep(SAMPLE_INTERVAL_MS);
    sizes.push(usageOf([fairway.pid]).rssBytes / MIB);
  }
  const after = { ...usageOf([fairway.pid]), calls: await fairway.calls.counts(), atMs: performance.now() };
  const elapsedMs = after.atMs - before.atMs;
  const calls = difference(before.calls, after.calls);
  const sorted = sizes.toSorted((a, b) => a - b);
  const figures: Figure[] = [
    { name: `to all Ready, ${CREATE_CONCURRENCY} created at a time`, unit: 's', value: readyMs / 1000 },
    { name: 'memory without clusters', unit: 'MiB', value: emptyBytes / MIB },
    { name: 'memory, median', unit: 'MiB', value: quantile(sorted, 0.5), goal: { kind: 'at-most', value: 400 } },
    { name: 'memory, largest', unit: 'MiB', value: quantile(sorted, 1) },
    {
      name: 'CPU',
      unit: '% of a core',
      value: (100 * (after.cpuMs - before.cpuMs)) / elapsedMs,
      goal: { kind: 'at-most', value: 3 },
    },
    {
      name: 'OpenStack calls',
      unit: 'per minute',
      value: (totalOf(calls) * 60_000) / elapsedMs,
      goal: { kind: 'at-most', value: 60 },
    },
  ];
  print(formatFigures(`${CLUSTERS} idle clusters of ${NODES} nodes, simulated cloud and nodes included`, figures));
  print(formatCalls(calls));
}

function formatCalls(counts: CallCounts): string {
  return [...counts].map(([call, count]) => `  ${count} × ${call}\n`).join('');
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
