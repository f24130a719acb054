import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { Informer } from '@fairway/kube/client/informer';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { openFilesOf, type Usage, usageOf } from '../process-usage.ts';
import { SimulatorCalls } from '../product/simulator-calls.ts';
import { fairwayEnv, fairwayFlags, serverEnv } from '../server-process.ts';
import type { FairwayProcessOptions, LiveMemory } from './fairway-process.ts';
import type { PlaneHostOptions } from './plane-host.ts';
import { entryOf } from './projects.ts';

/** Hosts of control planes and their nodes: a single heap could not hold those of a thousand clusters. */
const PLANE_HOSTS = 3;
/** A small young generation: the number of clusters matters, not their speed. */
const HOST_FLAGS = ['--max-old-space-size=6144', '--max-semi-space-size=4'];
const PLAN = 'standard';
const READY_TIMEOUT_MS = 600_000;

/** A Fairway, and the cloud, control planes and nodes that it manages, each in separate processes. */
export class GrowingFairway implements AsyncDisposable {
  readonly calls: SimulatorCalls;
  readonly #folder: string;
  readonly #world: readonly ChildProcess[];
  readonly #nodesOfEach: number;
  readonly #options: FairwayProcessOptions;
  #fairway: ChildProcess;
  #client: KubeClient;
  #following = new AbortController();
  readonly #readyNodes = new Map<string, number>();
  readonly #waiting = new Map<string, () => void>();
  readonly #losses = new Set<(error: Error) => void>();

  private constructor(parts: {
    readonly folder: string;
    readonly world: readonly ChildProcess[];
    readonly nodesOfEach: number;
    readonly options: FairwayProcessOptions;
    readonly fairway: ChildProcess;
    readonly client: KubeClient;
    readonly calls: SimulatorCalls;
  }) {
    this.#folder = parts.folder;
    this.#world = parts.world;
    this.#nodesOfEach = parts.nodesOfEach;
    this.#options = parts.options;
    this.#fairway = parts.fairway;
    this.#client = parts.client;
    this.calls = parts.calls;
    for (const child of [...parts.world, parts.fairway]) this.#watchOver(child);
  }

  static async start(projects: number, nodesOfEach: number): Promise<GrowingFairway> {
    const folder = mkdtempSync(join(tmpdir(), 'fairway-growth-'));
    const cloudsYaml = join(folder, 'clouds.yaml');
    const serversSocket = join(folder, 'servers.sock');
    const world = [await started('cloud-process.ts', [cloudsYaml, serversSocket, String(projects)], HOST_FLAGS)];
    const sockets = Array.from({ length: PLANE_HOSTS }, (_, index) => join(folder, `planes-${index}.sock`));
    for (const [index, socket] of sockets.entries()) {
      const at = { folder: join(folder, `planes-${index}`), socket, cloudsYaml, serversSocket };
      const host: PlaneHostOptions = { ...at, index, hosts: PLANE_HOSTS };
      world.push(await started('plane-host.ts', [JSON.stringify(host)], HOST_FLAGS));
    }
    const options = { home: join(folder, 'home'), cloudsYaml, sockets };
    const fairway = await startedFairway(options);
    const client = await clientOf(options.home);
    const calls = await SimulatorCalls.connect(cloudsYaml);
    const growing = new GrowingFairway({ folder, world, nodesOfEach, options, fairway, client, calls });
    for (let project = 0; project < projects; project++) {
      const metadata = { name: entryOf(project), annotations: { 'fairway.dev/cloud': entryOf(project) } };
      await client.resource(Namespaces).create({ metadata, spec: {} });
    }
    await growing.#follow();
    return growing;
  }

