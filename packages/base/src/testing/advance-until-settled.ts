import type { FakeClock } from '../clock-fake.ts';

/**
 * Advances a fake clock until a promise settles, and returns its result. Time moves from timer to timer: while all work
 * waits for files or sockets, no timer is pending and no time passes, however slow the machine is.
 */
export async function advanceUntilSettled<T>(clock: FakeClock, promise: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const settled = promise.finally(() => {
    state.isOver = true;
  });
  // The await below reports the error.
  settled.catch(() => {});
  while (!state.isOver) await clock.advance(clock.nextDueMs ?? 0);
  return settled;
}
