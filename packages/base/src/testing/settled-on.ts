import type { FakeClock } from '../clock-fake.ts';

/** What a promise comes to on a clock that stands still otherwise: time passes until it is settled. */
export async function settledOn<T>(clock: FakeClock, promise: Promise<T>, stepMs = 100): Promise<T> {
  const state = { isOver: false };
  const over = promise.finally(() => {
    state.isOver = true;
  });
  // Whoever awaits it below is told.
  over.catch(() => {});
  while (!state.isOver) await clock.advance(stepMs);
  return over;
}
