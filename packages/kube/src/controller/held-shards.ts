import type { Grant } from '@fairway/base/fence';
import type { Tenure } from './key-owner.ts';

/** A time by two clocks: the wall clock advances while the machine sleeps, the monotonic one is never set. */
export interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** Compared by identity: a grant is valid for one tenure. */
interface Hold {
  readonly tenure: Tenure;
  isReleasing: boolean;
}

/**
 * The shards that a member holds, and until when its lease is valid.
 *
 * Guarantees: a grant is valid only while the shard has been held without interruption since it was issued and the lease is valid by both
 * clocks: after a process was stopped (SIGSTOP: both clocks advance), a machine was suspended (the wall clock advances) or the wall clock was
 * set back (the monotonic one advances), it is invalid before the next request.
 */
export class HeldShards {
  readonly #now: () => Moment;
  readonly #held = new Map<number, Hold>();
  #until: Moment | undefined;
  #lapses = 0;

  constructor(now: () => Moment) {
    this.#now = now;
  }

  /** How often the lease expired. */
  get lapses(): number {
    return this.#lapses;
  }

  get shards(): readonly number[] {
    return [...this.#held.keys()];
  }

  get isLeaseGood(): boolean {
    if (this.#until === undefined) return false;
    const { wallMs, monotonicMs } = this.#now();
    return wallMs < this.#until.wallMs && monotonicMs < this.#until.monotonicMs;
  }

  /** The lease was renewed by a request that was sent at `sent`. */
  renewed(sent: Moment, durationMs: number): void {
    this.#until = { wallMs: sent.wallMs + durationMs, monotonicMs: sent.monotonicMs + durationMs };
  }

  /** Drops all shards after the lease expired, as other members may have taken them. Returns those that were held. */
  dropIfLapsed(): readonly number[] {
    if (this.isLeaseGood || this.#until === undefined) return [];
    const lost = this.shards;
    this.#lapses++;
    this.#until = undefined;
    this.#held.clear();
    return lost;
  }

  /** Ends the lease on a regular stop. */
  end(): void {
    this.#until = undefined;
    this.#held.clear();
  }

  take(shard: number, tenure: Tenure): void {
    this.#held.set(shard, { tenure, isReleasing: false });
  }

  /** Issues no new grants; existing ones stay valid. */
  beginRelease(shard: number): void {
    const hold = this.#held.get(shard);
    if (hold) hold.isReleasing = true;
  }

  /** Invalidates existing grants. */
  revoke(shard: number): void {
    const hold = this.#held.get(shard);
    if (hold) this.#held.set(shard, { ...hold });
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
  isOurs(shard: number): boolean {
    return this.#held.get(shard)?.isReleasing === false && this.isLeaseGood;
  }

  grant(shard: number, subject: string): Grant | undefined {
    const hold = this.#held.get(shard);
    if (hold === undefined || !this.isOurs(shard)) return undefined;
    return { subject, isValid: () => this.#held.get(shard) === hold && this.isLeaseGood };
  }

  tenure(shard: number): Tenure | undefined {
    return this.isOurs(shard) ? this.#held.get(shard)?.tenure : undefined;
  }
}
