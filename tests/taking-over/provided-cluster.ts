import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestCluster } from '@fairway/hollow/testing/test-cluster';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { Nodes, Services } from '@fairway/kube/kinds/resources';
import { eventuallyGone, eventuallyObject } from '@fairway/kube/testing/eventually';
import { serve } from '../upstream-cloud-provider/served-cluster.ts';

const PATIENCE = { deadlineMs: 400_000 };
const UNINITIALIZED = { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' };
const namespace = 'default';

/** A cluster with nodes made by hand, and one cloud provider after another as a process beside it. */
export class ProvidedCluster {
  readonly #cluster: TestCluster;
  readonly #folder: string;
  #process: ChildProcess | undefined;

  private constructor(cluster: TestCluster, folder: string) {
    this.#cluster = cluster;
    this.#folder = folder;
  }

  static async start(conf: string, nodes: readonly string[]): Promise<ProvidedCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'fairway-taking-over-'));
    const cluster = await TestCluster.start({ realTime: true, nodes: [] });
    await writeFile(join(folder, 'kubeconfig'), await serve(cluster));
    await writeFile(join(folder, 'cloud.conf'), conf);
    const api = cluster.client.resource(Nodes);
    for (const name of nodes) {
      await api.create({ apiVersion: 'v1', kind: 'Node', metadata: { name }, spec: { taints: [UNINITIALIZED] } });
      const value = { status: { conditions: [{ type: 'Ready', status: 'True' }] } };
      await api.patch(name, { type: 'strategic', value }, { subresource: 'status' });
    }
    return new ProvidedCluster(cluster, folder);
  }

  get services() {
    return this.#cluster.client.resource(Services);
  }

  run(command: string, ...flags: readonly string[]): void {
    const log = openSync(join(this.#folder, 'log'), 'a');
    const files = [
      `--kubeconfig=${join(this.#folder, 'kubeconfig')}`,
      `--cloud-config=${join(this.#folder, 'cloud.conf')}`,
    ];
    this.#process = spawn(command, [...flags, ...files], { stdio: ['ignore', log, log] });
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#process;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  logged(): string {
    return readFileSync(join(this.#folder, 'log'), 'utf8').slice(-2_000);
  }

  async create(name: string, ports: readonly number[], annotations: Record<string, string> = {}): Promise<void> {
    const spec = {
      type: 'LoadBalancer',
      selector: { app: name },
      ports: ports.map((port) => ({ name: `p${port}`, port, protocol: 'TCP' })),
    };
    await this.services.create({ metadata: { name, namespace, annotations }, spec });
  }

  /** The Service once it is so. */
  async when(name: string, isSo: (service: Service) => boolean): Promise<Service> {
    try {
      return await eventuallyObject(this.services, { namespace, name }, isSo, PATIENCE);
    } catch (error) {
      throw new Error(`Service ${name} is not so: ${this.logged()}`, { cause: error });
    }
  }

  async patch(name: string, value: object): Promise<void> {
    await this.services.patch(name, { type: 'strategic', value }, { namespace });
  }

  async delete(name: string): Promise<void> {
    await this.services.delete(name, { namespace });
    await eventuallyGone(this.services, { namespace, name }, PATIENCE);
  }

  async close(): Promise<void> {
    await this.stop('SIGKILL');
    await this.#cluster[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true });
  }
}
