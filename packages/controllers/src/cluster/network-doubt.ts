import type { Machine } from '@fairway/api/kinds/machine';

/** The cause of a node's lost connection lies at least this long before it becomes NotReady: the control plane waits for several missed reports. */
const BEFORE_MS = 30_000;
/** The lists refreshed because of one node also serve all other nodes in the meantime: a compromised node cannot cause more by flapping. */
const PAUSE_MS = 120_000;

export interface NetworkDoubt {
  /** The lists must have started later; the change that they must contain may be older. */
  readonly sinceMs: number;
  /** The time after which they must have started. */
  readonly againInMs?: number;
}

/** When the node stopped reporting although its server is running, as a broken network would cause; undefined if it did not. */
export function cutOffTime({ status }: Machine): string | undefined {
  return status?.phase === 'NotReady' && status.serverStatus === 'ACTIVE' ? status.notReadyTime : undefined;
}

/** How recent the lists of a cluster's network must be, given the reports of its nodes. Undefined while all nodes report. */
export function networkDoubt(machines: readonly Machine[], nowMs: number): NetworkDoubt | undefined {
  const times = machines.map((machine) => Date.parse(cutOffTime(machine) ?? '')).filter((ms) => !Number.isNaN(ms));
  if (times.length === 0) return undefined;
  const wantedMs = times.reduce((latest, ms) => Math.max(latest, ms)) - BEFORE_MS;
  const possibleMs = nowMs - PAUSE_MS;
  if (wantedMs <= possibleMs) return { sinceMs: wantedMs };
  return { sinceMs: possibleMs, againInMs: wantedMs - possibleMs };
}
