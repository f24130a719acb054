import { type Clock, formatMicroTime } from '@fairway/base/clock';
import type { Grant } from '@fairway/base/fence';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { KubeClient } from '../client/kube-client.ts';
import type { ResourceClient } from '../client/resource-client.ts';
import type { Lease } from '../kinds/generated/types.ts';
import { Leases } from '../kinds/resources.ts';
import { isApiError } from '../object/api-error.ts';
import type { KeyOwner, Tenure } from './key-owner.ts';
import { LeaseObserver } from './lease-observer.ts';

/** client-go's durations, named after its flags. */
export interface LeaderTimes {
  /** How long a leader retains the Lease without renewing it. */
  readonly leaseDurationMs: number;
  /** How long a leader acts without a renewal. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
}

export const DEFAULT_LEADER_TIMES: LeaderTimes = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

export interface LeaderLeaseOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** Unique per start. */
  readonly identity: string;
  readonly times?: LeaderTimes;
  readonly clock: Clock;
  /** Monotonic time in milliseconds, such as `performance.now`. */
  readonly monotonic: () => number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log?: Logger;
}

interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

const NEVER: Moment = { monotonic: Number.NEGATIVE_INFINITY, wall: Number.NEGATIVE_INFINITY };
/** Jitter for the retry period, so that contenders do not run in lockstep. */
const JITTER = 0.2;

/**
 * Leader election with a Lease, compatible with client-go: contenders may be other programs.
 *
 * Expected flow: call `acquire`, then work under the grants. When `lost` resolves, the process must exit. Call
 * `release` on an orderly stop. Guarantees: no grant is valid once `renewDeadlineMs` have passed without a renewal, and
 * no other process takes the Lease earlier than `leaseDurationMs` after the last renewal. A lost Lease is not acquired
 * again: the process must restart. Assumptions: clocks run at about the same rate.
 */
export class LeaderLease implements KeyOwner {
  readonly #options: LeaderLeaseOptions;
  readonly #times: LeaderTimes;
  readonly #leases: ResourceClient<Lease>;
  readonly #observer: LeaseObserver;
  readonly #log: Logger;
  readonly #lost = Promise.withResolvers<void>();
  readonly #stop = new AbortController();
  #known: Lease | undefined;
  #tenure: Tenure | undefined;
  #renewedAt = NEVER;
  #hasLapsed = false;
  #renewing: Promise<void> = Promise.resolve();

  constructor(options: LeaderLeaseOptions) {
    this.#options = options;
    this.#times = options.times ?? DEFAULT_LEADER_TIMES;
    this.#leases = options.client.resource(Leases);
    this.#observer = new LeaseObserver(options.monotonic, this.#times.leaseDurationMs, 0);
    this.#log = options.log ?? silentLogger;
  }

  /** Resolves once the Lease is lost; never after `release`. */
  get lost(): Promise<void> {
    return this.#lost.promise;
  }