  /** Usage of Fairway's process alone. */
  get usage(): Usage {
    return usageOf(running([this.#fairway]));
  }

  get openFiles(): ReturnType<typeof openFilesOf> {
    return openFilesOf(this.#fairway.pid ?? 0);
  }

  /** Usage of the simulated cloud, control planes and nodes. */
  get worldUsage(): Usage {
    return usageOf(running(this.#world));
  }

  async liveMemory(): Promise<LiveMemory> {
    this.#fairway.send('memory');
    const [memory] = (await once(this.#fairway, 'message')) as [LiveMemory];
    return memory;
  }

  /** Resolves when the cluster and all its nodes are Ready. */
  async create(name: string, namespace: string): Promise<void> {
    const metadata = { name, namespace };
    await this.#client.resource(clusters).create({ metadata, spec: { plan: PLAN } } as Cluster);
    const spec = { clusterName: name, flavor: 'b3-8', replicas: this.#nodesOfEach };
    await this.#client.resource(nodePools).create({ metadata, spec } as NodePool);
    if (this.#readyNodes.get(name) === this.#nodesOfEach) return;
    const ready = Promise.withResolvers<void>();
    const timeout = () => ready.reject(new Error(`${name} is not Ready after ${READY_TIMEOUT_MS / 1000} s`));
    const timer = setTimeout(timeout, READY_TIMEOUT_MS);
    this.#waiting.set(name, ready.resolve);
    const lost = (error: Error) => ready.reject(error);
    this.#losses.add(lost);
    try {
      await ready.promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(name);
      this.#losses.delete(lost);
    }
  }

  /** Kills and restarts Fairway, while everything else keeps running. Resolves when its API serves. */
  async restart(): Promise<void> {
    this.#following.abort();
    this.#client.close();
    this.#fairway.kill('SIGKILL');
    await once(this.#fairway, 'exit');
    this.#fairway = await startedFairway(this.#options);
    this.#client = await clientOf(this.#options.home);
  }

  /** Number of reconciles since Fairway's start, and the length of the controller's queue. */
  async progressOf(controller: string): Promise<{ readonly reconciles: number; readonly waiting: number }> {
    const response = await this.#client.raw({ method: 'GET', path: '/metrics' });
    const text = await response.text();
    const sum = (metric: string) =>
      text
        .split('\n')
        .filter((line) => line.startsWith(`${metric}{`) && line.includes(`controller="${controller}"`))
        .reduce((total, line) => total + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
    return { reconciles: sum('controller_runtime_reconcile_total'), waiting: sum('workqueue_depth') };
  }

  /** Rejects all pending waits. */
  #watchOver(child: ChildProcess): void {
    child.once('exit', () => {
      if (child.killed) return;
      const error = new Error(`${child.spawnargs.find((word) => word.endsWith('.ts'))} has ended`);
      for (const lost of this.#losses) lost(error);
    });
  }

  async #follow(): Promise<void> {
    const { signal } = this.#following;
    const informer = new Informer(this.#client.resource(clusters), {
      trim: ({ metadata, status }) => shown(metadata, status),
    });
    const take = (cluster: Cluster) => {
      const { name = '' } = cluster.metadata;
      const ready = readyNodesOf(cluster);
      this.#readyNodes.set(name, ready);
      if (ready === this.#nodesOfEach) this.#waiting.get(name)?.();
    };
    informer.addHandler({ onAdd: take, onUpdate: (_, cluster) => take(cluster) });
    informer.start(signal);
    await informer.whenSynced(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#following.abort();
    this.#client.close();
    for (const child of [this.#fairway, ...this.#world]) {
      if (running([child]).length === 0) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The parts of a Cluster that are used. */
function shown(metadata: Cluster['metadata'], status: Cluster['status']): Cluster {
  return { metadata, spec: {}, ...(status && { status }) } as Cluster;
}

function running(children: readonly ChildProcess[]): number[] {
  return children.flatMap(({ pid, exitCode, signalCode }) =>
    pid !== undefined && exitCode === null && signalCode === null ? [pid] : [],
  );
}

function readyNodesOf({ status }: Cluster): number {
  const isReady = status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  return isReady ? (status?.nodes?.ready ?? 0) : 0;
}

function startedFairway(options: FairwayProcessOptions): Promise<ChildProcess> {
  return started('fairway-process.ts', [JSON.stringify(options)], ['--expose-gc', ...fairwayFlags()], fairwayEnv());
}

async function started(
  script: string,
  args: readonly string[],
  execArgv: readonly string[],
  env = serverEnv(),
): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, script), [...args], { execArgv: [...execArgv], env });
  const failed = once(child, 'exit').then(() => Promise.reject(new Error(`${script} ended`)));
  failed.catch(() => {});
  await Promise.race([once(child, 'message'), failed]);
  return child;
}

async function clientOf(home: string): Promise<KubeClient> {
  const connection = await loadKubeConnection({ path: join(home, 'kubeconfig') });
  return new KubeClient(new HttpsTransport(connection.transport), { userAgent: 'fairway-bench' });
}
