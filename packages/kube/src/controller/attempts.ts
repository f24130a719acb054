import type { Clock } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { BackoffOptions } from './work-queue.ts';

/** Identifies a call that may be retried. */
export interface Attempt {
  /** Kind of operation: `create servers`. */
  readonly kind: string;
  /** The object that the call is for. */
  readonly item: string;
  /** Items in the same group fail together for a shared cause; by default an item is its own group. */
  readonly group?: string;
}

/** How a failure affects the next attempt. */
export interface RetryDecision {
  /** The backoff grows as long as the cause remains the same. */
  readonly cause: string;
  /** Whether other items would fail too, as with an exhausted quota. Otherwise the failure concerns only this item. */
  readonly isShared: boolean;
  readonly minimumMs?: number | undefined;
}

export interface AttemptsOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Undefined for errors that don't affect the next attempt, such as a shutdown. */
  readonly classify: (error: unknown) => RetryDecision | undefined;
  readonly backoff?: BackoffOptions;
  readonly log?: Logger;
}

/** Thrown instead of making an attempt while still backing off; its cause is the last failure. */
export class BackoffError extends Error {
  override readonly name = 'BackoffError';

  constructor(cause: unknown, untilMs: number) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    retryAt.set(this, untilMs);
  }
}

const retryAt = new WeakMap<object, number>();

/** When the attempt that failed with this error will be retried, in ms since the epoch; undefined for errors without backoff. */
export function retryAtMs(error: unknown): number | undefined {
  return typeof error === 'object' && error !== null ? retryAt.get(error) : undefined;
}

/** The underlying failure, of this attempt or the last one. */
export function lastFailure(error: unknown): unknown {
  return error instanceof BackoffError ? lastFailure(error.cause) : error;
}

/** The first retry comes soon; after many failures there is one every few minutes. */
export const DEFAULT_ATTEMPT_BACKOFF: BackoffOptions = { baseMs: 1_000, maxMs: 300_000 };

/** How often waiting items check again while another item probes for all of them. */
const PROBE_POLL_MS = 1_000;
/** Repeated user requests are served at most this often. */
const MIN_PAUSE_MS = 1_000;
/** A probe without an outcome after this time is abandoned. */
const MAX_PROBE_MS = 900_000;
const MAX_GATES = 4_096;

/** An attempt in progress; call exactly one of its methods. */
export interface StartedAttempt {
  succeeded(): void;
  /** Records the failure; `retryAtMs(error)` then returns when to retry. */
  failed(error: unknown): void;
  /** Ends the attempt without an outcome that matters for retries. */
  release(): void;
}

interface Gate {
  readonly key: string;
  /** Undefined for a shared cause. */
  readonly item: string | undefined;
  cause: string;
  failures: number;
  error: unknown;
  failedAtMs: number;
  untilMs: number;
  /** The attempt that currently probes for all items. */
  probe: { readonly by: object; readonly untilMs: number } | undefined;
  /** Groups that have failed since the gate closed. */
  readonly groups: Set<string>;
  lastGroup: string;
}

