import type { Lease } from '@fairway/kube/kinds/generated/types';

/** A replica of Fairway and its clusters. */
export interface Replica {
  readonly name: string;
  readonly isAlive: boolean;
  /** RFC 3339. */
  readonly since: string | undefined;
  readonly lastRenewal: string | undefined;
  readonly shards: number;
  readonly clusters: number;
}

export interface Shard {
  readonly number: number;
  /** The replica that works on the shard; undefined if there is none. */
  readonly holder: string | undefined;
  readonly since: string | undefined;
  readonly clusters: number;
  /** Acquired within the last minute. */
  readonly hasMoved: boolean;
}

export interface ShardState {
  readonly replicas: readonly Replica[];
  readonly shards: readonly Shard[];
}

export const GROUP_SELECTOR = 'fairway.dev/shard-group=fairway';
const ROLE_LABEL = 'fairway.dev/shard-role';
const SHARD_ANNOTATION = 'fairway.dev/shard';
/** Longer than a live replica ever takes to renew its Lease. */
const GRACE_MS = 10_000;
const RECENTLY_MOVED_MS = 60_000;

/**
 * The assignment of clusters, from the Leases of their group. Like the replicas themselves, this decides whether a
 * replica is alive based on when this browser observed renewals: `heardMs`, by the Lease's name.
 */
export function shardStateOf(
  leases: readonly Lease[],
  clusterKeys: Iterable<string>,
  { heardMs, nowMs }: { readonly heardMs: ReadonlyMap<string, number>; readonly nowMs: number },
): ShardState {
  const members = leases.filter(({ metadata }) => metadata.labels?.[ROLE_LABEL] === 'member');
  const shardLeases = leases.flatMap((lease) => {
    const number = Number(lease.metadata.annotations?.[SHARD_ANNOTATION] ?? Number.NaN);
    return Number.isInteger(number) ? [{ number, lease }] : [];
  });
  const counts = new Map<number, number>();
  if (shardLeases.length > 0) {
    for (const key of clusterKeys) {
      const shard = shardOf(key, shardLeases.length);
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
  }
  const aliveNames = new Set(members.filter((lease) => isAlive(lease, heardMs, nowMs)).map(holderOf));
  const shards = shardLeases
    .map(({ number, lease }): Shard => {
      const leaseHolder = holderOf(lease);
      const since = lease.spec?.acquireTime;
      return {
        number,
        holder: aliveNames.has(leaseHolder) ? leaseHolder : undefined,
        since,
        clusters: counts.get(number) ?? 0,
        hasMoved: nowMs - Date.parse(since ?? '') < RECENTLY_MOVED_MS,
      };
    })
    .sort((a, b) => a.number - b.number);
  const replicas = members
    .map((lease): Replica => {
      const name = holderOf(lease);
      const ownShards = shards.filter(({ holder }) => holder === name);
      return {
        name,
        isAlive: aliveNames.has(name),
        since: lease.spec?.acquireTime,
        lastRenewal: lease.spec?.renewTime,
        shards: ownShards.length,
        clusters: ownShards.reduce((sum, { clusters }) => sum + clusters, 0),
      };
    })
    .sort((a, b) => a.name.localeCompare(b.name));
  return { replicas, shards };
}

/** The shard of a cluster's key, as replicas compute it: FNV-1a, finalized as in murmur3. */
export function shardOf(key: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) {
    hash ^= key.charCodeAt(i);
    hash = Math.imul(hash, 0x01000193);
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) % shards;
}

/** When renewals were observed; an unchanged Lease keeps its time. */
export function renewalTimes(
  before: ReadonlyMap<string, { readonly renewal: string | undefined; readonly ms: number }>,
  leases: readonly Lease[],
  nowMs: number,
): ReadonlyMap<string, { readonly renewal: string | undefined; readonly ms: number }> {
  return new Map(
    leases.map(({ metadata: { name = '' }, spec }) => {
      const known = before.get(name);
      const renewal = spec?.renewTime;
      return [name, known?.renewal === renewal && known !== undefined ? known : { renewal, ms: nowMs }];
    }),
  );
}

function isAlive({ metadata, spec }: Lease, heardMs: ReadonlyMap<string, number>, nowMs: number): boolean {
  const lastRenewal = heardMs.get(metadata.name ?? '');
  return lastRenewal === undefined || nowMs - lastRenewal < (spec?.leaseDurationSeconds ?? 0) * 1000 + GRACE_MS;
}

function holderOf({ spec }: Lease): string {
  return spec?.holderIdentity ?? '';
}
