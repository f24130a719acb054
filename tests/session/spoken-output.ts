import type { ChildProcess } from 'node:child_process';

/** All output of a program, on both streams. */
export class SpokenOutput {
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

  /** Resolves when it has printed this; rejects with its output if it ends before that. */
  async says(isSaid: (text: string) => boolean, program: string): Promise<void> {
    const said = Promise.withResolvers<void>();
    const look = () => {
      if (isSaid(this.#text)) said.resolve();
    };
    const onExit = () => said.reject(new Error(`${program} ended:\n${this.#text}`));
    this.#child.stdout?.on('data', look);
    this.#child.once('exit', onExit);
    try {
      await said.promise;
    } finally {
      this.#child.stdout?.off('data', look);
      this.#child.off('exit', onExit);
    }
  }
}
