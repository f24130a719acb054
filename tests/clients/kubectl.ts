import { writeFile } from 'node:fs/promises';
import { type CommandResult, run } from '../session/running-fairway.ts';
import { findKubectls } from '../session/tools.ts';

const path = findKubectls().at(-1)?.path;

export const hasKubectl = path !== undefined;

/** kubectl with a kubeconfig. */
export class Kubectl {
  readonly kubeconfig: string;

  constructor(kubeconfig: string) {
    this.kubeconfig = kubeconfig;
  }

  get program(): string {
    return path ?? '';
  }

  run(...args: readonly string[]): Promise<CommandResult> {
    return run(this.program, ['--kubeconfig', this.kubeconfig, ...args]);
  }

  /** Resolves with kubectl's output; rejects if it fails. */
  async ok(...args: readonly string[]): Promise<string> {
    const { code, stdout, stderr } = await this.run(...args);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  async json(...args: readonly string[]): Promise<unknown> {
    return JSON.parse(await this.ok(...args, '-o', 'json'));
  }

  /** Applies a manifest that it writes to `file`. */
  async apply(file: string, manifest: string): Promise<void> {
    await writeFile(file, manifest);
    await this.ok('apply', '-f', file);
  }
}
