import type { Clock } from '@fairway/base/clock';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

/**
 * Checks a credential as soon as a call made with it is rejected. A service may reject calls for its own reasons and at
 * any rate, so each credential is checked at most once per `intervalMs`.
 */
export class RefusalChecks {
  readonly #check: (credentialKey: string) => void;
  readonly #clock: Clock;
  readonly #intervalMs: number;
  readonly #checkedAtMs = new Map<string, number>();

  constructor(check: (credentialKey: string) => void, clock: Clock, intervalMs: number) {
    this.#check = check;
    this.#clock = clock;
    this.#intervalMs = intervalMs;
  }

  /** Returns a function that stops the checks. */
  follow({ client, credentialKey }: Pick<ProjectCloud, 'client' | 'credentialKey'>): () => void {
    if (credentialKey === undefined) return () => {};
    const stop = client.session.onRefused(() => this.#onRefused(credentialKey));
    return () => {
      stop();
      this.#checkedAtMs.delete(credentialKey);
    };
  }

  #onRefused(credentialKey: string): void {
    const nowMs = this.#clock.now();
    const checkedMs = this.#checkedAtMs.get(credentialKey) ?? Number.NEGATIVE_INFINITY;
    if (nowMs - checkedMs < this.#intervalMs) return;
    this.#checkedAtMs.set(credentialKey, nowMs);
    this.#check(credentialKey);
  }
}
