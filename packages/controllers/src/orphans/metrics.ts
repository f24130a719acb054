import { Counter, Gauge, type Registry } from 'prom-client';

/** What becomes of orphans: `deleting` is at work, or failing; `held` are left alone until a person decides. */
export type OrphanState = 'deleting' | 'held';

/** Orphans that this process knows of now. */
export interface KnownOrphans {
  readonly state: OrphanState;
  /** How many, by kind, as OpenStack names it. */
  readonly counts: ReadonlyMap<string, number>;
}

/** Tells of resources in the cloud that nothing here has any more. */
export class OrphanMetrics {
  readonly #deleted: Counter<'kind'>;

  constructor(registry: Registry, known: () => Iterable<KnownOrphans>) {
    const orphans = new Gauge({
      name: 'fairway_orphans',
      help: 'Resources of the cloud whose cluster, pool or machine is gone and that are still there: deleting, or held for a person to decide.',
      labelNames: ['kind', 'state'],
      registers: [],
      collect() {
        this.reset();
        for (const { state, counts } of known()) for (const [kind, count] of counts) this.inc({ kind, state }, count);
      },
    });
    registry.registerMetric(orphans);
    this.#deleted = new Counter({
      name: 'fairway_orphans_deleted_total',
      help: 'Resources of the cloud that were deleted because their cluster, pool or machine is gone.',
      labelNames: ['kind'],
      registers: [registry],
    });
  }

  deleted(kind: string, count: number): void {
    this.#deleted.inc({ kind }, count);
  }
}
