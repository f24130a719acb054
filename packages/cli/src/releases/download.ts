import { createHash } from 'node:crypto';
import { createReadStream, rmSync, statSync } from 'node:fs';
import { open, rename } from 'node:fs/promises';
import type { Clock } from '@fairway/base/clock';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';

export interface Checksum {
  readonly algorithm: 'sha512' | 'sha256';
  /** Lower case. */
  readonly hex: string;
}

export interface DownloadOptions {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Bytes received, and the total if the server reports it. */
  readonly onProgress: (bytes: number, total: number | undefined) => void;
}

/** A server that sends nothing for this long is considered dead. */
const IDLE_TIMEOUT_MS = 60_000;
const RETRY_DELAY_MS = 1000;
/** Consecutive attempts without progress. */
const MAX_STALLED_ATTEMPTS = 3;

/**
 * Downloads a file, and renames it once its checksum matches and it is on disk. Resumes an interrupted attempt from
 * `PATH.part`. Throws a CommandError.
 */
export async function download(url: string, path: string, checksum: Checksum, options: DownloadOptions): Promise<void> {
  const part = `${path}.part`;
  if (sizeOf(path) > 0 && (await hasChecksum(path, checksum))) return;
  const hadPartialFile = sizeOf(part) > 0;
  await receiveWithRetries(url, part, options);
  if (!(await hasChecksum(part, checksum))) {
    rmSync(part, { force: true });
    // The partial file may belong to a different version of the file.
    if (hadPartialFile) return download(url, path, checksum, options);
    throw new CommandError(`${url} does not match its ${checksum.algorithm} checksum and was removed`, {
      advice: 'the mirror is damaged or being updated: try again later, or use another mirror with --mirror',
    });
  }
  const file = await open(part, 'r+');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}

/** Receives the complete file; reconnects after an interruption, as long as each attempt makes progress. */
async function receiveWithRetries(url: string, part: string, options: DownloadOptions): Promise<void> {
  for (let stalledAttempts = 0; ; ) {
    const before = sizeOf(part);
    try {
      return await receive(url, part, options);
    } catch (error) {
      if (options.signal.aborted || error instanceof CommandError) throw error;
      stalledAttempts = sizeOf(part) > before ? 0 : stalledAttempts + 1;
      if (stalledAttempts >= MAX_STALLED_ATTEMPTS) throw explainDownload(error, url);
      await options.clock.sleep(RETRY_DELAY_MS, options.signal);
    }
  }
}

async function receive(url: string, part: string, options: DownloadOptions): Promise<void> {
  const { onProgress, clock, signal } = options;
  const idleAbort = new AbortController();
  const onIdle = () => idleAbort.abort(new Error(`no data for ${IDLE_TIMEOUT_MS / 1000} s`));
  let timer = clock.after(IDLE_TIMEOUT_MS, onIdle);
  try {
    const downloadedBytes = sizeOf(part);
    const response = await options.fetch(url, {
      headers: downloadedBytes > 0 ? { range: `bytes=${downloadedBytes}-` } : {},
      signal: AbortSignal.any([signal, idleAbort.signal]),
    });
    // The server has no more bytes to send; the checksum decides.
    if (response.status === 416) return;
    if (!response.ok) throw refusal(url, response.status);
    const isPartial = response.status === 206;
    const length = response.headers.get('content-length');
    const total = length === null ? undefined : Number(length) + (isPartial ? downloadedBytes : 0);
    let bytes = isPartial ? downloadedBytes : 0;
    const file = await open(part, isPartial ? 'a' : 'w', 0o600);
    try {
      for await (const chunk of response.body ?? []) {
        timer.cancel();
        timer = clock.after(IDLE_TIMEOUT_MS, onIdle);
        await file.write(chunk as Uint8Array);
        bytes += (chunk as Uint8Array).length;
        onProgress(bytes, total);
      }
    } finally {
      await file.close();
    }
    if (total !== undefined && bytes < total)
      throw new Error(`the connection was cut after ${bytes} of ${total} bytes`);
  } finally {
    timer.cancel();
  }
}

/** The text of a small file, or undefined if it does not exist. Throws a CommandError. */
export async function readText(
  url: string,
  options: Pick<DownloadOptions, 'fetch' | 'signal'>,
): Promise<string | undefined> {
  try {
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(IDLE_TIMEOUT_MS)]);
    const response = await options.fetch(url, { signal });
    const text = await response.text();
    if (response.status === 404) return undefined;
    if (!response.ok) throw refusal(url, response.status);
    return text;
  } catch (error) {
    if (options.signal.aborted || error instanceof CommandError) throw error;
    throw explainDownload(error, url);
  }
}

function refusal(url: string, status: number): CommandError {
  const advice = status === 404 ? 'the mirror is incomplete: use another one with --mirror' : 'try again later';
  return new CommandError(`${url} returned status ${status}`, { advice });
}

function explainDownload(error: unknown, url: string): CommandError {
  const { cause } = error as { cause?: unknown };
  const { code, message } = (cause ?? error) as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new CommandError(`not enough space for ${url}: ${message}`, {
      advice:
        'a release needs about 600 MiB: free some space, or choose another disk with XDG_DATA_HOME, then run the command again',
      cause: error,
    });
  }
  return new CommandError(`cannot download ${url}: ${message}`, {
    exitCode: ExitCode.Unreachable,
    advice:
      'run the command again to resume; behind a proxy set HTTPS_PROXY and NODE_USE_ENV_PROXY=1, or use a mirror with --mirror',
    cause: error,
  });
}

async function hasChecksum(path: string, { algorithm, hex }: Checksum): Promise<boolean> {
  const hash = createHash(algorithm);
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex') === hex;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
