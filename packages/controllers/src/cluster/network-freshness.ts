import type { Machine } from '@fairway/api/kinds/machine';

/**
 * A node loses its connection at least this long before it becomes NotReady: the control plane waits for several missed
 * reports.
 */
const DETECTION_DELAY_MS = 30_000;
/**
 * A refresh of the lists for one node also counts for all other nodes in the meantime, so a compromised node cannot
 * cause more lists by flapping.
 */
const REFRESH_INTERVAL_MS = 120_000;

export interface NetworkFreshness {
  /** The lists must have been requested after this time; the change that they must contain may be older. */
  readonly sinceMs: number;
  /** When to require newer lists again. */
  readonly requeueAfterMs?: number;
}

/**
 * When the node stopped reporting even though its server is running, which a broken network would cause; undefined
 * otherwise.
 */
export function disconnectedTime({ status }: Machine): string | undefined {
  return status?.phase === 'NotReady' && status.serverStatus === 'ACTIVE' ? status.notReadyTime : undefined;
}

/** How recent the lists of a cluster's network must be, given the reports of its nodes. Undefined while all nodes report. */
export function requiredFreshness(machines: readonly Machine[], nowMs: number): NetworkFreshness | undefined {
  const times = machines
    .map((machine) => Date.parse(disconnectedTime(machine) ?? ''))
    .filter((ms) => !Number.isNaN(ms));
  if (times.length === 0) return undefined;
  const neededSinceMs = times.reduce((latest, ms) => Math.max(latest, ms)) - DETECTION_DELAY_MS;
  const allowedSinceMs = nowMs - REFRESH_INTERVAL_MS;
  if (neededSinceMs <= allowedSinceMs) return { sinceMs: neededSinceMs };
  return { sinceMs: allowedSinceMs, requeueAfterMs: neededSinceMs - allowedSinceMs };
}
