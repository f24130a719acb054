import type { Clock } from '@fairway/base/clock';

/** Nobody should wonder for longer what Fairway waits for. */
const TELL_AFTER_MS = 800;

/** Awaits `work`; when that takes longer than a moment, tells so meanwhile. What goes wrong with telling is left to the end of the work. */
export async function tellIfSlow<T>(clock: Clock, work: Promise<T>, tell: () => Promise<void>): Promise<T> {
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
