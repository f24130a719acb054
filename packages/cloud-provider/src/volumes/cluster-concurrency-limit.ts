import type { Result } from '@fairway/kube/controller/result';

/**
 * Limits concurrent keys per cluster, so a cluster with a thousand keys leaves capacity for others. A key beyond the
 * limit is enqueued again once capacity is available.
 */
export class ClusterConcurrencyLimit {
  readonly #limit: number;
  readonly #enqueue: (key: string) => void;
  readonly #running = new Map<string, number>();
  readonly #waiting = new Map<string, Set<string>>();

  constructor(limit: number, enqueue: (key: string) => void) {
    this.#limit = limit;
    this.#enqueue = enqueue;
  }

  async runLimited(clusterUid: string, key: string, work: () => Promise<Result>): Promise<Result> {
    const active = this.#running.get(clusterUid) ?? 0;
    if (active >= this.#limit) {
      this.#waiting.set(clusterUid, (this.#waiting.get(clusterUid) ?? new Set()).add(key));
      return {};
    }
    this.#waiting.get(clusterUid)?.delete(key);
    this.#running.set(clusterUid, active + 1);
    try {
      return await work();
    } finally {
      this.#finish(clusterUid);
    }
  }

  #finish(clusterUid: string): void {
    const active = (this.#running.get(clusterUid) ?? 1) - 1;
    if (active > 0) this.#running.set(clusterUid, active);
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
