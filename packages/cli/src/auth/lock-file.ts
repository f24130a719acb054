import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { Clock } from '@fairway/base/clock';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { isAlive, isSameProcess, ProcessRef } from './process-ref.ts';

const POLL_INTERVAL_MS = 100;
/** Allows for a sign-in in a browser. */
const ACQUIRE_TIMEOUT_MS = 10 * 60_000;
/**
 * Older locks are considered stale if the start time of their holder is unknown, because another process may have
 * reused the holder's pid.
 */
const MAX_LOCK_AGE_MS = 60 * 60_000;

export interface LockOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** This process. */
  readonly self: ProcessRef;
  readonly isHolderAlive?: (holder: ProcessRef) => boolean;
  /** Called once, if another process holds the lock. */
  readonly onWait: (holder: ProcessRef) => void;
}

/**
 * Runs `work` while no other process does so under the same path.
 *
 * A killed process does not block others: the next process removes its lock file. If two processes do that
 * concurrently, both may run once.
 */
export async function withLockFile<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await acquire(path, options);
  try {
    return await work();
  } finally {
    const lock = await readLock(path);
    if (lock?.holder !== undefined && isSameProcess(lock.holder, options.self)) await rm(path, { force: true });
  }
}

async function acquire(path: string, { clock, signal, self, onWait, ...options }: LockOptions): Promise<void> {
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  const endMs = clock.now() + ACQUIRE_TIMEOUT_MS;
  const isHolderAlive = options.isHolderAlive ?? isAlive;
  let isNotified = false;
  // Linked only when complete, so a lock always names its holder.
  await writeFile(own, JSON.stringify(self), { mode: 0o600, flag: 'wx' });
  try {
    for (;;) {
      if (await tryLink(own, path)) return;
      const lock = await readLock(path);
      const holder = lock?.holder;
      if (lock !== undefined && !(holder && isHolderAlive(holder) && !isTooOld(lock, clock))) {
        await removeStaleLock(path, holder, own);
        continue;
      }
      if (holder !== undefined && !isNotified) {
        onWait(holder);
        isNotified = true;
      }
      if (clock.now() >= endMs) {
        throw new CommandError(`process ${holder?.pid} is still signing in`, {
          exitCode: ExitCode.TimedOut,
          advice: 'finish that sign-in, or stop the process',
        });
      }
      await clock.sleep(POLL_INTERVAL_MS, signal);
    }
  } finally {
    await rm(own, { force: true });
  }
}

async function tryLink(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the lock file of a process that has ended. A lock that was taken in the meantime is put back. */
async function removeStaleLock(path: string, staleHolder: ProcessRef | undefined, own: string): Promise<void> {
  const movedPath = `${own}.ended`;
  try {
    await rename(path, movedPath);
  } catch {
    // Another process got there first.
    return;
  }
  const movedHolder = (await readLock(movedPath))?.holder;
  if (movedHolder !== undefined && !(staleHolder && isSameProcess(movedHolder, staleHolder)))
    await link(movedPath, path).catch(() => {});
  await rm(movedPath, { force: true });
}

interface Lock {
  /** Undefined if the machine lost power before the file was written to disk. */
  readonly holder: ProcessRef | undefined;
  readonly sinceMs: number;
}

function isTooOld({ holder, sinceMs }: Lock, clock: Clock): boolean {
  return holder?.started === '' && clock.now() - sinceMs > MAX_LOCK_AGE_MS;
}

/** Undefined if there is no lock. */
async function readLock(path: string): Promise<Lock | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    return { holder: parseHolder(text), sinceMs: mtimeMs };
  } catch {
    return undefined;
  }
}

function parseHolder(text: string): ProcessRef | undefined {
  try {
    return ProcessRef.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
