import { isHostFile } from './shell/container-environment.ts';

const MAX_FILES = 1000;

/** The files that pods have created on a node's disk through hostPath volumes; the oldest are dropped when there are many. */
export class HostFiles {
  readonly #files = new Set<string>();

  /** A pod's files that remain on the node. */
  add(files: readonly string[]): void {
    for (const file of files.filter(isHostFile)) this.#files.add(file);
    for (const oldest of this.#files) {
      if (this.#files.size <= MAX_FILES) return;
      this.#files.delete(oldest);
    }
  }

  now(): ReadonlySet<string> {
    return new Set(this.#files);
  }
}
