import { Counter, Gauge, type Registry } from 'prom-client';

/**
 * The state of an orphan: `deleting`: deletion is in progress or failing; `held`: not touched until an operator
 * decides.
 */
export type OrphanState = 'deleting' | 'held';

/** Orphans currently known to this process. */
export interface KnownOrphans {
  readonly state: OrphanState;
  /** The number of orphans, by OpenStack's name for their kind. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Exports metrics about cloud resources without an owner. */
export class OrphanMetrics {
  readonly #deletedResources: Counter<'kind'>;

  constructor(registry: Registry, known: () => Iterable<KnownOrphans>) {
    const orphans = new Gauge({
      name: 'fairway_orphans',
      help: 'Cloud resources whose cluster, pool or machine no longer exists: deleting, or held until an operator decides.',
      labelNames: ['kind', 'state'],
      registers: [],
      collect() {
        this.reset();
        for (const { state, counts } of known()) for (const [kind, count] of counts) this.inc({ kind, state }, count);
      },
    });
    registry.registerMetric(orphans);
    this.#deletedResources = new Counter({
      name: 'fairway_orphans_deleted_total',
      help: 'Cloud resources deleted because their cluster, pool or machine no longer exists.',
      labelNames: ['kind'],
      registers: [registry],
    });
  }

  deleted(kind: string, count: number): void {
    this.#deletedResources.inc({ kind }, count);
  }
}
