import type { Clock } from '@fairway/base/clock';
import { type Binaries, chooseBinaries, missingBinariesMessage } from './find-binaries.ts';

const SEARCH_INTERVAL_MS = 30_000;

/**
 * The binaries on this machine. If none match, they are looked up again, because some may have been installed
 * since.
 */
export class BinaryFinder {
  readonly #find: () => Promise<readonly Binaries[]>;
  readonly #clock: Clock;
  #found: { readonly binaries: readonly Binaries[]; readonly atMs: number } | undefined;

  constructor(find: () => Promise<readonly Binaries[]>, clock: Clock) {
    this.#find = find;
    this.#clock = clock;
  }

  /** The binaries for a version, or an error message if there are none. */
  async binariesFor(version: string): Promise<Binaries | { readonly problem: string }> {
    const known = this.#found && chooseBinaries(this.#found.binaries, version);
    if (known?.version === version) return known;
    const binaries = await this.#currentBinaries();
    return chooseBinaries(binaries, version) ?? { problem: missingBinariesMessage(binaries, version) };
  }

  /** Every exact version with available binaries. */
  async versions(): Promise<readonly string[]> {
    const binaries = await this.#currentBinaries();
    return [...new Set(binaries.map(({ version }) => version))];
  }

  async #currentBinaries(): Promise<readonly Binaries[]> {
    const nowMs = this.#clock.now();
    if (this.#found === undefined || nowMs - this.#found.atMs >= SEARCH_INTERVAL_MS) {
      this.#found = { binaries: await this.#find(), atMs: nowMs };
    }
    return this.#found.binaries;
  }
}
