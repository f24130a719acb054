import { isOfHost } from './shell/container-surroundings.ts';

const MAX_FILES = 1000;

/** The files on a node's disk that pods have made, through volumes of hostPath; the oldest are forgotten when there are many. */
export class HostFiles {
  readonly #files = new Set<string>();

  /** Of what a pod has made, those that stay on the node. */
  add(files: readonly string[]): void {
    for (const file of files.filter(isOfHost)) this.#files.add(file);
    for (const oldest of this.#files) {
      if (this.#files.size <= MAX_FILES) return;
      this.#files.delete(oldest);
    }
  }

  now(): ReadonlySet<string> {
    return new Set(this.#files);
  }
}
