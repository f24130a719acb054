import type { ContainerBehavior } from './container-behavior.ts';

/** A container's state at a given time; times are epoch milliseconds. */
export type ContainerSnapshot =
  | {
      readonly phase: 'running';
      readonly startedMs: number;
      readonly isReady: boolean;
      readonly restarts: number;
      readonly last: Termination | undefined;
      readonly nextChangeMs: number | undefined;
    }
  | {
      /** In CrashLoopBackOff until its next start. */
      readonly phase: 'backOff';
      readonly delayMs: number;
      readonly restarts: number;
      readonly last: Termination;
      readonly nextChangeMs: number;
    }
  | {
      readonly phase: 'terminated';
      readonly termination: Termination;
      readonly restarts: number;
      readonly last: Termination | undefined;
      readonly nextChangeMs: undefined;
    };

export interface Termination {
  readonly startedMs: number;
  readonly finishedMs: number;
  readonly exitCode: number;
  /** The container's termination message; undefined if it has none. */
  readonly message?: string | undefined;
}

const BACK_OFF_BASE_MS = 10_000;
const BACK_OFF_CAP_MS = 300_000;

/** kubelet's restart backoff: none before the first restart, then 10 s, 20 s… up to five minutes. */
function backOffMs(restarts: number): number {
  return restarts === 0 ? 0 : Math.min(BACK_OFF_BASE_MS * 2 ** Math.min(restarts - 1, 30), BACK_OFF_CAP_MS);
}

/**
 * Computes a container's state from its first start and its behavior at each start. Nothing has to be stored: a node
 * that restarts computes the same state.
 */
export function containerAt(
  behaviors: readonly [ContainerBehavior, ...ContainerBehavior[]],
  isRestarted: (exitCode: number) => boolean,
  firstStartMs: number,
  nowMs: number,
): ContainerSnapshot {
  let startedMs = firstStartMs;
  let restarts = 0;
  let last: Termination | undefined;
  for (;;) {
    const { exitAfterMs, exitCode, readyAfterMs, message } = behaviors[restarts] ?? behaviors.at(-1) ?? behaviors[0];
    const endMs = exitAfterMs === undefined ? undefined : startedMs + exitAfterMs;
    if (endMs === undefined || nowMs < endMs) {
      const readyMs = readyAfterMs === undefined ? undefined : startedMs + readyAfterMs;
      const isReady = readyMs !== undefined && nowMs >= readyMs;
      const nextChangeMs = earliestDefined(isReady ? undefined : readyMs, endMs);
      return { phase: 'running', startedMs, isReady, restarts, last, nextChangeMs };
    }
    const termination: Termination = { startedMs, finishedMs: endMs, exitCode, message };
    if (!isRestarted(exitCode)) return { phase: 'terminated', termination, restarts, last, nextChangeMs: undefined };
    const delayMs = backOffMs(restarts);
    const nextStartMs = endMs + delayMs;
    if (nowMs < nextStartMs)
      return { phase: 'backOff', delayMs, restarts, last: termination, nextChangeMs: nextStartMs };
    last = termination;
    restarts++;
    startedMs = nextStartMs;
    // At the maximum backoff, all cycles have the same length, so completed ones are skipped.
    if (delayMs === BACK_OFF_CAP_MS && restarts >= behaviors.length) {
      const roundMs = (exitAfterMs ?? 0) + BACK_OFF_CAP_MS;
      const rounds = Math.max(0, Math.floor((nowMs - startedMs) / roundMs));
      restarts += rounds;
      startedMs += rounds * roundMs;
      if (rounds > 0) {
        last = { startedMs: startedMs - roundMs, finishedMs: startedMs - BACK_OFF_CAP_MS, exitCode, message };
      }
    }
  }
}

export function earliestDefined(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
