import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { HttpsTransport } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { loadKubeConnection } from '@fairway/kube/client/kubeconfig-loader';
import { DEFAULT_SETTLE_MS } from '@fairway/tenancy/cloud/project-cloud';
import { fairwayEnv, fairwayFlags } from '../server-process.ts';
import type { FairwayProcessMessage, FairwayProcessOptions } from './fairway-process.ts';
import { SimulatorCalls } from './simulator-calls.ts';

export const NODES = 3;
const NAMESPACE = 'default';
const READY_TIMEOUT_MS = 300_000;

/** A Fairway in a separate process, used only through its API. */
export class BenchFairway implements AsyncDisposable {
  readonly pid: number;
  /** Time from the start of the process until its API serves requests. */
  readonly startMs: number;
  readonly calls: SimulatorCalls;
  readonly #child: ChildProcess;
  readonly #client: KubeClient;
  readonly #home: string;
  readonly #abort = new AbortController();
  /** The last observed state of each cluster, and the pending waits for changes. */
  readonly #clusters = new Map<string, Cluster>();
  readonly #waiters = new Set<() => void>();

  private constructor(child: ChildProcess, client: KubeClient, home: string, startMs: number, calls: SimulatorCalls) {
    this.#child = child;
    this.pid = child.pid ?? 0;
    this.#client = client;
    this.#home = home;
    this.startMs = startMs;
    this.calls = calls;
  }

  static async start(latency: FairwayProcessOptions['latency']): Promise<BenchFairway> {
    const home = mkdtempSync(join(tmpdir(), 'fairway-bench-'));
    const options: FairwayProcessOptions = { home, latency };
    const flags = fairwayFlags();
    const script = join(import.meta.dirname, 'fairway-process.ts');
    const child = fork(script, [JSON.stringify(options)], { execArgv: flags, env: fairwayEnv() });
    const failed = once(child, 'exit').then(() => Promise.reject(new Error('fairway ended')));
    const [message] = (await Promise.race([once(child, 'message'), failed])) as [FairwayProcessMessage];
    failed.catch(() => {});
    const connection = await loadKubeConnection({ path: join(home, 'kubeconfig') });
    const client = new KubeClient(new HttpsTransport(connection.transport), { userAgent: 'fairway-bench' });
    const calls = await SimulatorCalls.connect(join(home, 'clouds.yaml'));
    const startMs = message.type === 'ready' ? message.startMs : Number.NaN;
    const fairway = new BenchFairway(child, client, home, startMs, calls);
    await fairway.#follow();
    // From then on, this process behaves like one that has run for a while: requests of any predecessor have taken
    // effect.
    await sleep(DEFAULT_SETTLE_MS);
    return fairway;
  }

  async #follow(): Promise<void> {
    const { signal } = this.#abort;
    const list = await this.#client.resource(clusters).list();
    const events = this.#client
      .resource(clusters)
      .watch({ resourceVersion: list.metadata.resourceVersion ?? '0', timeoutSeconds: 3000, signal });
    void (async () => {
      for await (const event of events) {
        if (event.type === 'BOOKMARK') continue;
        const { name = '' } = event.object.metadata;
        if (event.type === 'DELETED') this.#clusters.delete(name);
        else this.#clusters.set(name, event.object);
        for (const check of this.#waiters) check();
      }
    })();
  }

  /** Creates a cluster with one pool. Resolves with the milliseconds until the cluster and all its nodes are Ready. */
  async create(name: string, plan = 'free'): Promise<number> {
    const begin = performance.now();
    await this.#client.resource(clusters).create({
      apiVersion: 'fairway.dev/v1alpha1',
      kind: 'Cluster',
      metadata: { name, namespace: NAMESPACE },
      spec: { plan },
    } as Cluster);
    await this.#client.resource(nodePools).create({
      apiVersion: 'fairway.dev/v1alpha1',
      kind: 'NodePool',
      metadata: { name: `${name}-general`, namespace: NAMESPACE },
      spec: { clusterName: name, flavor: 'b3-8', replicas: NODES },
    } as NodePool);
    await this.#waitUntil(`${name} to be Ready`, () => isReady(this.#clusters.get(name)));
    return performance.now() - begin;
  }

  /** Resolves with the milliseconds until none of the cluster's objects remain in the API. */
  async delete(name: string): Promise<number> {
    const begin = performance.now();
    await this.#client.resource(clusters).delete(name, { namespace: NAMESPACE });
    await this.#waitUntil(`${name} to be gone`, () => !this.#clusters.has(name));
    return performance.now() - begin;
  }

  /** See `measureBareCloud`. */
  async bareCloudMs(): Promise<number> {
    this.#child.send('bare');
    const [message] = (await once(this.#child, 'message')) as [FairwayProcessMessage];
    return message.type === 'bare' ? message.elapsedMs : Number.NaN;
  }

  #waitUntil(condition: string, isDone: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiters.delete(check);
        reject(new Error(`timed out waiting for ${condition}`));
      }, READY_TIMEOUT_MS);
      const check = () => {
        if (!isDone()) return;
        clearTimeout(timer);
        this.#waiters.delete(check);
        resolve();
      };
      this.#waiters.add(check);
      check();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#abort.abort();
    this.#client.close();
    if (this.#child.exitCode === null) {
      this.#child.kill('SIGTERM');
      await once(this.#child, 'exit');
    }
    rmSync(this.#home, { recursive: true, force: true });
  }
}

function isReady(cluster: Cluster | undefined): boolean {
  const { nodes, conditions } = cluster?.status ?? {};
  return nodes?.ready === NODES && conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
}
