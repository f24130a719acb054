import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { clientOf } from '../session/client-of.ts';
import { ProcessOutput } from '../session/process-output.ts';

/** `fairway up` from any release, in a separate process. */
export class RunningFairwayUp implements AsyncDisposable {
  readonly client: KubeClient;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, client: KubeClient) {
    this.#child = child;
    this.client = client;
  }

  /** Resolves once Fairway serves requests; rejects with its output if it exits first. */
  static async start(entry: string, home: string): Promise<RunningFairwayUp> {
    const args = ['up', '--home', home, '--listen', '127.0.0.1:0', '--control-plane', 'simulated'];
    const child = spawn(process.execPath, [entry, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    await new ProcessOutput(child).waitForOutput((text) => text.includes('kubectl get clusters'), 'fairway up');
    return new RunningFairwayUp(child, await clientOf(join(home, 'kubeconfig')));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close();
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGINT');
    await exited;
  }
}
