/**
 * Serialises work on a cluster, in the order of the calls: pools share limits, and each must count the machines that
 * the previous one has created.
 */
export class ClusterMutex {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Settles like `work`. */
  async take<T>(clusterKey: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(clusterKey) ?? Promise.resolve()).then(work);
    const ended = turn.catch(() => undefined);
    this.#last.set(clusterKey, ended);
    try {
      return await turn;
    } finally {
      if (this.#last.get(clusterKey) === ended) this.#last.delete(clusterKey);
    }
  }
}
