import { Gauge, type Registry } from 'prom-client';

/** What a ShardMember can be asked at any time. */
export interface CountedShards {
  readonly counts: { readonly shards: number; readonly held: number; readonly lapses: number };
}

/** Tells how much of the work this member has; over all members, `held` adds up to `shards` but for the moments of a handover. */
export function addShardMetrics(registry: Registry, member: CountedShards): void {
  const gauges = [
    { name: 'fairway_shards', help: 'Parts that the clusters are cut into.', value: () => member.counts.shards },
    { name: 'fairway_shards_held', help: 'Parts that this replica works on.', value: () => member.counts.held },
    {
      name: 'fairway_shard_lease_lapses_total',
      help: 'How often the Lease of this replica ran out while it ran, so that others took its parts.',
      value: () => member.counts.lapses,
    },
  ];
  for (const { name, help, value } of gauges) {
    const gauge = new Gauge({
      name,
      help,
      registers: [],
      collect() {
        this.set(value());
      },
    });
    registry.registerMetric(gauge);
  }
}
