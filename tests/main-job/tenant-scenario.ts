import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cluster, clusters, type NewCluster } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NewNodePool, type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { eventually } from '@fairway/kube/testing/eventually';
import { tenantOf } from '../session/tenant-of.ts';
import { type FairwayOnCloud, startFairwayOn } from './fairway-on-cloud.ts';
import type { JobCloud, JobTarget } from './job-clouds.ts';

const namespace = 'default';
const waitOptions = { deadlineMs: 400_000 };

/** A Fairway on a cloud, with one tenant cluster. */
export class TenantScenario {
  readonly fairway: FairwayOnCloud;
  readonly #cloud: JobCloud;
  readonly #name: string;
  #folder: string | undefined;
  #tenant: KubeClient | undefined;

  private constructor(cloud: JobCloud, fairway: FairwayOnCloud, name: string) {
    this.#cloud = cloud;
    this.fairway = fairway;
    this.#name = name;
  }

  /** Resolves once all nodes are Ready. */
  static async begin(target: JobTarget, name: string, nodes: number): Promise<TenantScenario> {
    const cloud = await target.open();
    const fairway = await startFairwayOn(cloud, { observeMs: 3_000, settleMs: 1_000 });
    const scenario = new TenantScenario(cloud, fairway, name);
    try {
      await scenario.#make(nodes);
    } catch (error) {
      await scenario.end();
      throw error;
    }
    return scenario;
  }

  async #make(replicas: number): Promise<void> {
    const { api } = this.fairway;
    const name = this.#name;
    const cluster: NewCluster = { metadata: { name, namespace }, spec: { cni: { type: 'none' } } };
    const spec = { clusterName: name, flavor: this.#cloud.flavor, replicas };
    const pool: NewNodePool = { metadata: { name, namespace }, spec };
    await api.resource(clusters).create(cluster as Cluster);
    await api.resource(nodePools).create(pool as NodePool);
    await this.#nodesAreReady(replicas);
    this.#folder = await mkdtemp(join(tmpdir(), `fairway-${name}-`));
    this.#tenant = await tenantOf(api, name, join(this.#folder, 'kubeconfig'));
  }

  /** A client for the cluster's API. */
  get tenant(): KubeClient {
    if (this.#tenant === undefined) throw new Error('the story has not begun');
    return this.#tenant;
  }

  async scale(replicas: number): Promise<void> {
    const value = { spec: { replicas } };
    await this.fairway.api.resource(nodePools).patch(this.#name, { type: 'merge', value }, { namespace });
    await this.#nodesAreReady(replicas);
  }

  async #nodesAreReady(count: number): Promise<void> {
    await eventually(
      this.fairway.api.resource(machines),
      { namespace },
      (all) => all.length === count && all.every(({ status }) => status?.phase === 'Ready'),
      waitOptions,
    );
  }

  /** Deletes the cluster with all of its cloud resources. */
  async end(): Promise<void> {
    this.#tenant?.close();
    const { api } = this.fairway;
    await api.resource(clusters).deleteCollection({ namespace });
    await eventually(api.resource(clusters), { namespace }, (all) => all.length === 0, waitOptions);
    await this.fairway.close();
    await this.#cloud.close();
    if (this.#folder) await rm(this.#folder, { recursive: true });
  }
}
