import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';

export interface ClientProcessOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Path of the output file. */
  readonly log: string;
}

/** A controller that a tenant installs, as a process on this machine. */
export class ClientProcess implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #log: string;

  constructor({ command, args, env = {}, log }: ClientProcessOptions) {
    const file = openSync(log, 'w');
    this.#child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', file, file] });
    closeSync(file);
    this.#log = log;
  }

  /** The end of the output. */
  get outputTail(): string {
    return readFileSync(this.#log, 'utf8').slice(-4000);
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }
}
