import type { Result } from '@fairway/kube/controller/result';

/**
 * Limits concurrent keys per cluster, so a cluster with a thousand keys leaves capacity for others. A key that exceeds the limit is enqueued when there is
 * capacity.
 */
export class ClusterConcurrencyLimit {
  readonly #most: number;
  readonly #enqueue: (key: string) => void;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Set<string>>();

  constructor(most: number, enqueue: (key: string) => void) {
    this.#most = most;
    this.#enqueue = enqueue;
  }

  async take(clusterUid: string, key: string, work: () => Promise<Result>): Promise<Result> {
    const running = this.#running.get(clusterUid) ?? 0;
    if (running >= this.#most) {
      this.#waiting.set(clusterUid, (this.#waiting.get(clusterUid) ?? new Set()).add(key));
      return {};
    }
    this.#waiting.get(clusterUid)?.delete(key);
    this.#running.set(clusterUid, running + 1);
    try {
      return await work();
    } finally {
      this.#end(clusterUid);
    }
  }

  #end(clusterUid: string): void {
    const running = (this.#running.get(clusterUid) ?? 1) - 1;
    if (running > 0) this.#running.set(clusterUid, running);
    else this.#running.delete(clusterUid);
    const waiting = this.#waiting.get(clusterUid);
    const [next] = waiting ?? [];
    if (next === undefined) {
      this.#waiting.delete(clusterUid);
      return;
    }
    waiting?.delete(next);
    this.#enqueue(next);
  }
}
