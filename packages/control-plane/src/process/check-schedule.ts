import { COMPONENTS } from './components.ts';
import type { ObservedComponents } from './plan-steps.ts';

/** The shortest poll interval for a control plane, while a change is imminent. */
export const MIN_POLL_INTERVAL_MS = 200;
/** The longest poll interval, even for components that have been down for a long time. */
export const MAX_POLL_INTERVAL_MS = 5000;
/** Poll interval as a fraction of the time that a component has been down. */
const POLL_INTERVAL_FRACTION = 1 / 25;

/** How long to wait before the next check of a control plane that is not in its desired state; pure. Child processes report their exit themselves. */
export function nextCheckMs(observed: ObservedComponents, nowMs: number): number {
  const waits = COMPONENTS.map((component) => {
    const { process, retryAtMs } = observed[component];
    if (process === undefined) return retryAtMs > nowMs ? retryAtMs - nowMs : MAX_POLL_INTERVAL_MS;
    if (process.terminatedAtMs !== undefined) return MIN_POLL_INTERVAL_MS;
    return process.unreadySinceMs === undefined
      ? MAX_POLL_INTERVAL_MS
      : (nowMs - process.unreadySinceMs) * POLL_INTERVAL_FRACTION;
  });
  return Math.min(Math.max(Math.min(...waits), MIN_POLL_INTERVAL_MS), MAX_POLL_INTERVAL_MS);
}
