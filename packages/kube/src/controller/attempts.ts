import type { Clock } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import type { BackoffOptions } from './work-queue.ts';

/** What is tried. */
export interface Attempt {
  /** Kind of call: `create servers`. */
  readonly kind: string;
  /** What it is for. */
  readonly item: string;
  /** Those who would fail alike of a cause that all share; the item alone unless given. */
  readonly group?: string;
}

/** What a failure says about the next try. */
export interface AttemptVerdict {
  /** The pauses of one cause grow. */
  readonly cause: string;
  /** Whether others would meet it too, such as an exhausted quota; else it is about the item. */
  readonly isShared: boolean;
  readonly minimumMs?: number | undefined;
}

export interface AttemptsOptions {
  readonly clock: Clock;
  readonly random: () => number;
  /** Undefined for what says nothing about the next try, such as the end of the process. */
  readonly judge: (error: unknown) => AttemptVerdict | undefined;
  readonly backoff?: BackoffOptions;
  readonly log?: Logger;
}

/** Thrown in place of an attempt that it is too early for; its cause is what went wrong the last time. */
export class RestingError extends Error {
  override readonly name = 'RestingError';

  constructor(cause: unknown, untilMs: number) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    restsUntil.set(this, untilMs);
  }
}

const restsUntil = new WeakMap<object, number>();

/** When what failed with this error is tried again; undefined for what does not rest. */
export function restsUntilMs(error: unknown): number | undefined {
  return typeof error === 'object' && error !== null ? restsUntil.get(error) : undefined;
}

/** What went wrong, now or the last time. */
export function lastFailure(error: unknown): unknown {
  return error instanceof RestingError ? lastFailure(error.cause) : error;
}

/** The first retry comes soon, and one that has failed for long comes every few minutes. */
export const DEFAULT_ATTEMPT_BACKOFF: BackoffOptions = { baseMs: 1_000, maxMs: 300_000 };

/** While somebody tries for all, the others look again so soon. */
const PROBE_POLL_MS = 1_000;
/** A person who asks again and again is heard so often. */
const MIN_PAUSE_MS = 1_000;
/** Whoever tries for all and is not heard of for so long is believed lost. */
const MAX_PROBE_MS = 900_000;
const MAX_GATES = 4_096;

/** What was begun, until it is told how it ended. */
export interface BegunAttempt {
  succeeded(): void;
  /** `restsUntilMs(error)` then tells when to come again. */
  failed(error: unknown): void;
  /** It ended without telling anything. */
  release(): void;
}

interface Gate {
  readonly key: string;
  /** Undefined where all share it. */
  readonly item: string | undefined;
  cause: string;
  failures: number;
  error: unknown;
  failedAtMs: number;
  untilMs: number;
  /** Who tries just now, for all. */
  probe: { readonly by: object; readonly untilMs: number } | undefined;
  /** Who failed while it is closed. */
  readonly groups: Set<string>;
  lastGroup: string;
}

