import { Counter, Gauge, type Registry } from 'prom-client';

/** Statistics of a ShardMember. */
export interface ShardCounter {
  readonly counts: { readonly shards: number; readonly held: number; readonly lapses: number };
}

/**
 * Exports how many shards this member holds. Across all members, `held` adds up to `shards`, except during a handover.
 */
export function addShardMetrics(registry: Registry, member: ShardCounter): void {
  const shards = new Gauge({
    name: 'fairway_shards',
    help: 'Number of shards that clusters are divided into.',
    registers: [],
    collect() {
      this.set(member.counts.shards);
    },
  });
  const held = new Gauge({
    name: 'fairway_shards_held',
    help: 'Shards held by this replica.',
    registers: [],
    collect() {
      this.set(member.counts.held);
    },
  });
  const lapses = new Counter({
    name: 'fairway_shard_lease_lapses_total',
    help: 'How often the Lease of this replica expired while it was running, so that others took over its shards.',
    registers: [],
    collect() {
      this.reset();
      this.inc(member.counts.lapses);
    },
  });
  for (const metric of [shards, held]) registry.registerMetric(metric);
  registry.registerMetric(lapses);
}
