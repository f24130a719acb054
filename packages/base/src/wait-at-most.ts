import type { Clock } from './clock.ts';

/** Waits until the work has ended, but no longer than `limitMs`. Rejects if the work fails within this time. */
export async function waitAtMost(limitMs: number, clock: Clock, work: Promise<unknown> | undefined): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = clock.after(limitMs, limit.resolve);
  try {
    await Promise.race([work, limit.promise]);
  } finally {
    timer.cancel();
  }
}
