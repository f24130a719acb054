import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProcessOutput } from '../session/process-output.ts';
import { PROJECT } from '../session/running-fairway.ts';

/** `fairway serve` in a separate process, with simulated control planes and a simulated cloud. */
export class RunningReplica implements AsyncDisposable {
  readonly home: string;
  readonly #child: ChildProcess;
  readonly #output: ProcessOutput;

  private constructor(home: string, child: ChildProcess) {
    this.home = home;
    this.#child = child;
    this.#output = new ProcessOutput(child);
  }

  /** Resolves when the process reports that it serves requests; rejects with its output if it exits first. */
  static async start(kubeconfig: string, home: string, ...options: readonly string[]): Promise<RunningReplica> {
    const runtime = ['--control-plane', 'simulated'];
    const args = ['serve', '--kubeconfig', kubeconfig, '--home', home, ...runtime, ...options];
    const child = spawn(join(PROJECT, 'node_modules/.bin/fairway'), args, {
      cwd: PROJECT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const replica = new RunningReplica(home, child);
    await replica.#output.waitForOutput((text) => /^ {2}home /m.test(text), 'fairway serve');
    return replica;
  }

  /** Its output so far. */
  get output(): string {
    return this.#output.text;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The gateway's URL. */
  get url(): string {
    return /^ {2}gateway +(https:[^;\s]+)/m.exec(this.output)?.[1] ?? '';
  }

  /** The CA certificates that clients of the gateway trust. */
  get gatewayAuthority(): string {
    return readFileSync(join(this.home, 'gateway-ca.crt'), 'utf8');
  }

  /** Kills the process without warning. */
  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  /** Stops the process like Ctrl-C. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGINT');
    await exited;
  }
}
