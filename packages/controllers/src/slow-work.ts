import type { Clock } from '@fairway/base/clock';

/** After this time, Fairway logs what it is waiting for. */
const WARN_AFTER_MS = 800;

/** Awaits `work`, and calls back if it takes too long. An error from the callback is thrown when the work ends. */
export async function warnIfSlow<T>(clock: Clock, work: Promise<T>, report: () => Promise<void>): Promise<T> {
  let reporting: Promise<void> | undefined;
  const timer = clock.after(WARN_AFTER_MS, () => {
    reporting = report().catch(() => undefined);
  });
  try {
    return await work;
  } finally {
    timer.cancel();
    await reporting;
  }
}
