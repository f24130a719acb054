import { isSameRestore, type RestoreRequest } from '@fairway/api/domain/restore-request';
import type { Clock, Timer } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { SnapshotsState } from '../../runtime.ts';
import { RestoreError } from './restore-error.ts';

/** Interval between retries: the operator may have installed a tool or freed disk space. */
const RETRY_MS = 60_000;

export interface RestorerOptions {
  readonly clock: Clock;
  readonly log: Logger;
  readonly onChange: () => void;
}

/** Executes one request at a time, and keeps the error of a failed one. Completion is recorded in the cluster's record. */
export class Restorer {
  readonly #options: RestorerOptions;
  #work: Promise<void> | undefined;
  #state: SnapshotsState['restoring'];
  #retryAtMs = 0;
  #retry: Timer | undefined;

  constructor(options: RestorerOptions) {
    this.#options = options;
  }

  /** Starts a pending request; does nothing while one is in progress, or until a failed one is due for a retry. */
  step(request: RestoreRequest | undefined, runRestore: (request: RestoreRequest) => Promise<void>): void {
    if (this.#work !== undefined) return;
    if (request === undefined) {
      this.#state = undefined;
      return;
    }
    const isKnown = isSameRestore(request, this.#state?.request);
    if (isKnown && (this.#state?.problem === 'NotFound' || this.#options.clock.now() < this.#retryAtMs)) return;
    this.#state = { request, message: `Snapshot ${request.snapshot} is being restored.`, problem: undefined };
    this.#work = this.#run(request, runRestore);
  }

  /** Whether a restore is in progress, so that nothing else may change the control plane. */
  get isBusy(): boolean {
    return this.#work !== undefined;
  }

  get state(): SnapshotsState['restoring'] {
    return this.#state;
  }

  /** Resolves when no work is in progress; starts no more work. */
  async stop(): Promise<void> {
    this.#retry?.cancel();
    await this.#work;
  }

  async #run(request: RestoreRequest, runRestore: (request: RestoreRequest) => Promise<void>): Promise<void> {
    const { clock, log, onChange } = this.#options;
    try {
      await runRestore(request);
      this.#state = undefined;
      log.info({ snapshot: request.snapshot }, 'snapshot restored');
    } catch (error) {
      const problem = error instanceof RestoreError ? error.problem : 'Failed';
      const reason = error instanceof Error ? error.message : String(error);
      this.#state = { request, problem, message: `Snapshot ${request.snapshot} was not restored: ${reason}` };
      log.warn({ err: error, snapshot: request.snapshot }, 'could not restore a snapshot');
      this.#retryAtMs = clock.now() + RETRY_MS;
      this.#retry = clock.after(RETRY_MS, onChange);
    }
    this.#work = undefined;
    onChange();
  }
}
