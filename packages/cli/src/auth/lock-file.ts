import { randomBytes } from 'node:crypto';
import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import type { Clock } from '@fairway/base/clock';
import { CommandError } from '@fairway/service/command-error';
import { ExitCode } from '@fairway/service/exit-code';
import { isAlive, isSameProcess, type ProcessRef } from './asker.ts';

const LOOK_EVERY_MS = 100;
/** As long as somebody may take in a browser. */
const PATIENCE_MS = 10 * 60_000;

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
    const holder = await holderOf(path);
    if (holder !== undefined && isSameProcess(holder, options.self)) await rm(path, { force: true });
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
      const holder = await holderOf(path);
      if (holder !== undefined && !isHolderAlive(holder)) {
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
          advice: 'finish that sign-in, or end the process',
        });
      }
      await clock.sleep(LOOK_EVERY_MS, signal);
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
async function takeAway(path: string, ended: ProcessRef, own: string): Promise<void> {
  const aside = `${own}.ended`;
  try {
    await rename(path, aside);
  } catch {
    // Somebody else was quicker.
    return;
  }
  const moved = await holderOf(aside);
  if (moved !== undefined && !isSameProcess(moved, ended)) await link(aside, path).catch(() => {});
  await rm(aside, { force: true });
}

async function holderOf(path: string): Promise<ProcessRef | undefined> {
  try {
    const { pid, started } = JSON.parse(await readFile(path, 'utf8')) as ProcessRef;
    return { pid, started };
  } catch {
    return undefined;
  }
}
