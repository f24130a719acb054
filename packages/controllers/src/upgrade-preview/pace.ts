import { setImmediate } from 'node:timers/promises';

/**
 * Called between small parts of a long computation: yields to the event loop. Rejects once the time limit has passed.
 */
export type Yield = () => Promise<void>;

/** How long a process may be busy without yielding. */
const MAX_SLICE_MS = 10;

/** Rejects with the signal's reason. */
export function pauseUntil(signal: AbortSignal): Yield {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < MAX_SLICE_MS) return;
    await setImmediate();
    signal.throwIfAborted();
    sinceMs = performance.now();
  };
}
