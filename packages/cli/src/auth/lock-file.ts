import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import type { Clock } from '@fairway/base/clock';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { isAlive, isSameProcess, ProcessRef } from './asker.ts';

const POLL_INTERVAL_MS = 100;
/** As long as somebody may take in a browser. */
const PATIENCE_MS = 10 * 60_000;
/** Where nothing tells when a process has started, another one has the id of a holder that does not end. */
const LONGEST_MS = 60 * 60_000;

export interface LockOptions {
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** This process. */
  readonly self: ProcessRef;
  readonly isHolderAlive?: (holder: ProcessRef) => boolean;
  /** Called once, when the lock is another's. */
  readonly onWait: (holder: ProcessRef) => void;
}

/**
 * Runs `work` while no other process does so under the same path.
 *
 * Guarantees: a process that was killed holds nothing up. Whoever finds its file takes it away; if two do at once, they may both work once.
 */
export async function withLockFile<T>(path: string, options: LockOptions, work: () => Promise<T>): Promise<T> {
  await acquire(path, options);
  try {
    return await work();
  } finally {
    const lock = await lockAt(path);
    if (lock?.holder !== undefined && isSameProcess(lock.holder, options.self)) await rm(path, { force: true });
  }
}

async function acquire(path: string, { clock, signal, self, onWait, ...options }: LockOptions): Promise<void> {
  const own = `${path}.${randomBytes(6).toString('hex')}`;
  const endMs = clock.now() + PATIENCE_MS;
  const isHolderAlive = options.isHolderAlive ?? isAlive;
  let isTold = false;
  // Linked when complete, so that the lock never is without its holder.
  await writeFile(own, JSON.stringify(self), { mode: 0o600, flag: 'wx' });
  try {
    for (;;) {
      if (await isLinked(own, path)) return;
      const lock = await lockAt(path);
      const holder = lock?.holder;
      if (lock !== undefined && !(holder && isHolderAlive(holder) && !isTooOld(lock, clock))) {
        await takeAway(path, holder, own);
        continue;
      }
      if (holder !== undefined && !isTold) {
        onWait(holder);
        isTold = true;
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

async function isLinked(own: string, path: string): Promise<boolean> {
  try {
    await link(own, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Moves the file of a process that has ended; one that came in between is put back. */
async function takeAway(path: string, ended: ProcessRef | undefined, own: string): Promise<void> {
  const aside = `${own}.ended`;
  try {
    await rename(path, aside);
  } catch {
    // Somebody else was quicker.
    return;
  }
  const moved = (await lockAt(aside))?.holder;
  if (moved !== undefined && !(ended && isSameProcess(moved, ended))) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

interface Lock {
  /** Undefined where a machine lost power before the file was on its disk: it was linked when complete. */
  readonly holder: ProcessRef | undefined;
  readonly sinceMs: number;
}

function isTooOld({ holder, sinceMs }: Lock, clock: Clock): boolean {
  return holder?.started === '' && clock.now() - sinceMs > LONGEST_MS;
}

/** Undefined if there is none. */
async function lockAt(path: string): Promise<Lock | undefined> {
  try {
    const [text, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    return { holder: holderIn(text), sinceMs: mtimeMs };
  } catch {
    return undefined;
  }
}

function holderIn(text: string): ProcessRef | undefined {
  try {
    return ProcessRef.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}
