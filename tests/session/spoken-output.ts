import type { ChildProcess } from 'node:child_process';

/** All that a program has printed, on both streams. */
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

  /** Resolves when it has said so; rejects with all that it said when it ends before. */
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
