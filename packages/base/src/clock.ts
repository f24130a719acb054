/** A pending timer. Cancelling one that has fired has no effect. */
export interface Timer {
  cancel(): void;
}

/** The only source of time in Fairway. Tests control it, so a ten-minute timeout is tested in milliseconds. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
  /** Runs `callback` once after `delayMs`. The timer does not keep the process alive. */
  after(delayMs: number, callback: () => void): Timer;
  /** Resolves after `delayMs`; rejects with the signal's reason if the signal aborts first. */
  sleep(delayMs: number, signal?: AbortSignal): Promise<void>;
}

/** Longest delay that setTimeout supports; a longer one would fire immediately. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, callback) {
    const timeout = setTimeout(callback, Math.min(Math.max(delayMs, 0), MAX_TIMEOUT_MS)).unref();
    return { cancel: () => clearTimeout(timeout) };
  },
  sleep(delayMs, signal) {
    return sleepOn(this, delayMs, signal);
  },
};

/** `Clock.sleep` in terms of `Clock.after`. */
export function sleepOn(clock: Clock, delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.after(delayMs, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}

/** The time as Kubernetes writes it in `metav1.Time`: RFC 3339 in UTC, whole seconds. */
export function formatTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/** The time as Kubernetes writes it in `metav1.MicroTime` (Leases, events.k8s.io). */
export function formatMicroTime(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, -1)}000Z`;
}
