import type { FakeClock } from '../clock-fake.ts';

/** The result of a promise on a fake clock, which is advanced until the promise is settled. */
export async function settledOn<T>(clock: FakeClock, promise: Promise<T>, stepMs = 100): Promise<T> {
  const state = { isOver: false };
  const over = promise.finally(() => {
    state.isOver = true;
  });
  // The await below reports the error.
  over.catch(() => {});
  while (!state.isOver) await clock.advance(stepMs);
  return over;
}
