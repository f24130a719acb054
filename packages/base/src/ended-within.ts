import type { Clock } from './clock.ts';

/** Waits until the work has ended, but no longer than `limitMs`. Rejects like the work if it fails in time. */
export async function endedWithin(limitMs: number, clock: Clock, work: Promise<unknown> | undefined): Promise<void> {
  const limit = Promise.withResolvers<void>();
  const timer = clock.after(limitMs, limit.resolve);
  try {
    await Promise.race([work, limit.promise]);
  } finally {
    timer.cancel();
  }
}
