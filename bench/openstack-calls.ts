import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { Logger } from '@fairway/base/log';
import { eventually, eventuallyDeleted } from '@fairway/kube/testing/eventually';
import { type FairwayOnCloud, startFairwayOn } from '../tests/main-job/fairway-on-cloud.ts';
import { JOB_TARGETS, type JobCloud } from '../tests/main-job/job-clouds.ts';
import { median } from './figures.ts';

const NODES = 3;
const ADDED_NODES = 2;
const namespace = 'default';
const waitOptions = { deadlineMs: 300_000 };

/** One request to the cloud, as logged by Fairway's client. */
interface Call {
  readonly service: string;
  readonly method: string;
  readonly resource: string;
  readonly durationMs: number;
}

/** The requests to one cloud, by operation. */
interface Run {
  readonly cloud: string;
  readonly calls: ReadonlyMap<string, readonly Call[]>;
  readonly seconds: ReadonlyMap<string, number>;
}

/** Measures the OpenStack calls of each operation, on the simulator and, if the testbed is running, on a real cloud. */
export async function benchOpenStackCalls(print: (text: string) => void): Promise<void> {
  const runs: Run[] = [];
  for (const target of JOB_TARGETS) {
    if (target.isMissing) print(`${target.name}\n`);
    else runs.push(await runOn(target.name, await target.open()));
  }
  print(formatOperations(runs));
  print(formatTemplates(runs));
}

async function runOn(name: string, cloud: JobCloud): Promise<Run> {
  const seen: Call[] = [];
  const fairway = await startFairwayOn(cloud, { log: collector(seen) });
  const calls = new Map<string, readonly Call[]>();
  const seconds = new Map<string, number>();
  try {
    for (const [operation, perform] of Object.entries(operations(fairway, cloud))) {
      seen.length = 0;
      const begin = performance.now();
      await perform();
      calls.set(operation, [...seen]);
      seconds.set(operation, (performance.now() - begin) / 1000);
    }
  } finally {
    await fairway.close();
    await cloud.close();
  }
  return { cloud: name, calls, seconds };
}

function collector(calls: Call[]): Logger {
  const logger: Logger = {
    debug(fields, message) {
      if (message === 'called OpenStack') calls.push(fields as Call);
    },
    info() {},
    warn() {},
    error() {},
    child: () => logger,
  };
  return logger;
}

function operations({ api }: FairwayOnCloud, { flavor }: JobCloud): Record<string, () => Promise<void>> {
  const waitUntilReady = (count: number, isFresh: (name: string) => boolean = () => true) =>
    eventually(
      api.resource(machines),
      { namespace },
      (all) =>
        all.length === count &&
        all.every(({ metadata, status }) => status?.phase === 'Ready' && isFresh(metadata.name ?? '')),
      waitOptions,
    );
  return {
    [`create a cluster of ${NODES} nodes`]: async () => {
      const cluster: NewCluster = { metadata: { name: 'bench', namespace }, spec: {} };
      const pool: NewNodePool = {
        metadata: { name: 'bench', namespace },
        spec: { clusterName: 'bench', flavor, replicas: NODES },
      };
      await api.resource(clusters).create(cluster as Cluster);
      await api.resource(nodePools).create(pool as NodePool);
      await waitUntilReady(NODES);
    },
    [`scale up by ${ADDED_NODES}`]: async () => {
      const value = { spec: { replicas: NODES + ADDED_NODES } };
      await api.resource(nodePools).patch('bench', { type: 'merge', value }, { namespace });
      await waitUntilReady(NODES + ADDED_NODES);
    },
    [`scale down by ${ADDED_NODES}`]: async () => {
      const value = { spec: { replicas: NODES } };
      await api.resource(nodePools).patch('bench', { type: 'merge', value }, { namespace });
      await waitUntilReady(NODES);
    },
    'replace a machine': async () => {
      const { items } = await api.resource(machines).list({ namespace });
      const victim = items[0]?.metadata.name ?? '';
      await api.resource(machines).delete(victim, { namespace });
      await waitUntilReady(NODES, (name) => name !== victim);
    },
    [`delete a cluster of ${NODES} nodes`]: async () => {
      await api.resource(clusters).delete('bench', { namespace });
      await eventuallyDeleted(api.resource(clusters), { namespace, name: 'bench' }, waitOptions);
    },
  };
}

function formatOperations(runs: readonly Run[]): string {
  const names = [...(runs[0]?.calls.keys() ?? [])];
  const rows = names.map((name) => [
    name,
    ...runs.flatMap(({ calls, seconds }) => [`${calls.get(name)?.length ?? 0}`, (seconds.get(name) ?? 0).toFixed(1)]),
  ]);
  return table(['OpenStack calls', ...runs.flatMap(({ cloud }) => [cloud, 's'])], rows);
}

/** Formats the number and duration of each call. */
function formatTemplates(runs: readonly Run[]): string {
  const perRun = runs.map(({ calls }) =>
    Map.groupBy([...calls.values()].flat(), ({ service, method, resource }) => `${service} ${method} ${resource}`),
  );
  const names = [...new Set(perRun.flatMap((groups) => [...groups.keys()]))].sort();
  const rows = names.map((name) => [
    name,
    ...perRun.flatMap((groups) => {
      const group = groups.get(name) ?? [];
      return [
        `${group.length}`,
        group.length === 0 ? '' : median(group.map(({ durationMs }) => durationMs)).toFixed(0),
      ];
    }),
  ]);
  return table(['call', ...runs.flatMap(({ cloud }) => [cloud, 'median ms'])], rows);
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = header.map((text, column) => Math.max(text.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0))).join(' | ')} |`;
  const rule = `|${widths.map((width, column) => (column === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(header), rule, ...rows.map(line), ''].join('\n');
}
