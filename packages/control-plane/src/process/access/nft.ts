import { spawn } from 'node:child_process';
import { findExecutable, foldersOnPath } from '../executables.ts';

/** Runs nft with arguments and standard input; resolves with its output, and rejects with its error message. */
export type Nft = (args: readonly string[], input?: string) => Promise<string>;

const TIMEOUT_MS = 10_000;
const MAX_ERROR_BYTES = 500;

/** Administration binaries are often not on a service's PATH. */
const ADMIN_FOLDERS = ['/usr/sbin', '/sbin'];

/** This machine's nft; undefined if there is none. */
export function localNft(env: Readonly<Record<string, string | undefined>>): Nft | undefined {
  const binary = findExecutable([...foldersOnPath(env), ...ADMIN_FOLDERS], 'nft');
  if (binary === undefined) return undefined;
  return (args, input = '') => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const child = spawn(binary, args, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
    let output = '';
    let errorOutput = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (errorOutput.length < MAX_ERROR_BYTES) errorOutput += text;
    });
    child.once('error', reject);
    // nft may exit without reading everything; its exit status gives the reason.
    child.stdin.on('error', () => {});
    child.once('close', (code, killedBy) => {
      if (code === 0) return resolve(output);
      const reason = errorOutput.trim().split('\n')[0]?.slice(0, MAX_ERROR_BYTES);
      reject(new Error(`nft: ${reason || (killedBy ? `no answer within ${TIMEOUT_MS / 1000} s` : `status ${code}`)}`));
    });
    child.stdin.end(input);
    return promise;
  };
}