/**
 * Steps that fail for long, and when they are tried again.
 *
 * **Guarantees.** After a failure nothing of its kind and item is tried before its pause is over, whoever asks: the pauses begin at a second and grow to
 * minutes. Of a cause that all share one tries for all, and the others in turn; whoever has not failed of it yet has one try. What was under way when
 * the first of many failed counts as one failure. A success ends the pause of all that it stands for.
 *
 * **Caveats.** In memory only: a process that starts anew tries once more.
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

  /** Does `work` when it is time. Rejects with its error, or with a RestingError; `restsUntilMs` tells of both when to come again. */
  async make<T>(attempt: Attempt, work: () => Promise<T>): Promise<T> {
    const begun = this.begin(attempt);
    try {
      const result = await work();
      begun.succeeded();
      return result;
    } catch (error) {
      begun.failed(error);
      throw error;
    }
  }

  /** Begins what takes longer than a call; one of the three must be told of it. Throws a RestingError when it is too early. */
  begin(attempt: Attempt): BegunAttempt {
    const { group = attempt.item } = attempt;
    const own = this.#gates.get(ownKey(attempt));
    const shared = this.#gates.get(attempt.kind);
    // Whoever has not met what all share may have another fate.
    const probed = [own, shared?.groups.has(group) ? shared : undefined].filter((gate) => gate !== undefined);
    for (const gate of probed) this.#requireDue(gate, group);
    const probe = {};
    const untilMs = this.#options.clock.now() + MAX_PROBE_MS;
    for (const gate of probed) gate.probe = { by: probe, untilMs };
    const release = () => {
      for (const gate of probed) if (gate.probe?.by === probe) gate.probe = undefined;
    };
    return {
      succeeded: () => {
        for (const gate of probed) this.#open(gate);
        release();
      },
      failed: (error) => {
        this.#failed(attempt, error, probed);
        release();
      },
      release,
    };
  }

  /** Notes a failure of what was begun elsewhere. */
  failed(attempt: Attempt, error: unknown): void {
    this.#failed(attempt, error, []);
  }

  /** Whether it failed the last time: what is done for many is better tried for one. */
  isSuspect(attempt: Attempt): boolean {
    return this.#gates.has(ownKey(attempt)) || this.#gates.has(attempt.kind);
  }

  /** Ends the pauses of the items that match, and of what all share: a person asks, or has mended something. */
  retryNow(isMatching: (item: string) => boolean = () => true): void {
    const nowMs = this.#options.clock.now();
    for (const gate of this.#gates.values()) {
      if (gate.item !== undefined && !isMatching(gate.item)) continue;
      gate.failures = 0;
      gate.untilMs = Math.min(gate.untilMs, Math.max(gate.failedAtMs + MIN_PAUSE_MS, nowMs));
    }
  }

  /** Drops what is known of an item that is gone. */
  forget(item: string): void {
    for (const key of this.#gates.keys()) if (key.endsWith(`\0${item}`)) this.#gates.delete(key);
  }

  #requireDue(gate: Gate, group: string): void {
    const nowMs = this.#options.clock.now();
    // Whoever tried the last time lets the others go first.
    const turnMs = gate.groups.size > 1 && gate.lastGroup === group ? PROBE_POLL_MS : 0;
    if (nowMs < gate.untilMs + turnMs) throw new RestingError(gate.error, gate.untilMs + turnMs);
    if ((gate.probe?.untilMs ?? 0) > nowMs) throw new RestingError(gate.error, nowMs + PROBE_POLL_MS);
  }

  #failed(attempt: Attempt, error: unknown, probed: readonly Gate[]): void {
    const verdict = this.#options.judge(lastFailure(error));
    if (verdict === undefined) return;
    const { group = attempt.item } = attempt;
    const isNested = error instanceof RestingError;
    const isShared = verdict.isShared && !isNested;
    const key = isShared ? attempt.kind : ownKey(attempt);
    const closed = this.#gates.get(key);
    const gate = closed ?? newGate(key, isShared ? undefined : attempt.item);
    // It answered otherwise than the last time: what was said then holds no more.
    for (const other of probed) if (other !== gate) this.#open(other);
    gate.groups.add(group);
    // What another has closed meanwhile, or tries just now, is closed already.
    if (closed === undefined || probed.includes(closed)) {
      this.#close(gate, error, verdict, group);
      if (!isNested) this.#tell(attempt, gate);
    }
    if (typeof error === 'object' && error !== null) {
      restsUntil.set(error, Math.max(gate.untilMs, isNested ? (restsUntilMs(error) ?? 0) : 0));
    }
  }

  #open(gate: Gate): void {
    if (this.#gates.get(gate.key) === gate) this.#gates.delete(gate.key);
  }

  #close(gate: Gate, error: unknown, { cause, minimumMs = 0 }: AttemptVerdict, group: string): void {
    const { clock, random } = this.#options;
    const { baseMs, maxMs } = this.#backoff;
    const nowMs = clock.now();
    const isNested = error instanceof RestingError;
    if (!isNested || gate.failures === 0) gate.failures = gate.cause === cause ? gate.failures + 1 : 1;
    const pauseMs = Math.min(maxMs, baseMs * 2 ** Math.min(gate.failures - 1, 30)) * (0.75 + random() / 4);
    gate.cause = cause;
    gate.error = lastFailure(error);
    gate.failedAtMs = nowMs;
    gate.lastGroup = group;
    // One that waits for another pause has none of its own.
    gate.untilMs = isNested ? (restsUntilMs(error) ?? nowMs) : nowMs + Math.max(minimumMs, pauseMs);
    this.#gates.set(gate.key, gate);
    if (this.#gates.size > MAX_GATES) this.#prune();
  }

  #tell({ kind, item }: Attempt, { error, failures, untilMs }: Gate): void {
    const pauseMs = Math.round(untilMs - this.#options.clock.now());
    this.#log.warn({ err: error, kind, item, failures, pauseMs }, 'a step failed and rests');
  }

  /** What has been due for long, nobody tries any more. */
  #prune(): void {
    const horizonMs = this.#options.clock.now() - 2 * this.#backoff.maxMs;
    for (const [key, gate] of this.#gates) if (gate.untilMs < horizonMs) this.#gates.delete(key);
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
