import { type Cluster, type ClusterStatus, clusters } from '@fairway/api/kinds/cluster';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { writeStatus } from '../status-writer.ts';

/**
 * Writes the status of a pass over a Cluster, possibly before the pass ends: later writes are compared with the most
 * recent one.
 */
export class PassStatus {
  readonly #client: KubeClient;
  #cluster: Cluster;
  #isPatched = false;
  #hasEnded = false;
  #pendingWrite: Promise<void> = Promise.resolve();

  constructor(client: KubeClient, cluster: Cluster) {
    this.#client = client;
    this.#cluster = cluster;
  }

  /** Whether anything was written before the end of the pass. */
  get isPatched(): boolean {
    return this.#isPatched;
  }

  /**
   * Writes what is known so far, unless the pass has ended. Failures are ignored, because the final write repeats it.
   */
  patch(status: () => ClusterStatus): Promise<void> {
    if (this.#hasEnded) return Promise.resolve();
    this.#isPatched = true;
    const write = () => this.#write(status());
    this.#pendingWrite = this.#pendingWrite.then(write).catch(() => undefined);
    return this.#pendingWrite;
  }

  /** Writes the final status. Rejects like `writeStatus`. */
  async end(status: ClusterStatus): Promise<void> {
    await this.settle();
    await this.#write(status);
  }

  /** Stops writing; resolves when no write is in progress. */
  async settle(): Promise<void> {
    this.#hasEnded = true;
    await this.#pendingWrite;
  }

  async #write(status: ClusterStatus): Promise<void> {
    await writeStatus(this.#client.resource(clusters), this.#cluster, status);
    this.#cluster = { ...this.#cluster, status };
  }
}
