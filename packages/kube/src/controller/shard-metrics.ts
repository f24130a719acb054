import { Counter, Gauge, type Registry } from 'prom-client';

/** What a ShardMember can be asked at any time. */
export interface CountedShards {
  readonly counts: { readonly shards: number; readonly held: number; readonly lapses: number };
}

/** Tells how much of the work this member has; over all members, `held` adds up to `shards` but for the moments of a handover. */
export function addShardMetrics(registry: Registry, member: CountedShards): void {
  const shards = new Gauge({
    name: 'fairway_shards',
    help: 'Parts that the clusters are cut into.',
    registers: [],
    collect() {
      this.set(member.counts.shards);
    },
  });
  const held = new Gauge({
    name: 'fairway_shards_held',
    help: 'Parts that this replica works on.',
    registers: [],
    collect() {
      this.set(member.counts.held);
    },
  });
  const lapses = new Counter({
    name: 'fairway_shard_lease_lapses_total',
    help: 'How often the Lease of this replica ran out while it ran, so that others took its parts.',
    registers: [],
    collect() {
      this.reset();
      this.inc(member.counts.lapses);
    },
  });
  for (const metric of [shards, held]) registry.registerMetric(metric);
  registry.registerMetric(lapses);
}
