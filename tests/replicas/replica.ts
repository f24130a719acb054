import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const MAIN = join(import.meta.dirname, '../../packages/cli/src/main.ts');

export interface ReplicaOptions {
  readonly kubeconfig: string;
  readonly cloudsYaml: string;
  readonly cloud: string;
  /** The home that all replicas on this machine share. */
  readonly home: string;
  /** The command of another release; this release's by default. */
  readonly entry?: string;
}

/** One `fairway serve` in a separate process. */
export class Replica {
  readonly identity: string;
  readonly #child: ChildProcess;
  readonly #output: () => string;

  private constructor(child: ChildProcess, identity: string, output: () => string) {
    this.#child = child;
    this.identity = identity;
    this.#output = output;
  }

  /** Resolves once the replica serves requests; rejects with its output if it exits first. */
  static async start({ kubeconfig, cloudsYaml, cloud, home, entry = MAIN }: ReplicaOptions): Promise<Replica> {
    const { KUBEBUILDER_ASSETS: _unused, ...env } = process.env;
    const args = ['serve', '--no-gateway', '--kubeconfig', kubeconfig, '--cloud', cloud, '--home', home];
    const child = spawn(process.execPath, [entry, ...args, '--control-plane', 'simulated', '--log-level', 'info'], {
      env: { ...env, OS_CLIENT_CONFIG_FILE: cloudsYaml },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    const served = Promise.withResolvers<string>();
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        const identity = /^ {2}replica +(\S+)\n/m.exec(output)?.[1];
        if (identity !== undefined) served.resolve(identity);
      });
    }
    child.once('exit', () => served.reject(new Error(`fairway serve ended:\n${output}`)));
    return new Replica(child, await served.promise, () => output);
  }

  get output(): string {
    return this.#output();
  }

  /** Sends `kill -9` without warning. */
  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
  }

  pause(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Gracefully. */
  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGCONT');
    this.#child.kill('SIGTERM');
    await exited;
  }
}
