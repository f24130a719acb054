import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { Attempts, type RetryDecision, type StartedAttempt } from '@fairway/kube/controller/attempts';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';

export interface Build {
  /** Backoff group: volumes of one class in a cluster. */
  readonly group: string;
  /** Identifies the volume within its group. */
  readonly item: string;
}

/**
 * Backoff for failing volumes, from the request until Cinder has created them. While volumes of a class fail, they are
 * retried one at a time, in turn, so a thousand claims cost no more than one.
 */
export class VolumeBuilds {
  readonly #attempts: Attempts;
  readonly #started = new Map<string, StartedAttempt>();

  constructor({ clock, random, log }: { readonly clock: Clock; readonly random: () => number; readonly log: Logger }) {
    this.#attempts = new Attempts({ clock, random, log, classify: decideRetry });
  }

  /** Sends a request. Rejects with its error, or with a BackoffError if the request is not sent because of backoff. */
  async send(build: Build, request: () => Promise<unknown>): Promise<void> {
    const started = this.#attempts.begin(attemptOf(build));
    this.#started.set(build.item, started);
    try {
      await request();
    } catch (error) {
      this.#started.delete(build.item);
      started.failed(error);
      throw error;
    }
  }

  succeeded({ item }: Build): void {
    this.#started.get(item)?.succeeded();
    this.#started.delete(item);
    this.#attempts.forget(item);
  }

  /** Records that Cinder failed to create the volume, and throws the problem. */
  failed(build: Build, problem: ProblemError): never {
    const started = this.#started.get(build.item);
    this.#started.delete(build.item);
    (started ?? this.#attempts.begin(attemptOf(build))).failed(problem);
    throw problem;
  }

  /** Forgets a volume that is no longer needed. */
  abandon(item: string): void {
    this.#started.get(item)?.release();
    this.#started.delete(item);
    this.#attempts.forget(item);
  }

  forget(isMatching: (item: string) => boolean): void {
    for (const item of this.#started.keys()) if (isMatching(item)) this.abandon(item);
  }
}

function attemptOf({ group, item }: Build) {
  return { kind: `build volumes of ${group}`, item };
}

function decideRetry(error: unknown): RetryDecision | undefined {
  if (isOpenStackError(error)) return { cause: error.kind, isShared: true, minimumMs: error.retryAfterMs };
  return error instanceof ProblemError ? { cause: error.problem.reason, isShared: true } : undefined;
}
