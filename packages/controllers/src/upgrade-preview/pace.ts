import { setImmediate } from 'node:timers/promises';

/** Called between small pieces of a long computation: yields to the event loop. Rejects when the time is over. */
export type Pause = () => Promise<void>;

/** How long a process may be busy without yielding. */
const STRETCH_MS = 10;

/** Rejects with the signal's reason. */
export function pauseUntil(signal: AbortSignal): Pause {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < STRETCH_MS) return;
    await setImmediate();
    signal.throwIfAborted();
    sinceMs = performance.now();
  };
}
