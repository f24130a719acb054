import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { renderKubeconfig } from '@fairway/kube/client/kubeconfig';
import { identifyProcess } from '@fairway/service/up/home';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PROJECT } from './session/running-fairway.ts';

const MAIN = join(PROJECT, 'packages/cli/src/main.ts');

/** The output of a process and its children, for as long as one of them keeps the streams open. */
class Output {
  text = '';
  readonly #streams: readonly Readable[];

  constructor({ stdout, stderr }: ChildProcess) {
    this.#streams = [stdout, stderr].filter((stream) => stream !== null);
    for (const stream of this.#streams) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        this.text += text;
      });
    }
  }

  /** Resolves when the output matches; rejects if the last process exits first. */
  async waitForOutput(matches: (text: string) => boolean): Promise<void> {
    const open = this.#streams.filter((stream) => !stream.closed);
    const ended = Promise.all(open.map((stream) => once(stream, 'close'))).then(() => true);
    while (!matches(this.text)) {
      const heard = this.#streams.map((stream) => once(stream, 'data').then(() => false));
      if (await Promise.race([ended, ...heard])) break;
    }
    if (!matches(this.text)) throw new Error(`they ended:\n${this.text}`);
  }
}

let folder: string;
let previousProcess: ChildProcess | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fairway-launcher-'));
});
afterEach(() => {
  if (previousProcess?.pid !== undefined && previousProcess.exitCode === null && previousProcess.signalCode === null)
    process.kill(previousProcess.pid, 'SIGKILL');
  rmSync(folder, { recursive: true });
});

function launch(program: string, args: readonly string[], stdin: 'ignore' | 'pipe'): Output {
  previousProcess = spawn(program, args, {
    cwd: PROJECT,
    env: { ...process.env, npm_config_loglevel: 'silent' },
    stdio: [stdin, 'pipe', 'pipe'],
    detached: true,
  });
  return new Output(previousProcess);
}

const UP = ['up', '--listen', '127.0.0.1:0', '--control-plane', 'simulated', '--home'];
const hasStarted = (text: string) => text.includes('kubectl get clusters');
const hasStopped = (text: string) => text.includes('stopping: the parent process') && text.includes('stopped\n');

test.each([
  { signal: 'SIGTERM', reason: 'npm passes the signal on only to its shell' },
  { signal: 'SIGKILL', reason: 'npm cannot pass the signal on' },
] as const)('stops Fairway gracefully when its npm process gets $signal: $reason', async ({ signal }) => {
  const output = launch('npx', ['fairway', ...UP, folder], 'ignore');
  await output.waitForOutput(hasStarted);
  previousProcess?.kill(signal);

  await output.waitForOutput(hasStopped);
  expect(existsSync(join(folder, 'lock'))).toBe(false);
});

test('stops a Fairway in the foreground of a shell, but not one in the background', async () => {
  const command = `${process.execPath} ${MAIN} ${UP.join(' ')}`;
  const foreground = launch('sh', ['-c', `${command} ${join(folder, 'a')}; true`], 'pipe');
  await foreground.waitForOutput(hasStarted);
  previousProcess?.kill('SIGTERM');
  await foreground.waitForOutput(hasStopped);

  const background = launch('sh', ['-c', `${command} ${join(folder, 'b')} & wait`], 'pipe');
  await background.waitForOutput(hasStarted);
  const pid = Number.parseInt(readFileSync(join(folder, 'b', 'lock'), 'utf8'), 10);
  previousProcess?.kill('SIGTERM');
  await once(previousProcess as ChildProcess, 'exit');
  // Fairway checks every second, and a second Fairway takes longer than that to start on its own home.
  const other = launch('sh', ['-c', `${command} ${join(folder, 'c')}; true`], 'pipe');
  await other.waitForOutput(hasStarted);
  previousProcess?.kill('SIGTERM');
  await other.waitForOutput(hasStopped);
  expect(identifyProcess(pid)).toBeDefined();
  process.kill(pid, 'SIGTERM');
  await background.waitForOutput((text) => text.includes('stopped\n'));
});

test('exits on a signal while startup waits for a hanging API server', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as { port: number };
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, renderKubeconfig({ name: 'a', server: `https://127.0.0.1:${port}`, token: 't' }));
  const args = ['serve', '--home', join(folder, 'home'), '--kubeconfig', kubeconfig, '--listen', '127.0.0.1:0'];
  const output = launch(process.execPath, [MAIN, ...args], 'ignore');
  await output.waitForOutput((text) => text.includes('connecting to the management cluster'));
  previousProcess?.kill('SIGTERM');
  const [code] = await once(previousProcess as ChildProcess, 'exit');
  silent.close();

  expect(code).toBe(130);
});
