import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@fairway/base/clock-fake';
import { advanceUntilSettled } from '@fairway/base/testing/advance-until-settled';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLockFile } from '../../auth/lock-file.ts';

let folder: string;
let path: string;
let clock: FakeClock;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'fairway-lock-'));
  path = join(folder, 'key.lock');
  clock = new FakeClock();
});
afterEach(() => rm(folder, { recursive: true }));

const waited: number[] = [];
function lock<T>(pid: number, work: () => Promise<T>, living: readonly number[] = [1, 2, 3]): Promise<T> {
  return withLockFile(
    path,
    {
      clock,
      signal: new AbortController().signal,
      self: { pid, started: `${pid}` },
      isHolderAlive: (holder) => living.includes(holder.pid),
      onWait: (holder) => waited.push(holder.pid),
    },
    work,
  );
}

describe('a lock file', () => {
  it('admits one process at a time, and is removed afterwards', async () => {
    let inside = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++inside);
      await clock.sleep(1_000);
      inside--;
    };

    await advanceUntilSettled(clock, Promise.all([lock(1, work), lock(2, work), lock(3, work)]));

    expect(most).toBe(1);
    expect(waited.length).toBeGreaterThan(0);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is released when the work fails', async () => {
    await expect(lock(1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');

    expect(await lock(2, () => Promise.resolve('in'))).toBe('in');
  });

  it.each(['{"pid":7,"started":"7"}', '{"pid":1,"started":"0"}', '', '{"pid":1', 'null'])(
    'does not block others if its holder was killed: %s',
    async (left) => {
      await writeFile(path, left);

      expect(
        await advanceUntilSettled(
          clock,
          lock(2, () => Promise.resolve('in'), [2]),
        ),
      ).toBe('in');
      expect(await readdir(folder)).toEqual([]);
    },
  );

  it('expires after the sign-in timeout if another process has its holder’s process id', async () => {
    await writeFile(path, '{"pid":1,"started":""}');
    const anHourAgo = clock.now() / 1000 - 3601;
    await utimes(path, anHourAgo, anHourAgo);

    const second = lock(2, () => Promise.resolve('in'));
    expect(await advanceUntilSettled(clock, second)).toBe('in');
  });

  it('makes a waiting process give up after the maximum duration of a sign-in', async () => {
    const never = Promise.withResolvers<void>();
    const entered = Promise.withResolvers<void>();
    const first = lock(1, () => {
      entered.resolve();
      return never.promise;
    });
    await entered.promise;
    const second = advanceUntilSettled(
      clock,
      lock(2, () => Promise.resolve()),
    );

    await expect(second).rejects.toMatchObject({ message: 'process 1 is still signing in', exitCode: 4 });
    never.resolve();
    await first;
  });
});
