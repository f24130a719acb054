import { COMPONENTS } from './components.ts';
import type { ObservedComponents } from './plan-steps.ts';

/** The shortest time between two looks at a control plane, while something is about to happen. */
export const BUSY_MS = 200;
/** The longest, whatever does not serve and for however long. */
export const LONGEST_MS = 5000;
/** Of the time for which something has not served, the share after which to look again. */
const PATIENCE = 1 / 25;

/** How long to wait before the next look at a control plane that is not as it should be; pure. Processes of ours tell by themselves when they end. */
export function nextLookMs(observed: ObservedComponents, nowMs: number): number {
  const waits = COMPONENTS.map((component) => {
    const { process, retryAtMs } = observed[component];
    if (process === undefined) return retryAtMs > nowMs ? retryAtMs - nowMs : LONGEST_MS;
    if (process.terminatedAtMs !== undefined) return BUSY_MS;
    return process.unreadySinceMs === undefined ? LONGEST_MS : (nowMs - process.unreadySinceMs) * PATIENCE;
  });
  return Math.min(Math.max(Math.min(...waits), BUSY_MS), LONGEST_MS);
}
