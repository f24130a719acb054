/**
 * Lets one caller at a time work for a cluster, in the order in which they came: pools share limits, and whoever counts what there is must see what the
 * one before has made.
 */
export class ClusterTurns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Settles as `work` does. */
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
