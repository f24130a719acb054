import type { Cluster } from '../kinds/cluster.ts';
import { type MaintenanceGate, maintenanceGate } from './maintenance-gate.ts';

/**
 * How long maintenance windows can delay a forced upgrade. Windows recur at least weekly, so each opens twice in that
 * time.
 */
const WINDOW_TIMEOUT_MS = 14 * 86_400_000;

/**
 * Like `maintenanceGate`, for a forced upgrade that became due at a given time, and for its nodes: the gate stays open
 * from two weeks after that time, regardless of the cluster's window. Otherwise users could delay the upgrade
 * forever by moving the window.
 */
function gateSince(cluster: Cluster, since: string | undefined, nowMs: number): MaintenanceGate {
  const gate = maintenanceGate(cluster, nowMs);
  if (gate.isOpen || since === undefined) return gate;
  const latestMs = Date.parse(since) + WINDOW_TIMEOUT_MS;
  return nowMs >= latestMs ? { isOpen: true } : { isOpen: false, opensAtMs: Math.min(gate.opensAtMs, latestMs) };
}

/** Whether the control plane may be upgraded now, given the announced time. */
export function forcedUpgradeGate(cluster: Cluster, nowMs: number): MaintenanceGate {
  return gateSince(cluster, cluster.status?.endOfLife?.upgrade?.time, nowMs);
}

/** Whether the nodes may now be upgraded too. */
export function forcedUpdateGate(cluster: Cluster, nowMs: number): MaintenanceGate {
  return gateSince(cluster, cluster.status?.forcedUpgrade?.time, nowMs);
}
