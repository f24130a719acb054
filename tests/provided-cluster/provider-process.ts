import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const MAIN = new URL('../../packages/cli/src/main.ts', import.meta.url).pathname;

/** A cloud provider as a separate process: Fairway's standalone one, or upstream's. It can be restarted after it has exited. */
export class ProviderProcess {
  readonly #log: string;
  #child: ChildProcess | undefined;
  #exited = new AbortController();

  /** The process's output is appended to a file in `folder`. */
  constructor(folder: string) {
    this.#log = join(folder, 'log');
  }

  startFairway(flags: readonly string[], env: NodeJS.ProcessEnv = {}): void {
    this.start(process.execPath, [MAIN, 'cloud-provider', ...flags], env);
  }

  start(command: string, flags: readonly string[], env: NodeJS.ProcessEnv = {}): void {
    const log = openSync(this.#log, 'a');
    const child = spawn(command, flags, { stdio: ['ignore', log, log], env: { ...process.env, ...env } });
    const ended = new AbortController();
    this.#child = child;
    this.#exited = ended;
    child.once('exit', (code) => ended.abort(new Error(`it exited with ${code}: ${this.outputTail()}`)));
  }

  /** Throws if the process has exited, which no step of a test expects. */
  throwIfExited(): void {
    this.#exited.signal.throwIfAborted();
  }

  /** Rejects if the process exits unexpectedly. */
  async raceWithExit<T>(wait: Promise<T>): Promise<T> {
    const { signal } = this.#exited;
    signal.throwIfAborted();
    const end = once(signal, 'abort').then(() => Promise.reject(signal.reason));
    return Promise.race([wait, end]);
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  }

  /** The process's last output. */
  outputTail(): string {
    return readFileSync(this.#log, 'utf8').slice(-2_000);
  }
}
