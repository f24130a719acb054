import type { Clock } from '@fairway/base/clock';
import { type Binaries, chooseBinaries, missingBinaries } from './find-binaries.ts';

const FIND_AGAIN_MS = 30_000;

/** The binaries on this machine; searched again if none match, because some may have been installed meanwhile. */
export class BinaryFinder {
  readonly #find: () => Promise<readonly Binaries[]>;
  readonly #clock: Clock;
  #found: { readonly binaries: readonly Binaries[]; readonly atMs: number } | undefined;

  constructor(find: () => Promise<readonly Binaries[]>, clock: Clock) {
    this.#find = find;
    this.#clock = clock;
  }

  /** Those for a version, or an error message if there are none. */
  async for(version: string): Promise<Binaries | { readonly problem: string }> {
    const known = this.#found && chooseBinaries(this.#found.binaries, version);
    if (known?.version === version) return known;
    const binaries = await this.#recent();
    return chooseBinaries(binaries, version) ?? { problem: missingBinaries(binaries, version) };
  }

  /** Every exact version with available binaries. */
  async versions(): Promise<readonly string[]> {
    const binaries = await this.#recent();
    return [...new Set(binaries.map(({ version }) => version))];
  }

  async #recent(): Promise<readonly Binaries[]> {
    const nowMs = this.#clock.now();
    if (this.#found === undefined || nowMs - this.#found.atMs >= FIND_AGAIN_MS) {
      this.#found = { binaries: await this.#find(), atMs: nowMs };
    }
    return this.#found.binaries;
  }
}
