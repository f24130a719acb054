import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  ClusterRoleBindings,
  ClusterRoles,
  ConfigMaps,
  Namespaces,
  ServiceAccounts,
} from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { FAN_OUT_NAMESPACE, type FanOut, measureFanOut } from './api-server/fan-out.ts';
import { OBJECTS_PER_NAMESPACE, type Plural } from './api-server/objects.ts';
import { enforcePolicy } from './api-server/policy.ts';
import type { Verb } from './api-server/protocol.ts';
import { BENCH_USER, type BenchServer, createPki, findPeer, startEmbedded, startPeer } from './api-server/servers.ts';
import { Workers } from './api-server/workers.ts';
import { type Figure, formatFigures, GOALS, median, quantile } from './figures.ts';
import { usageOf } from './process-usage.ts';

const WORKERS = 2;
const CONNECTIONS_PER_WORKER = 16;
const OBJECTS_PER_KIND = 5_000;
const CREATES_PER_ROUND = 1_250;
const ROUNDS = 3;
const ROUND_MS = 600;
/** Time allowed for both servers to return unused memory to the system. */
const SETTLE_MS = 8_000;
const MIB = 1024 * 1024;
/** Above this share of a core, the client is reported as the bottleneck. */
const BUSY_SHARE = 0.85;

interface Round {
  readonly perSecond: number;
  readonly p99Ms: number;
  /** CPU time of the server's processes. */
  readonly cpuMsPerRequest: number;
  /** CPU usage of one worker, as a share of a core. */
  readonly clientShare: number;
}

type Measurements = Map<string, Round[]>;

/**
 * Compares the embedded API server with kube-apiserver and etcd. Rounds alternate between the two servers, with the
 * same load from the same clients.
 */
export async function benchApiServer(print: (text: string) => void): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'fairway-bench-'));
  const workers = new Workers(WORKERS + 1);
  const servers: BenchServer[] = [];
  try {
    const pki = await createPki();
    servers.push(await startEmbedded(folder, pki));
    const peer = findPeer(process.env);
    if ('missing' in peer) {
      const names = peer.missing.join(' and ');
      print(`No peer to compare with: ${names} not found in KUBEBUILDER_ASSETS or on PATH.\n`);
    } else {
      servers.push(await startPeer(folder, pki, peer));
    }
    const figures = await measure(servers, workers);
    const title = `API server: ${servers.map(({ name, version }) => `${name} ${version}`).join(', ')}`;
    print(formatFigures(title, figures, servers[1]?.name));
  } finally {
    workers.close();
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(servers: readonly BenchServer[], workers: Workers): Promise<Figure[]> {
  for (const server of servers) await prepare(server);
  await sleep(SETTLE_MS);
  const idle = servers.map(({ pids }) => usageOf(pids).rssBytes / MIB);
  const measurements = servers.map((): Measurements => new Map());
  const plurals = ['configmaps', 'pods'] as const;
  for (const plural of plurals) {
    for (let from = 0; from < OBJECTS_PER_KIND; from += CREATES_PER_ROUND) {
      await runRound(servers, workers, measurements, 'create', plural, { from, to: from + CREATES_PER_ROUND });
    }
  }
  await sleep(SETTLE_MS);
  const loaded = servers.map(({ pids }) => usageOf(pids).rssBytes / MIB);
  for (const plural of plurals) {
    for (const verb of ['get', 'list', 'patch'] as const) {
      for (let round = 0; round < ROUNDS; round++) {
        await runRound(servers, workers, measurements, verb, plural, { from: 0, to: OBJECTS_PER_KIND });
      }
    }
  }
  const fanOuts: FanOut[][] = [];
  for (const watches of [100, 1000]) {
    const results: FanOut[] = [];
    for (const server of servers) {
      results.push(await measureFanOut(server, workers, watches));
    }
    fanOuts.push(results);
  }
  for (const server of servers) await enforcePolicy(server);
  const policyMeasurements = servers.map((): Measurements => new Map());
  for (let round = 0; round < ROUNDS; round++) {
    const from = OBJECTS_PER_KIND + round * CREATES_PER_ROUND;
    await runRound(servers, workers, policyMeasurements, 'create', 'configmaps', {
      from,
      to: from + CREATES_PER_ROUND,
    });
  }
  return [
    newFigure(
      'start',
      's',
      servers.map(({ startMs }) => startMs / 1000),
    ),
    ...plurals.flatMap((plural) =>
      (['create', 'get', 'list', 'patch'] as const).flatMap((verb) => verbFigures(measurements, verb, plural)),
    ),
    ...verbFigures(policyMeasurements, 'create', 'configmaps', 'create configmaps, one policy matches'),
    ...fanOuts.flatMap(fanOutFigures),
    { ...newFigure('memory, idle', 'MiB', idle), goal: GOALS.memory },
    { ...newFigure('memory, 10,000 objects', 'MiB', loaded), goal: GOALS.memory },
  ];
}

async function prepare({ admin }: BenchServer): Promise<void> {
  const count = Math.ceil((OBJECTS_PER_KIND + ROUNDS * CREATES_PER_ROUND) / OBJECTS_PER_NAMESPACE);
  const names = [...Array.from({ length: count }, (_, index) => `bench-${index}`), FAN_OUT_NAMESPACE];
  for (const name of names) {
    const namespace: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await admin.resource<KubeObject>(Namespaces).create(namespace);
    // Pods need the ServiceAccount; its controller is not part of the server.
    const metadata = { name: 'default', namespace: name };
    await admin.resource(ServiceAccounts).create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  }
  await admin.resource(ConfigMaps).create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'beacon', namespace: FAN_OUT_NAMESPACE },
    data: { text: 'x'.repeat(512) },
  });
  await admin.resource(ClusterRoles).create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'bench' },
    rules: [{ apiGroups: [''], resources: ['configmaps', 'pods'], verbs: ['*'] }],
  });
  await admin.resource(ClusterRoleBindings).create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'bench' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'bench' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: BENCH_USER }],
  });
}

