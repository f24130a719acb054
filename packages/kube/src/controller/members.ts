import type { Logger } from '@fairway/base/log';
import type { Informer } from '../client/informer.ts';
import type { ResourceClient } from '../client/resource-client.ts';
import type { Lease } from '../kinds/generated/types.ts';
import { isApiError } from '../object/api-error.ts';
import { LeaseObserver } from './lease-observer.ts';
import { assignEvenly } from './rendezvous.ts';
import { isMemberLease, type ShardLeases } from './shard-leases.ts';

export interface MembersOptions {
  readonly leases: ResourceClient<Lease>;
  readonly informer: Informer<Lease>;
  readonly names: ShardLeases;
  readonly namespace: string;
  /** The identity of this member. */
  readonly identity: string;
  readonly shards: number;
  readonly leaseDurationMs: number;
  readonly clockSkewMs: number;
  /** Monotonic time in milliseconds. */
  readonly monotonic: () => number;
  readonly log: Logger;
}

const FORGET_DEAD_MS = 600_000;

/** The members of a group, their liveness, and the member that each shard is assigned to. */
export class Members {
  readonly #options: MembersOptions;
  readonly #observer: LeaseObserver;
  #live: readonly string[] = [];
  #assigned: readonly string[] = [];

  constructor(options: MembersOptions) {
    this.#options = options;
    this.#observer = new LeaseObserver(options.monotonic, options.leaseDurationMs, options.clockSkewMs);
  }

  /** Records a member's lease. */
  observe(lease: Lease): void {
    this.#observer.observe(lease);
  }

  /** Updates the live members, with our own liveness as given. Returns whether they changed. */
  update(isSelfAlive: boolean): boolean {
    const { informer, identity: self, shards, log } = this.#options;
    const live = new Set<string>();
    for (const lease of informer.list()) {
      const identity = lease.spec?.holderIdentity ?? '';
      const isMember = isMemberLease(lease) && identity !== '';
      if (isMember && identity !== self && !this.#observer.isDead(identity)) live.add(identity);
    }
    if (isSelfAlive) live.add(self);
    const sorted = [...live].sort();
    if (sorted.join(' ') === this.#live.join(' ')) return false;
    this.#live = sorted;
    this.#assigned = assignEvenly(shards, sorted);
    log.info({ members: sorted }, 'members changed');
    return true;
  }

  /** Whether a shard is assigned to this member. */
  isAssignedToSelf(shard: number): boolean {
    return this.#assigned[shard] === this.#options.identity;
  }

  /** Milliseconds until `identity` expires unless it renews. */
  remainingMs(identity: string): number {
    return this.#observer.deadlineMs(identity) - this.#options.monotonic();
  }

  /**
   * Whether a member has failed to renew for the lease duration plus skew. Our watch may lag for as long as the other
   * member seems silent, and certainly does after this process was paused. So the Lease is read from the API before
   * a member is declared dead.
   */
  async isDead(identity: string, signal: AbortSignal): Promise<boolean> {
    if (!this.#observer.isDead(identity)) return false;
    const { leases, names, namespace } = this.#options;
    try {
      this.#observer.observe(await leases.get(names.memberMetadata(identity).name ?? '', { namespace, signal }));
    } catch (error) {
      if (!isApiError(error, 'NotFound')) throw error;
      this.#observer.observeMissing(identity);
    }
    return this.#observer.isDead(identity);
  }

  /** Deletes the Leases of members that crashed long ago. */
  async forgetDeadMembers(): Promise<void> {
    const { informer, leases, namespace, log } = this.#options;
    for (const lease of informer.list()) {
      if (!isMemberLease(lease) || -this.remainingMs(lease.spec?.holderIdentity ?? '') < FORGET_DEAD_MS) continue;
      const { name = '', uid = '', resourceVersion = '' } = lease.metadata;
      await leases.delete(name, { namespace, uid, resourceVersion }).catch((error: unknown) => {
        log.debug({ err: error, name }, 'lease of a dead member not deleted');
      });
    }
  }
}
