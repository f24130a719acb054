import type { ChildProcess } from 'node:child_process';

/** All output of a process, on both streams. */
export class ProcessOutput {
  readonly #child: ChildProcess;
  #text = '';

  constructor(child: ChildProcess) {
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        this.#text += text;
      });
    }
  }

  get text(): string {
    return this.#text;
  }

  /** Resolves when the program has printed matching text; rejects with its output if it exits first. */
  async waitForOutput(matches: (text: string) => boolean, program: string): Promise<void> {
    const matched = Promise.withResolvers<void>();
    const checkOutput = () => {
      if (matches(this.#text)) matched.resolve();
    };
    const onExit = () => matched.reject(new Error(`${program} ended:\n${this.#text}`));
    this.#child.stdout?.on('data', checkOutput);
    this.#child.once('exit', onExit);
    try {
      await matched.promise;
    } finally {
      this.#child.stdout?.off('data', checkOutput);
      this.#child.off('exit', onExit);
    }
  }
}
