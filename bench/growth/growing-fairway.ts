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
import { projectName } from './projects.ts';

/** Number of processes that host control planes and their nodes: one heap could not hold a thousand clusters. */
const PLANE_HOSTS = 3;
/** A small young generation: the number of clusters matters, not the speed. */
const HOST_FLAGS = ['--max-old-space-size=6144', '--max-semi-space-size=4'];
const PLAN = 'standard';
const READY_TIMEOUT_MS = 600_000;

/** A Fairway process, and the cloud, control planes and nodes that it manages, all in separate processes. */
export class GrowingFairway implements AsyncDisposable {
  readonly calls: SimulatorCalls;
  readonly #folder: string;
  readonly #environment: readonly ChildProcess[];
  readonly #nodesPerCluster: number;
  readonly #options: FairwayProcessOptions;
  #fairway: ChildProcess;
  #client: KubeClient;
  #informerAbort = new AbortController();
  readonly #readyNodes = new Map<string, number>();
  readonly #waiters = new Map<string, () => void>();
  readonly #failureListeners = new Set<(error: Error) => void>();

  private constructor(parts: {
    readonly folder: string;
    readonly environment: readonly ChildProcess[];
    readonly nodesPerCluster: number;
    readonly options: FairwayProcessOptions;
    readonly fairway: ChildProcess;
    readonly client: KubeClient;
    readonly calls: SimulatorCalls;
  }) {
    this.#folder = parts.folder;
    this.#environment = parts.environment;
    this.#nodesPerCluster = parts.nodesPerCluster;
    this.#options = parts.options;
    this.#fairway = parts.fairway;
    this.#client = parts.client;
    this.calls = parts.calls;
    for (const child of [...parts.environment, parts.fairway]) this.#rejectOnExit(child);
  }

  static async start(projects: number, nodesPerCluster: number): Promise<GrowingFairway> {
    const folder = mkdtempSync(join(tmpdir(), 'fairway-growth-'));
    const cloudsYaml = join(folder, 'clouds.yaml');
    const serversSocket = join(folder, 'servers.sock');
    const environment = [
      await startProcess('cloud-process.ts', [cloudsYaml, serversSocket, String(projects)], HOST_FLAGS),
    ];
    const sockets = Array.from({ length: PLANE_HOSTS }, (_, index) => join(folder, `planes-${index}.sock`));
    for (const [index, socket] of sockets.entries()) {
      const at = { folder: join(folder, `planes-${index}`), socket, cloudsYaml, serversSocket };
      const host: PlaneHostOptions = { ...at, index, hosts: PLANE_HOSTS };
      environment.push(await startProcess('plane-host.ts', [JSON.stringify(host)], HOST_FLAGS));
    }
    const options = { home: join(folder, 'home'), cloudsYaml, sockets };
    const fairway = await startFairway(options);
    const client = await clientOf(options.home);
    const calls = await SimulatorCalls.connect(cloudsYaml);
    const growingFairway = new GrowingFairway({
      folder,
      environment,
      nodesPerCluster,
      options,
      fairway,
      client,
      calls,
    });
    for (let project = 0; project < projects; project++) {
      const metadata = { name: projectName(project), annotations: { 'fairway.dev/cloud': projectName(project) } };
      await client.resource(Namespaces).create({ metadata, spec: {} });
    }
    await growingFairway.#follow();
    return growingFairway;
  }

  /** Usage of Fairway's process alone. */
  get usage(): Usage {
    return usageOf(running([this.#fairway]));
  }

  get openFiles(): ReturnType<typeof openFilesOf> {
    return openFilesOf(this.#fairway.pid ?? 0);
  }

  /** Usage of the simulated cloud, control planes and nodes. */
  get environmentUsage(): Usage {
    return usageOf(running(this.#environment));
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
    const spec = { clusterName: name, flavor: 'b3-8', replicas: this.#nodesPerCluster };
    await this.#client.resource(nodePools).create({ metadata, spec } as NodePool);
    if (this.#readyNodes.get(name) === this.#nodesPerCluster) return;
    const ready = Promise.withResolvers<void>();
    const timeout = () => ready.reject(new Error(`${name} is not Ready after ${READY_TIMEOUT_MS / 1000} s`));
    const timer = setTimeout(timeout, READY_TIMEOUT_MS);
    this.#waiters.set(name, ready.resolve);
    const onFailure = (error: Error) => ready.reject(error);
    this.#failureListeners.add(onFailure);
    try {
      await ready.promise;
    } finally {
      clearTimeout(timer);
      this.#waiters.delete(name);
      this.#failureListeners.delete(onFailure);
    }
  }

  /**
   * Kills and restarts Fairway while everything else keeps running. Resolves when Fairway's API serves requests again.
   */
  async restart(): Promise<void> {
    this.#informerAbort.abort();
    this.#client.close();
    this.#fairway.kill('SIGKILL');
    await once(this.#fairway, 'exit');
    this.#fairway = await startFairway(this.#options);
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

  /** Rejects all pending waits if the process exits unexpectedly. */
  #rejectOnExit(child: ChildProcess): void {
    child.once('exit', () => {
      if (child.killed) return;
      const error = new Error(`${child.spawnargs.find((arg) => arg.endsWith('.ts'))} has ended`);
      for (const onFailure of this.#failureListeners) onFailure(error);
    });
  }

  async #follow(): Promise<void> {
    const { signal } = this.#informerAbort;
    const informer = new Informer(this.#client.resource(clusters), {
      trim: ({ metadata, status }) => trimCluster(metadata, status),
    });
    const update = (cluster: Cluster) => {
      const { name = '' } = cluster.metadata;
      const ready = readyNodesOf(cluster);
      this.#readyNodes.set(name, ready);
      if (ready === this.#nodesPerCluster) this.#waiters.get(name)?.();
    };
    informer.addHandler({ onAdd: update, onUpdate: (_, cluster) => update(cluster) });
    informer.start(signal);
    await informer.whenSynced(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#informerAbort.abort();
    this.#client.close();
    for (const child of [this.#fairway, ...this.#environment]) {
      if (running([child]).length === 0) continue;
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Keeps only the fields of a Cluster that this benchmark uses. */
function trimCluster(metadata: Cluster['metadata'], status: Cluster['status']): Cluster {
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

function startFairway(options: FairwayProcessOptions): Promise<ChildProcess> {
  return startProcess(
    'fairway-process.ts',
    [JSON.stringify(options)],
    ['--expose-gc', ...fairwayFlags()],
    fairwayEnv(),
  );
}

async function startProcess(
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
