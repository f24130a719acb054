import { spawn } from 'node:child_process';
import { findExecutable, foldersOnPath } from '../executables.ts';

/** Runs nft with arguments and standard input; resolves with its output, and rejects with its error message. */
export type Nft = (args: readonly string[], input?: string) => Promise<string>;

const TIMEOUT_MS = 10_000;
const COMPLAINT_BYTES = 500;

/** Administrators' programs are often not on a service's PATH. */
const ADMIN_FOLDERS = ['/usr/sbin', '/sbin'];

/** This machine's nft; undefined if there is none. */
export function localNft(env: Readonly<Record<string, string | undefined>>): Nft | undefined {
  const program = findExecutable([...foldersOnPath(env), ...ADMIN_FOLDERS], 'nft');
  if (program === undefined) return undefined;
  return (args, input = '') => {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const child = spawn(program, args, { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' });
    let output = '';
    let complaint = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      if (complaint.length < COMPLAINT_BYTES) complaint += text;
    });
    child.once('error', reject);
    // It may exit without reading everything; its exit status gives the reason.
    child.stdin.on('error', () => {});
    child.once('close', (code, killedBy) => {
      if (code === 0) return resolve(output);
      const reason = complaint.trim().split('\n')[0]?.slice(0, COMPLAINT_BYTES);
      reject(new Error(`nft: ${reason || (killedBy ? `no answer within ${TIMEOUT_MS / 1000} s` : `status ${code}`)}`));
    });
    child.stdin.end(input);
    return promise;
  };
}
