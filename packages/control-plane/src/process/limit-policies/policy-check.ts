import type { Clock, Timer } from '@fairway/base/clock';
import type { LimitPoliciesState } from '../../runtime.ts';
import type { ApiServerTarget, Probes } from '../probes.ts';
import { policyHash } from './policy-file.ts';

export interface PolicyCheckOptions {
  readonly probe: Probes['policies'];
  readonly clock: Clock;
  readonly onChange: () => void;
}

const MIN_RETRY_MS = 500;
const MAX_RETRY_MS = 60_000;
/** kube-apiserver reads a changed file within seconds; if it misses the change, after a minute. */
const LOAD_TIMEOUT_MS = 90_000;

const NOT_LOADED: LimitPoliciesState = {
  mode: 'Objects',
  problem: 'kube-apiserver has not loaded the policy file: its log says why',
};

/** Asks an API server which policy file it enforces, until it is the current one. */
export class PolicyCheck {
  readonly #options: PolicyCheckOptions;
  /** Hash of the file that should be in effect. */
  #expected: string | undefined;
  /** When an API server was first asked about it. */
  #sinceMs: number | undefined;
  #isLoaded = false;
  #isOverdue = false;
  #target: ApiServerTarget | undefined;
  #work: Promise<void> | undefined;
  #timer: Timer | undefined;
  #retryMs = MIN_RETRY_MS;

  constructor(options: PolicyCheckOptions) {
    this.#options = options;
  }

  /** Undefined while it is not known. */
  get state(): LimitPoliciesState | undefined {
    if (this.#isLoaded) return { mode: 'Manifests' };
    return this.#isOverdue ? NOT_LOADED : undefined;
  }

  /** `text` is the policy file; undefined: none. `target` is undefined unless the API server serves requests. */
  step(text: string | undefined, target: ApiServerTarget | undefined): void {
    const expected = text === undefined ? undefined : policyHash(text);
    if (expected !== this.#expected) this.#reset(expected);
    this.#target = target;
    if (this.#timer === undefined) this.#ask();
  }

  /** Resolves when no request is in progress. */
  async stop(): Promise<void> {
    this.#reset(undefined);
    await this.#work;
  }

  #reset(expected: string | undefined): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    this.#expected = expected;
    this.#sinceMs = undefined;
    this.#isLoaded = false;
    this.#isOverdue = false;
    this.#retryMs = MIN_RETRY_MS;
  }

  #ask(): void {
    const expected = this.#expected;
    const target = this.#target;
    if (expected === undefined || target === undefined || this.#isLoaded || this.#work !== undefined) return;
    this.#sinceMs ??= this.#options.clock.now();
    this.#work = this.#options.probe(target).then((loaded) => {
      this.#work = undefined;
      this.#record(expected, loaded);
    });
  }

  #record(asked: string, loaded: string | undefined): void {
    const { clock, onChange } = this.#options;
    if (this.#expected === undefined) return;
    const before = this.state?.mode;
    // A result for an earlier file says nothing about the current one.
    if (asked === this.#expected) {
      this.#isLoaded = loaded === asked;
      this.#isOverdue = !this.#isLoaded && clock.now() - (this.#sinceMs ?? clock.now()) >= LOAD_TIMEOUT_MS;
    }
    if (!this.#isLoaded) {
      this.#timer = clock.after(this.#retryMs, () => {
        this.#timer = undefined;
        this.#ask();
      });
      this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS);
    }
    if (this.state?.mode !== before) onChange();
  }
}
