import type { Grant } from '@fairway/base/fence';
import type { Tenure } from './key-owner.ts';

/** A moment by two clocks: the wall clock goes on while the machine sleeps, the monotonic one is set by nobody. */
export interface Moment {
  readonly wallMs: number;
  readonly monotonicMs: number;
}

/** Told apart by identity: grants are good for one. */
interface Hold {
  readonly tenure: Tenure;
  isLeaving: boolean;
}

/**
 * The shards that a member has taken, and until when its lease lets it act on them.
 *
 * Guarantees: a grant is good only while the shard has been held without a break since it was given and the lease is good by both clocks: a
 * process that was stopped (SIGSTOP: both clocks go on), a machine that slept (the wall clock goes on) and a wall clock that is set back (the
 * monotonic one goes on) all find it void before they ask for anything else.
 */
export class HeldShards {
  readonly #now: () => Moment;
  readonly #held = new Map<number, Hold>();
  #until: Moment | undefined;
  #lapses = 0;

  constructor(now: () => Moment) {
    this.#now = now;
  }

  /** How often the lease ran out. */
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

  /** Notices that the lease ran out: all shards are lost, as whoever found it so may have taken them. Returns those that were held. */
  dropIfLapsed(): readonly number[] {
    if (this.isLeaseGood || this.#until === undefined) return [];
    const lost = this.shards;
    this.#lapses++;
    this.#until = undefined;
    this.#held.clear();
    return lost;
  }

  /** Ends the lease in order. */
  end(): void {
    this.#until = undefined;
    this.#held.clear();
  }

  take(shard: number, tenure: Tenure): void {
    this.#held.set(shard, { tenure, isLeaving: false });
  }

  /** No new grants; those that were given stay good. */
  beginLeaving(shard: number): void {
    const hold = this.#held.get(shard);
    if (hold) hold.isLeaving = true;
  }

  /** Voids the grants that were given. */
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

  isLeaving(shard: number): boolean {
    return this.#held.get(shard)?.isLeaving ?? false;
  }

  /** Whether work on the shard may begin at this moment. */
  isOurs(shard: number): boolean {
    return this.#held.get(shard)?.isLeaving === false && this.isLeaseGood;
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
