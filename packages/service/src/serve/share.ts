import { hostname } from 'node:os';
import { SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { TraceExchange } from '@fairway/base/tracing';
import { trimmedEnd } from '@fairway/base/trim';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { addShardMetrics } from '@fairway/kube/controller/shard-metrics';
import { ShardMember } from '@fairway/kube/controller/sharding';
import type { Registry } from 'prom-client';

export interface SharingOptions {
  readonly client: KubeClient;
  readonly registry: Registry;
  /** See `replicaIdentity`. */
  readonly identity: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Exchanges traces with other replicas; disabled by default. */
  readonly traces?: TraceExchange | undefined;
}

/** Name prefix of the group and its Leases. */
export const SHARD_GROUP = 'fairway';
/**
 * Number of shards. The number must be the same for all replicas, forever: with different numbers, two replicas would
 * work on the same cluster. Large enough that the load of three replicas differs by at most 5%, small enough that
 * acquiring all shards takes about a second.
 */
export const SHARD_COUNT = 64;

/** Distributes the clusters among the replicas of the management cluster. */
export function shareClusters({ client, registry, identity, clock, random, log, traces }: SharingOptions): ShardMember {
  const member = new ShardMember({
    client,
    namespace: SYSTEM_NAMESPACE,
    name: SHARD_GROUP,
    identity,
    shards: SHARD_COUNT,
    clock,
    monotonic: () => performance.now(),
    random,
    log,
    gossip: traces,
  });
  addShardMetrics(registry, member);
  return member;
}

const SUFFIX_LENGTH = 5;

/** A name for this process run, derived from its host or pod; a DNS label. */
export function replicaIdentity(random: () => number, host = hostname()): string {
  const label = host
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+/g, '')
    .slice(0, 40);
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => Math.floor(random() * 36).toString(36)).join('');
  return label === '' ? `replica-${suffix}` : `${trimmedEnd(label, '-')}-${suffix}`;
}
