import type { Lease } from '../kinds/generated/types.ts';
import type { ObjectMeta } from '../object/meta.ts';

const GROUP_LABEL = 'fairway.dev/shard-group';
const ROLE_LABEL = 'fairway.dev/shard-role';
const SHARD_ANNOTATION = 'fairway.dev/shard';

/** Names and labels of the Leases in one group: one for each member, one for each shard. */
export class ShardLeases {
  readonly #namespace: string;
  readonly #group: string;
  readonly #shards: number;

  constructor(namespace: string, group: string, shards: number) {
    this.#namespace = namespace;
    this.#group = group;
    this.#shards = shards;
  }

  /** Label selector for all Leases in the group. */
  get selector(): string {
    return `${GROUP_LABEL}=${this.#group}`;
  }

  /** If there is only one shard, its Lease has the group's name, as in leader election. */
  shardName(shard: number): string {
    return this.#shards === 1 ? this.#group : `${this.#group}-${shard}`;
  }

  shardMetadata(shard: number): ObjectMeta {
    const annotations = { [SHARD_ANNOTATION]: String(shard) };
    return { ...this.#metadata(this.shardName(shard), 'shard'), annotations };
  }

  memberMetadata(identity: string): ObjectMeta {
    return this.#metadata(`${this.#group}-member-${identity}`, 'member');
  }

  #metadata(name: string, role: 'member' | 'shard'): ObjectMeta {
    return { name, namespace: this.#namespace, labels: { [GROUP_LABEL]: this.#group, [ROLE_LABEL]: role } };
  }
}

export function isMemberLease({ metadata }: Lease): boolean {
  return metadata.labels?.[ROLE_LABEL] === 'member';
}

/** The shard of a Lease; undefined for a member's Lease. */
export function shardOfLease({ metadata }: Lease): number | undefined {
  const shard = Number(metadata.annotations?.[SHARD_ANNOTATION]);
  return Number.isInteger(shard) ? shard : undefined;
}
