import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Command, Result, Target } from './protocol.ts';

/** Load comes from processes of their own, so that one client's event loop is not what is measured. */
export class Worker {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(join(import.meta.dirname, 'worker.ts'));
  }

  run(command: Command): Promise<Result> {
    return new Promise((resolve, reject) => {
      const onExit = () => reject(new Error('a worker ended'));
      this.#child.once('exit', onExit);
      this.#child.once('message', (result: Result) => {
        this.#child.off('exit', onExit);
        if (result.error === undefined) resolve(result);
        else reject(new Error(result.error));
      });
      this.#child.send(command);
    });
  }

  close(): void {
    this.#child.removeAllListeners();
    this.#child.kill();
  }
}

export class Workers {
  readonly all: readonly Worker[];

  constructor(count: number) {
    this.all = Array.from({ length: count }, () => new Worker());
  }

  async aimAt(target: Target): Promise<void> {
    await Promise.all(this.all.map((worker) => worker.run({ type: 'target', target })));
  }

  close(): void {
    for (const worker of this.all) worker.close();
  }
}
