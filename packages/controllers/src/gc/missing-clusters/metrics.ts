import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * The state of a cluster's remaining resources:
 * - `waiting`: its Cluster has not been missing for long enough;
 * - `ending`: they are being deleted, or cannot be deleted yet;
 * - `held`: they are not touched until a user decides.
 */
export type RemainingResourceState = 'waiting' | 'ending' | 'held';

const STATES: readonly RemainingResourceState[] = ['waiting', 'ending', 'held'];

/** Exports metrics about those clusters this process works on whose Cluster is missing. */
export class MissingClusterMetrics {
  readonly #ended: Counter;
  readonly #found: Counter<'kind'>;

  constructor(registry: Registry, states: () => Iterable<RemainingResourceState>) {
    const clusters = new Gauge({
      name: 'fairway_vanished_clusters',
      help: "Clusters with remaining resources whose Cluster object was removed without Fairway's finalizer.",
      labelNames: ['state'],
      registers: [],
      collect() {
        for (const state of STATES) this.set({ state }, 0);
        for (const state of states()) this.inc({ state });
      },
    });
    registry.registerMetric(clusters);
    this.#ended = new Counter({
      name: 'fairway_vanished_clusters_ended_total',
      help: "Clusters whose Cluster object was removed without Fairway's finalizer and whose resources have all been deleted.",
      registers: [registry],
    });
    this.#found = new Counter({
      name: 'fairway_vanished_resources_found_total',
      help: 'Cloud resources found without a Cluster and deleted.',
      labelNames: ['kind'],
      registers: [registry],
    });
  }

  ended(): void {
    this.#ended.inc();
  }

  found(kind: string, count: number): void {
    this.#found.inc({ kind }, count);
  }
}
