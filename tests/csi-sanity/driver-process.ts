import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const MAIN = join(import.meta.dirname, '../../packages/cli/src/main.ts');
const POLL_MS = 50;
const TIMEOUT_MS = 300_000;

export interface DriverOptions {
  readonly folder: string;
  /** The path of its socket. */
  readonly socket: string;
  readonly cloudsYaml: string;
  /** An entry of clouds.yaml. */
  readonly cloud: string;
}

/** A CSI driver's controller in a separate process. */
export class DriverProcess {
  readonly #child: ChildProcess;
  readonly #log: string;

  private constructor(child: ChildProcess, log: string) {
    this.#child = child;
    this.#log = log;
  }

  static fairway(options: DriverOptions): Promise<DriverProcess> {
    const { socket, cloud, cloudsYaml } = options;
    const flags = ['--endpoint', `unix://${socket}`, '--cloud', cloud, '--cluster', 'sanity', '--log-level', 'debug'];
    const env = { ...process.env, OS_CLIENT_CONFIG_FILE: cloudsYaml };
    return DriverProcess.#start(process.execPath, [MAIN, 'csi', ...flags], env, options);
  }

  /** Starts upstream's driver from the binary `program`. */
  static async upstream(program: string, options: DriverOptions): Promise<DriverProcess> {
    const config = join(options.folder, 'cloud.conf');
    const login = `use-clouds=true\nclouds-file=${options.cloudsYaml}\ncloud=${options.cloud}`;
    await writeFile(config, `[Global]\n${login}\n`);
    const flags = [`--endpoint=unix://${options.socket}`, `--cloud-config=${config}`, '--cluster=sanity'];
    return DriverProcess.#start(program, [...flags, '--provide-node-service=false', '--v=2'], process.env, options);
  }

  /** Resolves when the driver listens; rejects with its log if it exits first. */
  static async #start(
    program: string,
    flags: readonly string[],
    env: NodeJS.ProcessEnv,
    { folder, socket }: DriverOptions,
  ): Promise<DriverProcess> {
    const log = join(folder, 'driver.log');
    const file = openSync(log, 'a');
    const child = spawn(program, flags, { env, stdio: ['ignore', file, file] });
    closeSync(file);
    const driver = new DriverProcess(child, log);
    for (const sinceMs = Date.now(); ; await sleep(POLL_MS)) {
      if (existsSync(socket) && (await isListening(socket))) return driver;
      if (child.exitCode === null && Date.now() - sinceMs < TIMEOUT_MS) continue;
      await driver.stop();
      throw new Error(`the driver does not listen at ${socket}: ${await driver.log()}`);
    }
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  log(): Promise<string> {
    return readFile(this.#log, 'utf8');
  }

  /** Resolves with the driver's exit code, or the signal that killed it. */
  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<number | string | null> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return exitCode ?? signalCode;
    const ended = once(this.#child, 'exit');
    this.#child.kill(signal);
    await ended;
    return this.#child.exitCode ?? this.#child.signalCode;
  }
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
