import type { Lease } from '../kinds/generated/types.ts';

interface Observation {
  /** A value that changes with each renewal. */
  readonly renewal: string;
  /** When we first observed that renewal, by our own clock. */
  readonly seenMs: number;
  readonly durationMs: number;
}

/**
 * Decides by our own clock whether other members are alive. As in client-go's leader election, a lease runs from when
 * its last renewal was observed, so clocks need not agree, only run at about the same rate. The clock must be
 * monotonic: a step forward would declare every member dead.
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

  /** Records a member's lease. */
  observe(lease: Lease): void {
    const identity = lease.spec?.holderIdentity ?? '';
    const durationMs = (lease.spec?.leaseDurationSeconds ?? 0) * 1000 || this.#defaultDurationMs;
    if (identity !== '') this.#record(identity, `${lease.metadata.uid} ${lease.spec?.renewTime}`, durationMs);
  }

  /** Records that a member has no lease. It may have been deleted just after a renewal. */
  observeMissing(identity: string): void {
    this.#record(identity, 'none', this.#defaultDurationMs);
  }

  #record(identity: string, renewal: string, durationMs: number): void {
    if (this.#seen.get(identity)?.renewal !== renewal)
      this.#seen.set(identity, { renewal, seenMs: this.#now(), durationMs });
  }

  /** When `identity` expires unless it renews; a holder that was never observed gets a full lease duration from now. */
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
