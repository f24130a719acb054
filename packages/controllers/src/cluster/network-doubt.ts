import type { Machine } from '@fairway/api/kinds/machine';

/** What has cut a node off has happened so long before it is NotReady at least: the control plane waits for several of its reports. */
const BEFORE_MS = 30_000;
/** The lists that one node makes necessary serve whatever other nodes do in the meantime: a stolen one may come and go as it likes. */
const PAUSE_MS = 120_000;

export interface NetworkDoubt {
  /** The lists must have begun later; what they have to show may be older. */
  readonly sinceMs: number;
  /** When they must be newer than that. */
  readonly againInMs?: number;
}

/** When the node stopped reporting although its server runs, which a network that is cut does too; undefined if neither is so. */
export function cutOffTime({ status }: Machine): string | undefined {
  return status?.phase === 'NotReady' && status.serverStatus === 'ACTIVE' ? status.notReadyTime : undefined;
}

/** How new the lists of a cluster's network must be for what its nodes tell. Undefined while all of them report. */
export function networkDoubt(machines: readonly Machine[], nowMs: number): NetworkDoubt | undefined {
  const times = machines.map((machine) => Date.parse(cutOffTime(machine) ?? '')).filter((ms) => !Number.isNaN(ms));
  if (times.length === 0) return undefined;
  const wantedMs = times.reduce((latest, ms) => Math.max(latest, ms)) - BEFORE_MS;
  const possibleMs = nowMs - PAUSE_MS;
  if (wantedMs <= possibleMs) return { sinceMs: wantedMs };
  return { sinceMs: possibleMs, againInMs: wantedMs - possibleMs };
}
