import { type Figure, formatFigures, median } from './figures.ts';
import { BenchFairway, NODES } from './product/fairway.ts';
import { type CallCounts, difference, totalOf } from './product/simulator-calls.ts';

const CLUSTERS = 5;

/** Measures latencies for users and the number of cloud calls, for a cluster with one pool of three nodes. */
export async function benchProduct(print: (text: string) => void): Promise<void> {
  const { figures, calls } = await measureQuickCloud();
  figures.push(...(await measureRealisticCloud()));
  print(formatFigures(`Product: a cluster of ${NODES} nodes`, figures));
  for (const [title, counts] of Object.entries(calls)) print(`${title}\n${formatCalls(counts)}\n`);
}

async function measureQuickCloud(): Promise<{ figures: Figure[]; calls: Record<string, CallCounts> }> {
  await using fairway = await BenchFairway.start('none');
  // The first cluster pays for shared work: getting the token, flavors and images, and compiling code.
  const firstCreateMs = await fairway.create('first');
  const times: number[] = [];
  const deletions: number[] = [];
  const created: CallCounts[] = [];
  const deleted: CallCounts[] = [];
  for (let index = 0; index < CLUSTERS; index++) {
    const name = `bench-${index}`;
    const before = await fairway.calls.counts();
    times.push(await fairway.create(name));
    const afterCreate = await fairway.calls.counts();
    deletions.push(await fairway.delete(name));
    const after = await fairway.calls.counts();
    created.push(difference(before, afterCreate));
    deleted.push(difference(afterCreate, after));
  }
  const figures: Figure[] = [
    { name: 'start of Fairway on an empty folder', unit: 's', value: fairway.startMs / 1000 },
    { name: 'apply to all Ready, cloud without latency, first', unit: 's', value: firstCreateMs / 1000 },
    {
      name: 'apply to all Ready, cloud without latency',
      unit: 's',
      value: median(times) / 1000,
      goal: { kind: 'at-most', value: 1 },
    },
    { name: 'delete to gone, cloud without latency', unit: 's', value: median(deletions) / 1000 },
    {
      name: 'OpenStack calls to create',
      unit: 'calls',
      value: median(created.map(totalOf)),
      goal: { kind: 'at-most', value: 25 },
    },
    {
      name: 'OpenStack calls to delete',
      unit: 'calls',
      value: median(deleted.map(totalOf)),
      goal: { kind: 'at-most', value: 20 },
    },
  ];
  const calls = { 'Calls of the last create:': created.at(-1), 'Calls of the last delete:': deleted.at(-1) };
  return { figures, calls: calls as Record<string, CallCounts> };
}

async function measureRealisticCloud(): Promise<Figure[]> {
  await using fairway = await BenchFairway.start('steady');
  const before = await fairway.calls.counts();
  // Both run concurrently, because they mostly wait.
  const [readyMs, bareMs] = await Promise.all([fairway.create('bench'), fairway.bareCloudMs()]);
  const calls = totalOf(difference(before, await fairway.calls.counts()));
  return [
    { name: 'apply to all Ready, realistic latency', unit: 's', value: readyMs / 1000 },
    { name: 'of which direct OpenStack calls, without Fairway', unit: 's', value: bareMs / 1000 },
    {
      name: 'share that Fairway adds',
      unit: '%',
      value: (100 * (readyMs - bareMs)) / bareMs,
      goal: { kind: 'at-most', value: 5 },
    },
    { name: 'OpenStack calls, by hand included', unit: 'calls', value: calls },
  ];
}

function formatCalls(counts: CallCounts): string {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([call, count]) => `  ${count} × ${call}`)
    .join('\n');
}
