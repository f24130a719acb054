import { type UpgradeOptions, UpgradeRun } from '@fairway/controllers/testing/upgrade-run';
import { type Figure, formatFigures } from './figures.ts';
import { criticalPathMs } from './upgrade/critical-path.ts';
import { ExternalTimes } from './upgrade/external-times.ts';

const NODES = 100;
const CONCURRENCY = 10;

const UPGRADES: readonly { readonly name: string; readonly strategy: UpgradeOptions['strategy'] }[] = [
  { name: 'Rolling, maxSurge 1', strategy: { type: 'Rolling', maxSurge: 1, maxUnavailable: 0 } },
  { name: `Rolling, maxSurge ${CONCURRENCY}`, strategy: { type: 'Rolling', maxSurge: CONCURRENCY, maxUnavailable: 0 } },
  { name: 'InPlace, one by one', strategy: { type: 'InPlace' } },
  { name: `InPlace, ${CONCURRENCY} at a time`, strategy: { type: 'InPlace', maxUnavailable: CONCURRENCY } },
];

/**
 * Upgrades the nodes of a large cluster on a clock that stops while anything is running, to measure waiting times
 * rather than the machine's speed. The result is compared with the minimum for the same nodes, computed from the
 * cloud's times in the same run.
 */
export async function benchUpgrade(print: (text: string) => void): Promise<void> {
  for (const { name, strategy } of UPGRADES) {
    await using run = await UpgradeRun.prepare({ strategy, nodes: NODES, plan: 'standard' });
    await using times = await ExternalTimes.of(run);
    const { calls } = run.fairway.cloud;
    calls.reset();
    const cpu = process.cpuUsage();
    const { fromMs, toMs } = await run.upgrade();
    const { user, system } = process.cpuUsage(cpu);
    const { type, maxSurge = 1, maxUnavailable = 0 } = strategy;
    const width = Math.max(1, type === 'InPlace' ? maxUnavailable : maxSurge + maxUnavailable);
    const pathMs = criticalPathMs(times.nodes(), type, width);
    const elapsedMs = toMs - fromMs;
    const figures: Figure[] = [
      { name: 'upgrade of the nodes', unit: 'min', value: elapsedMs / 60_000 },
      { name: 'of which pods, cloud and kubelets', unit: 'min', value: pathMs / 60_000 },
      {
        name: 'share that Fairway adds',
        unit: '%',
        value: (100 * (elapsedMs - pathMs)) / pathMs,
        goal: { kind: 'at-most', value: 5 },
      },
      {
        name: 'OpenStack calls per node',
        unit: 'calls',
        value: calls.total / NODES,
        goal: { kind: 'at-most', value: 8 },
      },
      { name: 'CPU per node, cloud and API servers included', unit: 'ms', value: (user + system) / 1000 / NODES },
    ];
    print(formatFigures(`${name}: ${NODES} nodes`, figures));
    const sortedCounts = calls.counts().toSorted((a, b) => b.count - a.count);
    print(sortedCounts.map(({ count, method, template }) => `  ${count} × ${method} ${template}\n`).join(''));
  }
}
