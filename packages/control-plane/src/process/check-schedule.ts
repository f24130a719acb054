import { COMPONENTS } from './components.ts';
import type { ObservedComponents } from './plan-steps.ts';

/** The shortest poll interval for a control plane, while a change is imminent. */
export const BUSY_MS = 200;
/** The longest poll interval, however long a component has not been serving. */
export const LONGEST_MS = 5000;
/** Poll interval as a fraction of the time for which a component has not been serving. */
const PATIENCE = 1 / 25;

/** How long to wait before the next check of a control plane that is not in its desired state; pure. Child processes report their exit themselves. */
export function nextCheckMs(observed: ObservedComponents, nowMs: number): number {
  const waits = COMPONENTS.map((component) => {
    const { process, retryAtMs } = observed[component];
    if (process === undefined) return retryAtMs > nowMs ? retryAtMs - nowMs : LONGEST_MS;
    if (process.terminatedAtMs !== undefined) return BUSY_MS;
    return process.unreadySinceMs === undefined ? LONGEST_MS : (nowMs - process.unreadySinceMs) * PATIENCE;
  });
  return Math.min(Math.max(Math.min(...waits), BUSY_MS), LONGEST_MS);
}
