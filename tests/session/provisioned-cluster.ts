import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { systemClock } from '@fairway/base/clock';
import { silentLogger } from '@fairway/base/log';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { eventually } from '@fairway/kube/testing/eventually';
import type { Cloud } from '@fairway/openstack/cloud';
import { openCloud, readCloudsYaml } from '@fairway/service/up/clouds';
import { clientOf } from './client-of.ts';
import { type CommandResult, RunningFairway, run } from './running-fairway.ts';

export interface ProvisionedClusterOptions {
  /** A Cluster with its NodePools; the cluster's name is `demo`. */
  readonly manifest: string;
  readonly controlPlane: 'simulated' | 'process';
  /** Options of `fairway up`. */
  readonly options?: readonly string[];
  /** Actions of the operator before the cluster is created. */
  readonly prepare?: (operator: KubeClient) => Promise<void>;
  readonly deadlineMs: number;
}

/** `fairway up` with a Ready cluster, and the APIs of its owner: Fairway's and the cluster's own. */
export class ProvisionedCluster implements AsyncDisposable {
  readonly #folder: string;
  readonly #options: ProvisionedClusterOptions;
  #fairway: RunningFairway | undefined;
  #own: KubeClient | undefined;
  #tenant: KubeClient | undefined;

  private constructor(folder: string, options: ProvisionedClusterOptions) {
    this.#folder = folder;
    this.#options = options;
  }

  /** Resolves once the cluster and its nodes are Ready. */
  static async create(options: ProvisionedClusterOptions): Promise<ProvisionedCluster> {
    const cluster = new ProvisionedCluster(await mkdtemp(join(tmpdir(), 'fairway-cluster-')), options);
    try {
      await cluster.up();
      await options.prepare?.(cluster.own);
      const manifest = join(cluster.#folder, 'cluster.yaml');
      await writeFile(manifest, options.manifest);
      const created = await cluster.cli('cluster', 'create', '-f', manifest);
      if (created.code !== 0) throw new Error(`the cluster was not created: ${created.stderr}`);
      await writeFile(cluster.kubeconfig, (await cluster.cli('kubeconfig', 'demo')).stdout);
      cluster.#tenant = await clientOf(cluster.kubeconfig);
      return cluster;
    } catch (error) {
      await cluster[Symbol.asyncDispose]();
      throw error;
    }
  }

  get home(): string {
    return join(this.#folder, 'home');
  }

  /** The cluster's own kubeconfig. */
  get kubeconfig(): string {
    return join(this.#folder, 'demo.kubeconfig');
  }

  get fairway(): RunningFairway {
    return required(this.#fairway);
  }

  /** The API path of the cluster's objects in Fairway. */
  get where(): { readonly namespace: string } {
    return { namespace: this.fairway.namespace };
  }

  /** A client for Fairway's API. */
  get own(): KubeClient {
    return required(this.#own);
  }

  /** A client for the cluster's API. */
  get tenant(): KubeClient {
    return required(this.#tenant);
  }

  /** Starts Fairway, or a new one after the previous one was killed. */
  async up(): Promise<void> {
    const { controlPlane, options = [] } = this.#options;
    const args = ['--listen', '127.0.0.1:0', '--control-plane', controlPlane, ...options];
    this.#own?.close();
    this.#fairway = await RunningFairway.start(this.home, ...args);
    this.#own = await clientOf(this.#fairway.kubeconfig);
  }

  cli(...args: readonly string[]): Promise<CommandResult> {
    return run('npx', ['fairway', ...args], { KUBECONFIG: this.fairway.kubeconfig });
  }

  waitForMachines(check: (all: readonly Machine[]) => boolean): Promise<readonly Machine[]> {
    return eventually(this.own.resource<Machine>(machines), this.where, check, this.#options);
  }

  async waitForPool(name: string, check: (pool: NodePool) => boolean): Promise<NodePool> {
    const selection = { ...this.where, fieldSelector: `metadata.name=${name}` };
    const predicate = ([pool]: readonly NodePool[]) => pool !== undefined && check(pool);
    const [found] = await eventually(this.own.resource<NodePool>(nodePools), selection, predicate, this.#options);
    return required(found);
  }

  async waitForCluster(check: (cluster: Cluster) => boolean): Promise<Cluster> {
    const predicate = ([cluster]: readonly Cluster[]) => cluster !== undefined && check(cluster);
    const [found] = await eventually(this.own.resource<Cluster>(clusters), this.where, predicate, this.#options);
    return required(found);
  }

  async patchPool(name: string, spec: object): Promise<void> {
    await this.own.resource<NodePool>(nodePools).patch(name, { type: 'merge', value: { spec } }, this.where);
  }

  /** The simulated cloud, as a user of the project sees it. */
  async callCloud<T>(act: (cloud: Cloud) => Promise<T>): Promise<T> {
    const cloudOptions = { clock: systemClock, random: Math.random, log: silentLogger };
    const cloud = openCloud(readCloudsYaml(this.fairway.cloudsYaml), 'simulator', cloudOptions);
    try {
      return await act(cloud);
    } finally {
      await cloud.close();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#tenant?.close();
    this.#own?.close();
    await this.#fairway?.stop();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('the cluster is not there');
  return value;
}
