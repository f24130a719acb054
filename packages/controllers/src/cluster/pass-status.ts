import { type Cluster, type ClusterStatus, clusters } from '@fairway/api/kinds/cluster';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { writeStatus } from '../status-writer.ts';

/** The status that a pass over a Cluster writes, before its end too: what is written later is compared with what was written last. */
export class PassStatus {
  readonly #client: KubeClient;
  #cluster: Cluster;
  #isTold = false;
  #isOver = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(client: KubeClient, cluster: Cluster) {
    this.#client = client;
    this.#cluster = cluster;
  }

  /** Whether something was told before the end. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** Tells what is known so far, unless the end has come. A failure is of no account: the end says it again. */
  tell(status: () => ClusterStatus): Promise<void> {
    if (this.#isOver) return Promise.resolve();
    this.#isTold = true;
    const write = () => this.#write(status());
    this.#writing = this.#writing.then(write).catch(() => undefined);
    return this.#writing;
  }

  /** Nothing is told after it. Rejects as `writeStatus` does. */
  async end(status: ClusterStatus): Promise<void> {
    await this.settle();
    await this.#write(status);
  }

  /** Ends the telling; resolves when nothing is being written. */
  async settle(): Promise<void> {
    this.#isOver = true;
    await this.#writing;
  }

  async #write(status: ClusterStatus): Promise<void> {
    await writeStatus(this.#client.resource(clusters), this.#cluster, status);
    this.#cluster = { ...this.#cluster, status };
  }
}
