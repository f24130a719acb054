import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseKubeconfig } from '@fairway/kube/client/kubeconfig';
import { ProcessOutput } from './process-output.ts';

export const PROJECT = join(import.meta.dirname, '../..');

/** The output of a command, whether it succeeded or not. */
export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running process; its result is available once it has exited. */
export interface RunningProcess {
  readonly result: Promise<CommandResult>;
  /** Stops the program like Ctrl-C. */
  stop(): void;
}

/** Ends hanging tests: longer than any program waits (5 min), but shorter than the test's timeout. */
const TIMEOUT_MS = 400_000;

export function start(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): RunningProcess {
  const { promise: result, resolve } = Promise.withResolvers<CommandResult>();
  // Otherwise npm prints its warnings to stderr, mixed with the program's output.
  const quietEnv = { NO_UPDATE_NOTIFIER: '1', npm_config_loglevel: 'silent' };
  const options = { cwd: PROJECT, env: { ...process.env, ...quietEnv, ...env }, timeout: TIMEOUT_MS };
  const child = execFile(program, args, { ...options, maxBuffer: 64 * 2 ** 20 }, (error, stdout, stderr) => {
    const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
    resolve({ code, stdout, stderr });
  });
  return { result, stop: () => child.kill('SIGINT') };
}

/** Runs a program to completion. */
export function run(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<CommandResult> {
  return start(program, args, env).result;
}

/** `fairway up` in a separate process, started as a user would, with npx. */
export class RunningFairway {
  readonly home: string;
  readonly #child: ChildProcess;
  readonly #output: ProcessOutput;

  private constructor(home: string, child: ChildProcess) {
    this.home = home;
    this.#child = child;
    this.#output = new ProcessOutput(child);
  }

  /**
   * Resolves when Fairway reports that it serves requests; rejects with its output if it exits first. Control planes
   * are simulated, even if others are available.
   */
  static async start(home: string, ...options: readonly string[]): Promise<RunningFairway> {
    const child = spawn('npx', ['fairway', 'up', '--home', home, '--control-plane', 'simulated', ...options], {
      cwd: PROJECT,
      env: { ...process.env, npm_config_loglevel: 'silent' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const fairway = new RunningFairway(home, child);
    await fairway.#output.waitForOutput((text) => text.includes('kubectl get clusters'), 'fairway up');
    return fairway;
  }

  /** The output of the process so far. */
  get output(): string {
    return this.#output.text;
  }

  get url(): string {
    return /serves at (https:\S+)/.exec(this.#output.text)?.[1] ?? '';
  }

  /** Seconds from the start until Fairway served requests, as reported by Fairway itself. */
  get startSeconds(): number {
    return Number(/after ([0-9.]+) s/.exec(this.#output.text)?.[1]);
  }

  get kubeconfig(): string {
    return join(this.home, 'kubeconfig');
  }

  /** The kubeconfig's namespace, which kubectl and `fairway` use by default. */
  get namespace(): string {
    const { contexts } = parseKubeconfig(readFileSync(this.kubeconfig, 'utf8'));
    return contexts[0]?.context.namespace ?? 'default';
  }

  get cloudsYaml(): string {
    return join(this.home, 'clouds.yaml');
  }

  /** Kills Fairway itself, below npx, without warning. */
  async kill(): Promise<void> {
    const exited = once(this.#child, 'exit');
    process.kill(Number.parseInt(readFileSync(join(this.home, 'lock'), 'utf8'), 10), 'SIGKILL');
    await exited;
  }

  /** Stops Fairway like Ctrl-C. Resolves with npx's exit code. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return this.#child.exitCode;
    const exited = once(this.#child, 'exit');
    process.kill(-(this.#child.pid ?? 0), 'SIGINT');
    const [code] = (await exited) as [number | null];
    return code;
  }
}