  /**
   * Resolves when this process holds the Lease, and then keeps renewing it. Rejects with the signal's reason, or if
   * access to the Lease is denied.
   */
  async acquire(signal: AbortSignal): Promise<void> {
    for (let holder: string | undefined; ; ) {
      signal.throwIfAborted();
      const found = await this.#tryAcquire(signal);
      if (this.#tenure) break;
      if (found !== undefined && found !== holder) this.#log.info({ holder: found }, 'another process is the leader');
      holder = found ?? holder;
      await this.#pause(signal);
    }
    this.#log.info({ identity: this.#options.identity }, 'this process is the leader');
    this.#renewing = this.#renew();
  }

  /** Stops renewing the Lease and releases it immediately. */
  async release(): Promise<void> {
    this.#stop.abort();
    await this.#renewing;
    if (!this.stillOwns() || this.#known === undefined) return;
    const { holderIdentity: _, ...spec } = { ...this.#spec(), leaseDurationSeconds: 1 };
    this.#renewedAt = NEVER;
    try {
      await this.#leases.update({ ...this.#known, spec });
    } catch (error) {
      this.#log.warn({ err: error }, 'the Lease was not released; it will expire');
    }
  }

  stillOwns(): boolean {
    if (this.#hasLapsed) return false;
    const { monotonic, wall } = this.#moment();
    const { renewDeadlineMs } = this.#times;
    // The monotonic clock stops during sleep, and the wall clock may be set.
    const isInTime =
      monotonic < this.#renewedAt.monotonic + renewDeadlineMs && wall < this.#renewedAt.wall + renewDeadlineMs;
    // A later renewal doesn't help: work has already been rejected and dropped.
    if (!isInTime && this.#tenure !== undefined) this.#hasLapsed = true;
    return isInTime;
  }

  grant(key: string): Grant | undefined {
    return this.stillOwns() ? { subject: key, isValid: () => this.stillOwns() } : undefined;
  }

  tenure(): Tenure | undefined {
    return this.stillOwns() ? this.#tenure : undefined;
  }

  /** Does nothing: the Lease is acquired before there are workers, and they end with it. */
  register(): void {}

  /** Tries to acquire the Lease once. Resolves with its current holder, if known. */
  async #tryAcquire(signal: AbortSignal): Promise<string | undefined> {
    const { clock, identity, name, namespace } = this.#options;
    const sentAt = this.#moment();
    try {
      const found = await this.#read(signal);
      const holder = found?.spec?.holderIdentity || undefined;
      if (found && holder !== undefined && holder !== identity) {
        this.#observer.observe(found);
        if (!this.#observer.isDead(holder)) return holder;
      }
      const isInherited = found !== undefined;
      const transitions = (found?.spec?.leaseTransitions ?? 0) + (isInherited ? 1 : 0);
      const spec = { ...this.#spec(), acquireTime: formatMicroTime(clock.now()), leaseTransitions: transitions };
      this.#known = found
        ? await this.#leases.update({ ...found, spec }, { signal })
        : await this.#leases.create({ metadata: { name, namespace }, spec }, { signal });
      this.#tenure = { sinceMs: clock.now(), isInherited };
      this.#renewedAt = sentAt;
    } catch (error) {
      if (signal.aborted || isApiError(error, 'Forbidden', 'Unauthorized')) throw error;
      // Another process got there first, or the API server does not respond.
      this.#log.debug({ err: error }, 'the Lease was not acquired');
    }
    return undefined;
  }

  async #read(signal: AbortSignal): Promise<Lease | undefined> {
    const { name, namespace } = this.#options;
    try {
      return await this.#leases.get(name, { namespace, signal });
    } catch (error) {
      if (isApiError(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  async #renew(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await this.#pause(signal).catch(() => {});
      if (signal.aborted) return;
      await this.#renewOnce(signal);
      if (signal.aborted || this.stillOwns()) continue;
      this.#log.error({}, 'the Lease was lost');
      this.#lost.resolve();
      return;
    }
  }

  async #renewOnce(signal: AbortSignal): Promise<void> {
    const { clock, identity } = this.#options;
    const sentAt = this.#moment();
    const timeout = new AbortController();
    const deadline = clock.after(this.#renewedAt.monotonic + this.#times.renewDeadlineMs - sentAt.monotonic, () =>
      timeout.abort(),
    );
    const limit = AbortSignal.any([signal, timeout.signal]);
    try {
      const current = this.#known ?? (await this.#read(limit));
      if (current?.spec?.holderIdentity !== identity) {
        // The process that took the Lease considers itself the leader.
        this.#renewedAt = NEVER;
        return;
      }
      this.#known = await this.#leases.update({ ...current, spec: this.#spec(current) }, { signal: limit });
      if (this.stillOwns()) this.#renewedAt = sentAt;
    } catch (error) {
      this.#known = undefined;
      if (!signal.aborted) this.#log.warn({ err: error }, 'the Lease was not renewed');
    } finally {
      deadline.cancel();
    }
  }

  #spec(known = this.#known) {
    const { clock, identity } = this.#options;
    return {
      ...known?.spec,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(this.#times.leaseDurationMs / 1000),
      renewTime: formatMicroTime(clock.now()),
    };
  }

  #moment(): Moment {
    const { clock, monotonic } = this.#options;
    return { monotonic: monotonic(), wall: clock.now() };
  }

  #pause(signal: AbortSignal): Promise<void> {
    const { clock, random } = this.#options;
    return clock.sleep(this.#times.retryPeriodMs * (1 + JITTER * random()), signal);
  }
}
