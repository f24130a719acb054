import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { PROJECT } from '../session/running-fairway.ts';

export const TESTBED = join(PROJECT, 'testbed/node/testbed');
/** The testbed with virtual machines, which has the same commands. */
export const VM_TESTBED = join(PROJECT, 'testbed/vm/testbed');

/** Runs a command of testbed/node to completion, and returns its output. Throws if it fails. */
export function testbed(...args: readonly string[]): string {
  return callTestbed(TESTBED, ...args);
}

/** Runs a command of another testbed to completion, and returns its output. Throws if it fails. */
export function callTestbed(path: string, ...args: readonly string[]): string {
  return execFileSync(path, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
}

/** Runs a command on a host with a file as standard input. */
export function runWithInput(host: string, file: number, ...command: readonly string[]): string {
  return execFileSync(TESTBED, ['exec', host, ...command], { encoding: 'utf8', stdio: [file, 'pipe', 'inherit'] });
}