/**
 * Backoff for operations that keep failing.
 *
 * **Guarantees.** After a failure, no caller repeats the operation on the same item before its backoff has passed. The
 * backoff starts at a second and grows to minutes. For a shared cause, one item at a time probes for all; an item that
 * has not yet failed for this cause gets one attempt. Attempts that were in flight when the first failure occurred
 * count as one failure. A success ends the backoff of everything it covers.
 *
 * **Caveats.** The state is in memory only: after a restart there is one extra attempt.
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  readonly #backoff: BackoffOptions;
  readonly #log: Logger;
  readonly #gates = new Map<string, Gate>();

  constructor(options: AttemptsOptions) {
    this.#options = options;
    this.#backoff = options.backoff ?? DEFAULT_ATTEMPT_BACKOFF;
    this.#log = options.log ?? silentLogger;
  }

  /**
   * Runs `work` unless it is backing off. Rejects with the error of `work` or with a BackoffError; for both,
   * `retryAtMs` returns when to retry.
   */
  async withBackoff<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
    const started = this.begin(attempt);
    try {
      const result = await work();
      started.succeeded();
      return result;
    } catch (error) {
      started.failed(error);
      throw error;
    }
  }

  /**
   * Starts an attempt that outlasts the call. One of the three methods must be called when it ends. Throws a
   * BackoffError while backing off.
   */
  begin(attempt: Attempt): StartedAttempt {
    const { group = attempt.item } = attempt;
    const own = this.#gates.get(ownKey(attempt));
    const shared = this.#gates.get(attempt.kind);
    // An item that has not hit the shared cause may succeed.
    const probedGates = [own, shared?.groups.has(group) ? shared : undefined].filter((gate) => gate !== undefined);
    for (const gate of probedGates) this.#requireDue(gate, group);
    const probe = {};
    const untilMs = this.#options.clock.now() + MAX_PROBE_MS;
    for (const gate of probedGates) gate.probe = { by: probe, untilMs };
    const release = () => {
      for (const gate of probedGates) if (gate.probe?.by === probe) gate.probe = undefined;
    };
    return {
      succeeded: () => {
        for (const gate of probedGates) this.#open(gate);
        release();
      },
      failed: (error) => {
        this.#failed(attempt, error, probedGates);
        release();
      },
      release,
    };
  }

  /** Records a failure of an operation that was started elsewhere. */
  failed(attempt: Attempt, error: unknown): void {
    this.#failed(attempt, error, []);
  }

  /** Whether the last attempt failed; if so, a batch should first be tried with one item. */
  lastAttemptFailed(attempt: Attempt): boolean {
    return this.#gates.has(ownKey(attempt)) || this.#gates.has(attempt.kind);
  }

  /** Ends the backoff of matching items and of shared causes, because a user requested a retry or fixed something. */
  retryNow(matches: (item: string) => boolean = () => true): void {
    const nowMs = this.#options.clock.now();
    for (const gate of this.#gates.values()) {
      if (gate.item !== undefined && !matches(gate.item)) continue;
      gate.failures = 0;
      gate.untilMs = Math.min(gate.untilMs, Math.max(gate.failedAtMs + MIN_PAUSE_MS, nowMs));
    }
  }

  /** Forgets an item that has been deleted. */
  forget(item: string): void {
    for (const key of this.#gates.keys()) if (key.endsWith(`\0${item}`)) this.#gates.delete(key);
  }

  #requireDue(gate: Gate, group: string): void {
    const nowMs = this.#options.clock.now();
    // The item that probed last time yields to the others.
    const yieldMs = gate.groups.size > 1 && gate.lastGroup === group ? PROBE_POLL_MS : 0;
    if (nowMs < gate.untilMs + yieldMs) throw new BackoffError(gate.error, gate.untilMs + yieldMs);
    if ((gate.probe?.untilMs ?? 0) > nowMs) throw new BackoffError(gate.error, nowMs + PROBE_POLL_MS);
  }

  #failed(attempt: Attempt, error: unknown, probedGates: readonly Gate[]): void {
    const decision = this.#options.classify(lastFailure(error));
    if (decision === undefined) return;
    const { group = attempt.item } = attempt;
    const isNested = error instanceof BackoffError;
    const isShared = decision.isShared && !isNested;
    const key = isShared ? attempt.kind : ownKey(attempt);
    const closed = this.#gates.get(key);
    const gate = closed ?? newGate(key, isShared ? undefined : attempt.item);
    // The cause has changed, so the earlier one no longer applies.
    for (const other of probedGates) if (other !== gate) this.#open(other);
    gate.groups.add(group);
    // Another attempt has already closed the gate, or is probing now.
    if (closed === undefined || probedGates.includes(closed)) {
      this.#close(gate, error, decision, group);
      if (!isNested) this.#logFailure(attempt, gate);
    }
    if (typeof error === 'object' && error !== null) {
      retryAt.set(error, Math.max(gate.untilMs, isNested ? (retryAtMs(error) ?? 0) : 0));
    }
  }

  #open(gate: Gate): void {
    if (this.#gates.get(gate.key) === gate) this.#gates.delete(gate.key);
  }

  #close(gate: Gate, error: unknown, { cause, minimumMs = 0 }: RetryDecision, group: string): void {
    const { clock, random } = this.#options;
    const { baseMs, maxMs } = this.#backoff;
    const nowMs = clock.now();
    const isNested = error instanceof BackoffError;
    if (!isNested || gate.failures === 0) gate.failures = gate.cause === cause ? gate.failures + 1 : 1;
    const pauseMs = Math.min(maxMs, baseMs * 2 ** Math.min(gate.failures - 1, 30)) * (0.75 + random() / 4);
    gate.cause = cause;
    gate.error = lastFailure(error);
    gate.failedAtMs = nowMs;
    gate.lastGroup = group;
    // An attempt that is waiting for an inner backoff has no backoff of its own.
    gate.untilMs = isNested ? (retryAtMs(error) ?? nowMs) : nowMs + Math.max(minimumMs, pauseMs);
    this.#gates.set(gate.key, gate);
    if (this.#gates.size > MAX_GATES) this.#prune();
  }

  #logFailure({ kind, item }: Attempt, { error, failures, untilMs }: Gate): void {
    const pauseMs = Math.round(untilMs - this.#options.clock.now());
    this.#log.warn({ err: error, kind, item, failures, pauseMs }, 'operation failed, backing off');
  }

  /** Gates that have long been due are no longer in use. */
  #prune(): void {
    const cutoffMs = this.#options.clock.now() - 2 * this.#backoff.maxMs;
    for (const [key, gate] of this.#gates) if (gate.untilMs < cutoffMs) this.#gates.delete(key);
  }
}

function ownKey({ kind, item }: Attempt): string {
  return `${kind}\0${item}`;
}

function newGate(key: string, item: string | undefined): Gate {
  return {
    key,
    item,
    cause: '',
    failures: 0,
    error: undefined,
    failedAtMs: 0,
    untilMs: 0,
    probe: undefined,
    groups: new Set(),
    lastGroup: '',
  };
}
