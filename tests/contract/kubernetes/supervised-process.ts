import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

const STOP_GRACE_MS = 10_000;

/** A process that runs as long as its test; the output goes to a file. */
export class SupervisedProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #logPath: string;
  readonly #exited: Promise<void>;

  constructor(command: string, args: readonly string[], logPath: string) {
    this.#logPath = logPath;
    const log = openSync(logPath, 'w');
    this.#child = spawn(command, args, { stdio: ['ignore', log, log], env: { PATH: process.env.PATH } });
    closeSync(log);
    this.#exited = new Promise((resolve) => {
      this.#child.once('exit', () => resolve());
      this.#child.once('error', () => resolve());
    });
  }

  get output(): string {
    return readFileSync(this.#logPath, 'utf8');
  }

  /**
   * Resolves once `isReady` is true. Rejects with the end of the output if the program exits first, or after
   * `deadlineMs`.
   */
  async whenReady(isReady: () => Promise<boolean>, deadlineMs = 300_000): Promise<void> {
    const endMs = Date.now() + deadlineMs;
    while (!(await isReady())) {
      const { exitCode, signalCode, spawnfile } = this.#child;
      if (exitCode !== null || signalCode !== null || Date.now() > endMs) {
        throw new Error(`${spawnfile} is not ready (exit code ${exitCode}):\n${this.output.slice(-4000)}`);
      }
      // Other programs can only be polled for readiness.
      await sleep(50);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill('SIGTERM');
    const kill = setTimeout(() => this.#child.kill('SIGKILL'), STOP_GRACE_MS);
    await this.#exited;
    clearTimeout(kill);
  }
}
