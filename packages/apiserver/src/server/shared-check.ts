import type { Clock } from '@fairway/base/clock';

/**
 * Shares one run of a check among all concurrent callers, and for `maxAgeMs` after it ends. Health can be requested by
 * anyone at any rate, so the load of checks must not depend on that.
 */
export function sharedCheck(check: () => Promise<void>, maxAgeMs: number, clock: Clock): () => Promise<void> {
  let last: { readonly outcome: Promise<void>; endedMs: number | undefined } | undefined;
  return () => {
    const isFresh = last && (last.endedMs === undefined || clock.now() - last.endedMs < maxAgeMs);
    if (last && isFresh) return last.outcome;
    const outcome = check();
    const run = { outcome, endedMs: undefined as number | undefined };
    const end = () => {
      run.endedMs = clock.now();
    };
    outcome.then(end, end);
    last = run;
    return outcome;
  };
}
