import type { Grant } from '@fairway/base/fence';
import type { Tenure } from './key-owner.ts';

/**
 * A point in time on two clocks: the wall clock also advances while the machine sleeps, and the monotonic clock is
 * never set.
 */
export interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** Compared by identity, because a grant is valid for one tenure. */
interface Hold {
  readonly tenure: Tenure;
  isReleasing: boolean;
}

/**
 * The shards that a member holds, and the expiry of its lease.
 *
 * Guarantees: a grant is valid only while the shard has been held without interruption since the grant was issued, and
 * the lease is valid on both clocks. The grant is invalid before the next request if a process was stopped (SIGSTOP:
 * both clocks advance), a machine was suspended (the wall clock advances) or the wall clock was set back (the monotonic
 * one advances).
 */
export class HeldShards {
  readonly #now: () => Moment;
  readonly #held = new Map<number, Hold>();
  #until: Moment | undefined;
  #lapses = 0;

  constructor(now: () => Moment) {
    this.#now = now;
  }

  /** How often the lease has expired. */
  get lapses(): number {
    return this.#lapses;
  }

  get shards(): readonly number[] {
    return [...this.#held.keys()];
  }

  get isLeaseValid(): boolean {
    if (this.#until === undefined) return false;
    const { wallMs, monotonicMs } = this.#now();
    return wallMs < this.#until.wallMs && monotonicMs < this.#until.monotonicMs;
  }

  /** Records that a request sent at `sent` renewed the lease. */
  recordRenewal(sent: Moment, durationMs: number): void {
    this.#until = { wallMs: sent.wallMs + durationMs, monotonicMs: sent.monotonicMs + durationMs };
  }

  /**
   * Drops all shards once the lease has expired, because other members may have taken them over. Returns the shards
   * that were held.
   */
  dropIfLapsed(): readonly number[] {
    if (this.isLeaseValid || this.#until === undefined) return [];
    const lost = this.shards;
    this.#lapses++;
    this.#until = undefined;
    this.#held.clear();
    return lost;
  }

  /** Ends the lease on an orderly stop. */
  end(): void {
    this.#until = undefined;
    this.#held.clear();
  }

  acquire(shard: number, tenure: Tenure): void {
    this.#held.set(shard, { tenure, isReleasing: false });
  }

  /** Issues no new grants; existing ones stay valid. */
  beginRelease(shard: number): void {
    const heldShard = this.#held.get(shard);
    if (heldShard) heldShard.isReleasing = true;
  }

  /** Invalidates existing grants. */
  revoke(shard: number): void {
    const heldShard = this.#held.get(shard);
    if (heldShard) this.#held.set(shard, { ...heldShard });
  }

  release(shard: number): void {
    this.#held.delete(shard);
  }

  has(shard: number): boolean {
    return this.#held.has(shard);
  }

  isReleasing(shard: number): boolean {
    return this.#held.get(shard)?.isReleasing ?? false;
  }

  /** Whether work on the shard may start now. */
  canStartWork(shard: number): boolean {
    return this.#held.get(shard)?.isReleasing === false && this.isLeaseValid;
  }

  grant(shard: number, subject: string): Grant | undefined {
    const heldShard = this.#held.get(shard);
    if (heldShard === undefined || !this.canStartWork(shard)) return undefined;
    return { subject, isValid: () => this.#held.get(shard) === heldShard && this.isLeaseValid };
  }

  tenure(shard: number): Tenure | undefined {
    return this.canStartWork(shard) ? this.#held.get(shard)?.tenure : undefined;
  }
}
