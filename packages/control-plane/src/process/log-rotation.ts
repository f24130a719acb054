import type { Clock } from '@fairway/base/clock';
import type { Files } from './files.ts';

const PERIOD_MS = 60_000;
const LOG_BYTES = 10 * 1024 * 1024;

/** Limits the logs that programs append to: a long log is renamed, which replaces the previously renamed one. */
export class LogRotation {
  readonly #clock: Clock;
  readonly #files: Files;
  #rotatedAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, files: Files) {
    this.#clock = clock;
    this.#files = files;
  }

  /** Checks the logs if a check is due. */
  async step(paths: readonly string[]): Promise<void> {
    if (this.#clock.now() - this.#rotatedAtMs < PERIOD_MS) return;
    this.#rotatedAtMs = this.#clock.now();
    for (const path of paths) if (this.#files.size(path) >= LOG_BYTES) await this.#files.rotate(path, `${path}.1`);
  }
}
