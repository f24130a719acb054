import type { TestFairwayOptions } from './test-fairway.ts';
import type { ChooseApiFault } from './unreliable-api.ts';

/** The end of a process between two requests: what it asks for last is done, and it never learns of it. */
export class Crash {
  readonly #counted: RegExp;
  #writesLeft = Number.POSITIVE_INFINITY;
  #isDead = false;
  #onDeath: () => void = () => undefined;

  /** `counted`: paths whose writes count, of Fairway's own API and of tenants'. */
  constructor(counted: RegExp) {
    this.#counted = counted;
  }

  get options(): Pick<TestFairwayOptions, 'apiFaults' | 'tenantFaults'> {
    const choose: ChooseApiFault = ({ method, path }) => {
      if (this.#isDead) return { kind: 'breaksBefore' };
      if (method === 'GET' || !this.#counted.test(path) || --this.#writesLeft > 0) return undefined;
      this.#isDead = true;
      this.#onDeath();
      return { kind: 'breaksAfter' };
    };
    return { apiFaults: choose, tenantFaults: choose };
  }

  afterWrites(count: number, onDeath: () => void): void {
    this.#writesLeft = count;
    this.#onDeath = onDeath;
  }

  get hasHappened(): boolean {
    return this.#isDead;
  }

  /** Another process takes over. */
  end(): void {
    this.#isDead = false;
    this.#writesLeft = Number.POSITIVE_INFINITY;
  }
}
