import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TestCluster } from '@fairway/hollow/testing/test-cluster';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import { eventuallyDeleted, eventuallyObject } from '@fairway/kube/testing/eventually';
import { serve } from '../upstream-cloud-provider/served-cluster.ts';
import { createManualNode } from './manual-node.ts';
import { ProviderProcess } from './provider-process.ts';

const LONG_WAIT = { deadlineMs: 400_000 };
const namespace = 'default';

/** A cluster with manually created nodes, and one cloud provider after another as a separate process. */
export class ProvidedCluster {
  readonly #cluster: TestCluster;
  readonly #folder: string;
  readonly #provider: ProviderProcess;

  private constructor(cluster: TestCluster, folder: string) {
    this.#cluster = cluster;
    this.#folder = folder;
    this.#provider = new ProviderProcess(folder);
  }

  static async start(conf: string, nodes: readonly string[]): Promise<ProvidedCluster> {
    const folder = await mkdtemp(join(tmpdir(), 'fairway-taking-over-'));
    const cluster = await TestCluster.start({ realTime: true, nodes: [] });
    await writeFile(join(folder, 'kubeconfig'), await serve(cluster));
    await writeFile(join(folder, 'cloud.conf'), conf);
    for (const name of nodes) await createManualNode(cluster.client, name);
    return new ProvidedCluster(cluster, folder);
  }

  get services() {
    return this.#cluster.client.resource(Services);
  }

  run(command: string, ...flags: readonly string[]): void {
    this.#provider.start(command, [...flags, ...this.#files]);
  }

  /** Runs Fairway's cloud provider with the same flags. */
  runFairway(...flags: readonly string[]): void {
    this.#provider.startFairway([...flags, ...this.#files]);
  }

  get #files(): readonly string[] {
    const file = (name: string) => join(this.#folder, name);
    return [`--kubeconfig=${file('kubeconfig')}`, `--cloud-config=${file('cloud.conf')}`];
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    await this.#provider.stop(signal);
  }

  async create(name: string, ports: readonly number[], annotations: Record<string, string> = {}): Promise<void> {
    const spec = {
      type: 'LoadBalancer',
      selector: { app: name },
      ports: ports.map((port) => ({ name: `p${port}`, port, protocol: 'TCP' })),
    };
    await this.services.create({ metadata: { name, namespace, annotations }, spec });
  }

  /** Resolves with the Service once it matches. */
  async waitForService(name: string, predicate: (service: Service) => boolean): Promise<Service> {
    try {
      return await eventuallyObject(this.services, { namespace, name }, predicate, LONG_WAIT);
    } catch (error) {
      throw new Error(`Service ${name} does not match: ${this.#provider.outputTail()}`, { cause: error });
    }
  }

  async patch(name: string, value: object): Promise<void> {
    await this.services.patch(name, { type: 'strategic', value }, { namespace });
  }

  async delete(name: string): Promise<void> {
    await this.services.delete(name, { namespace });
    await eventuallyDeleted(this.services, { namespace, name }, LONG_WAIT);
  }

  async close(): Promise<void> {
    await this.stop('SIGKILL');
    await this.#cluster[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true });
  }
}
