import type { Lease } from '../kinds/generated/types.ts';

interface Observation {
  /** What changes with each renewal. */
  readonly renewal: string;
  /** By our own time: when we first saw that renewal. */
  readonly seenMs: number;
  readonly durationMs: number;
}

/**
 * Judges by the own time alone whether other members are alive: a lease counts from when its last renewal was seen, as in client-go's
 * leader election, so that clocks need not agree, only run at about the same rate. The time must be one that nobody sets: a step forward would
 * declare everybody dead.
 */
export class LeaseObserver {
  readonly #now: () => number;
  readonly #defaultDurationMs: number;
  readonly #marginMs: number;
  readonly #seen = new Map<string, Observation>();

  constructor(now: () => number, defaultDurationMs: number, marginMs: number) {
    this.#now = now;
    this.#defaultDurationMs = defaultDurationMs;
    this.#marginMs = marginMs;
  }

  /** Takes note of a member's lease. */
  observe(lease: Lease): void {
    const identity = lease.spec?.holderIdentity ?? '';
    const durationMs = (lease.spec?.leaseDurationSeconds ?? 0) * 1000 || this.#defaultDurationMs;
    if (identity !== '') this.#note(identity, `${lease.metadata.uid} ${lease.spec?.renewTime}`, durationMs);
  }

  /** Takes note that a member has no lease: it may have been deleted behind its back a moment after it renewed it. */
  observeNone(identity: string): void {
    this.#note(identity, 'none', this.#defaultDurationMs);
  }

  #note(identity: string, renewal: string, durationMs: number): void {
    if (this.#seen.get(identity)?.renewal !== renewal)
      this.#seen.set(identity, { renewal, seenMs: this.#now(), durationMs });
  }

  /** When `identity` is dead unless it renews; one that holds something and was never seen gets a full term from now. */
  deadlineMs(identity: string): number {
    const known = this.#seen.get(identity);
    const observation = known ?? { renewal: '', seenMs: this.#now(), durationMs: this.#defaultDurationMs };
    if (!known) this.#seen.set(identity, observation);
    return observation.seenMs + observation.durationMs + this.#marginMs;
  }

  isDead(identity: string): boolean {
    return this.deadlineMs(identity) <= this.#now();
  }
}
