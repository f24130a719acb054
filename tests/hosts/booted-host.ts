import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ProcessOutput } from '../session/process-output.ts';
import { type CommandResult, run } from '../session/running-fairway.ts';
import { TESTBED, testbed } from './testbed.ts';

const NAME = 'box';

/** A Debian host from testbed/node with systemd as its first process, and without Kubernetes. */
export class BootedHost implements AsyncDisposable {
  readonly name = NAME;
  readonly address = '10.1.0.5';
  readonly #holder: ChildProcess;
  #journal: ProcessOutput | undefined;

  private constructor(holder: ChildProcess) {
    this.#holder = holder;
  }

  /** Resolves when the host has booted. `folder` is for the boot's files. */
  static async boot(folder: string): Promise<BootedHost> {
    const holder = spawn(TESTBED, ['hold'], { stdio: ['pipe', 'pipe', 'pipe'] });
    const host = new BootedHost(holder);
    try {
      await new ProcessOutput(holder).waitForOutput((text) => /^held$/m.test(text), 'testbed hold');
      const userData = join(folder, 'user-data');
      writeFileSync(userData, '#cloud-config\n{}\n');
      const network = ['--address', `${host.address}/20`, '--gateway', '10.1.0.1'];
      testbed('boot', NAME, ...network, '--image', 'debian-12', '--user-data', userData);
      testbed('booted', NAME);
      return host;
    } catch (error) {
      await host[Symbol.asyncDispose]();
      throw error;
    }
  }

  run(...command: readonly string[]): Promise<CommandResult> {
    return run(TESTBED, ['exec', NAME, ...command]);
  }

  /** Runs a bash script that exits at its first error. */
  script(text: string): Promise<CommandResult> {
    return this.run('bash', '-euc', text);
  }

  /** A unit's log since the host booted, as it arrives. */
  journal(unit: string): ProcessOutput {
    this.#journal ??= new ProcessOutput(
      spawn(TESTBED, ['exec', NAME, 'journalctl', '--follow', '--lines=all', '--output=cat', '--unit', unit], {
        stdio: ['ignore', 'pipe', 'pipe'],
      }),
    );
    return this.#journal;
  }

  /** A property of a unit, as reported by systemd. */
  async property(unit: string, name: string): Promise<string> {
    const { stdout } = await this.run('systemctl', 'show', unit, `--property=${name}`, '--value');
    return stdout.trim();
  }

  /** The host is released when the process that holds it exits. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#holder.exitCode !== null || this.#holder.signalCode !== null) return;
    const exited = once(this.#holder, 'exit');
    this.#holder.stdin?.end();
    await exited;
  }
}