/** Runs one round on each server; the order alternates between rounds. */
async function runRound(
  servers: readonly BenchServer[],
  { all }: Workers,
  measurements: readonly Measurements[],
  verb: Verb,
  plural: Plural,
  range: { readonly from: number; readonly to: number },
): Promise<void> {
  const key = `${verb} ${plural}`;
  const completedRounds = measurements[0]?.get(key)?.length ?? 0;
  const order = [...servers.keys()];
  if (completedRounds % 2 === 1) order.reverse();
  const loaders = all.slice(0, WORKERS);
  for (const at of order) {
    const server = servers[at] as BenchServer;
    await Promise.all(loaders.map((worker) => worker.run({ type: 'target', target: server.target })));
    const before = usageOf(server.pids).cpuMs;
    const results = await Promise.all(
      loaders.map((worker, index) =>
        worker.run({
          type: 'load',
          verb,
          plural,
          range: shareOf(range, index),
          concurrency: CONNECTIONS_PER_WORKER,
          durationMs: verb === 'create' ? 60_000 : ROUND_MS,
        }),
      ),
    );
    const count = results.reduce((sum, result) => sum + result.count, 0);
    const round: Round = {
      perSecond: results.reduce((sum, { count, elapsedMs }) => sum + (count * 1000) / elapsedMs, 0),
      p99Ms: quantile(
        results.flatMap(({ latenciesMs }) => latenciesMs).toSorted((a, b) => a - b),
        0.99,
      ),
      cpuMsPerRequest: (usageOf(server.pids).cpuMs - before) / count,
      clientShare: Math.max(...results.map(({ cpuMs, elapsedMs }) => cpuMs / elapsedMs)),
    };
    const rounds = measurements[at]?.get(key);
    if (rounds === undefined) measurements[at]?.set(key, [round]);
    else rounds.push(round);
  }
}

function shareOf({ from, to }: { readonly from: number; readonly to: number }, worker: number) {
  const size = (to - from) / WORKERS;
  return { from: from + worker * size, to: from + (worker + 1) * size };
}

function verbFigures(measurements: readonly Measurements[], verb: Verb, plural: Plural, title?: string): Figure[] {
  const label = title ?? (verb === 'list' ? `list ${OBJECTS_PER_NAMESPACE} ${plural}` : `${verb} ${plural}`);
  const of = (pick: (round: Round) => number) =>
    measurements.map((rounds) => median(rounds.get(`${verb} ${plural}`)?.map(pick) ?? []));
  const busy = of(({ clientShare }) => clientShare).some((share) => share > BUSY_SHARE);
  return [
    {
      ...newFigure(
        busy ? `${label} (client busy)` : label,
        'per s',
        of(({ perSecond }) => perSecond),
      ),
      goal: GOALS.rate,
    },
    newFigure(
      `  ${verb} p99`,
      'ms',
      of(({ p99Ms }) => p99Ms),
    ),
    newFigure(
      `  ${verb} CPU of server`,
      'ms',
      of(({ cpuMsPerRequest }) => cpuMsPerRequest),
    ),
  ];
}

function fanOutFigures(results: readonly FanOut[]): Figure[] {
  const watches = results[0]?.watches ?? 0;
  const of = (pick: (result: FanOut) => number) => results.map(pick);
  const busy = of(({ clientShare }) => clientShare).some((share) => share > BUSY_SHARE);
  const label = `fan-out to ${watches} watches`;
  return [
    {
      ...newFigure(
        busy ? `${label} (client busy)` : label,
        'events/s',
        of((it) => it.perSecond),
      ),
      goal: GOALS.rate,
    },
    newFigure(
      `  p50 at ${Math.round(results[0]?.pacedPerSecond ?? 0)} events/s`,
      'ms',
      of((it) => it.p50Ms),
    ),
    newFigure(
      '  p99 at that rate',
      'ms',
      of((it) => it.p99Ms),
    ),
    newFigure(
      '  CPU of server per event',
      'µs',
      of((it) => it.cpuUsPerEvent),
    ),
  ];
}

function newFigure(name: string, unit: string, [value = Number.NaN, peer]: readonly number[]): Figure {
  return { name, unit, value, peer };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
