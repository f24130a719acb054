import type { Lease } from '@fairway/kube/kinds/generated/types';

/** A process of Fairway, and what it looks after. */
export interface Replica {
  readonly name: string;
  readonly isAlive: boolean;
  /** RFC 3339. */
  readonly since: string | undefined;
  readonly heard: string | undefined;
  readonly shards: number;
  readonly clusters: number;
}

export interface Shard {
  readonly number: number;
  /** The replica that works on its clusters; undefined while none does. */
  readonly holder: string | undefined;
  readonly since: string | undefined;
  readonly clusters: number;
  /** Taken within the last minute. */
  readonly hasMoved: boolean;
}

export interface Sharing {
  readonly replicas: readonly Replica[];
  readonly shards: readonly Shard[];
}

export const GROUP_SELECTOR = 'fairway.dev/shard-group=fairway';
const ROLE_LABEL = 'fairway.dev/shard-role';
const SHARD_ANNOTATION = 'fairway.dev/shard';
/** Longer than a Lease is late in a replica that lives. */
const GRACE_MS = 10_000;
const MOVED_MS = 60_000;

/**
 * Who looks after which clusters, from the Leases of their group. Whether a replica lives is judged by when its renewals were heard of here, as replicas do it themselves: `heardMs`, by the Lease's name.
 */
export function sharingOf(
  leases: readonly Lease[],
  clusterKeys: Iterable<string>,
  { heardMs, nowMs }: { readonly heardMs: ReadonlyMap<string, number>; readonly nowMs: number },
): Sharing {
  const members = leases.filter(({ metadata }) => metadata.labels?.[ROLE_LABEL] === 'member');
  const ofShards = leases.flatMap((lease) => {
    const number = Number(lease.metadata.annotations?.[SHARD_ANNOTATION] ?? Number.NaN);
    return Number.isInteger(number) ? [{ number, lease }] : [];
  });
  const counts = new Map<number, number>();
  if (ofShards.length > 0) {
    for (const key of clusterKeys) {
      const shard = shardOf(key, ofShards.length);
      counts.set(shard, (counts.get(shard) ?? 0) + 1);
    }
  }
  const alive = new Set(members.filter((lease) => isAlive(lease, heardMs, nowMs)).map(holderOf));
  const shards = ofShards
    .map(({ number, lease }): Shard => {
      const named = holderOf(lease);
      const since = lease.spec?.acquireTime;
      return {
        number,
        holder: alive.has(named) ? named : undefined,
        since,
        clusters: counts.get(number) ?? 0,
        hasMoved: nowMs - Date.parse(since ?? '') < MOVED_MS,
      };
    })
    .sort((a, b) => a.number - b.number);
  const replicas = members
    .map((lease): Replica => {
      const name = holderOf(lease);
      const held = shards.filter(({ holder }) => holder === name);
      return {
        name,
        isAlive: alive.has(name),
        since: lease.spec?.acquireTime,
        heard: lease.spec?.renewTime,
        shards: held.length,
        clusters: held.reduce((sum, { clusters }) => sum + clusters, 0),
      };
    })
    .sort((a, b) => a.name.localeCompare(b.name));
  return { replicas, shards };
}

/** The shard of a cluster's key, as replicas compute it: FNV-1a, finished as murmur3 does. */
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

/** When renewals were heard of: the time of a Lease that is as it was stays. */
export function heardTimes(
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
  const heard = heardMs.get(metadata.name ?? '');
  return heard === undefined || nowMs - heard < (spec?.leaseDurationSeconds ?? 0) * 1000 + GRACE_MS;
}

function holderOf({ spec }: Lease): string {
  return spec?.holderIdentity ?? '';
}
