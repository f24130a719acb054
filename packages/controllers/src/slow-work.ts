import type { Clock } from '@fairway/base/clock';

/** After this time it is logged what Fairway waits for. */
const TELL_AFTER_MS = 800;

/** Awaits `work`; if it takes long, calls back meanwhile. An error of the callback is thrown when the work ends. */
export async function warnIfSlow<T>(clock: Clock, work: Promise<T>, tell: () => Promise<void>): Promise<T> {
  let telling: Promise<void> | undefined;
  const timer = clock.after(TELL_AFTER_MS, () => {
    telling = tell().catch(() => undefined);
  });
  try {
    return await work;
  } finally {
    timer.cancel();
    await telling;
  }
}
