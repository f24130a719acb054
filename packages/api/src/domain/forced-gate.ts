import type { Cluster } from '../kinds/cluster.ts';
import { type MaintenanceGate, maintenanceGate } from './maintenance-gate.ts';

/** How long maintenance windows hold up an upgrade that nobody has asked for: every one opens twice in that time, since it is weekly at least. */
const WINDOW_PATIENCE_MS = 14 * 86_400_000;

/**
 * As `maintenanceGate`, for an upgrade after the end of life that has been due since a time, and its nodes: open from two weeks after it on, whatever
 * window the cluster has then. Its user may move it at any time, and would hold the upgrade up for good.
 */
function gateSince(cluster: Cluster, since: string | undefined, nowMs: number): MaintenanceGate {
  const gate = maintenanceGate(cluster, nowMs);
  if (gate.isOpen || since === undefined) return gate;
  const latestMs = Date.parse(since) + WINDOW_PATIENCE_MS;
  return nowMs >= latestMs ? { isOpen: true } : { isOpen: false, opensAtMs: Math.min(gate.opensAtMs, latestMs) };
}

/** Whether the control plane may be upgraded now, after the time that the cluster was told. */
export function forcedUpgradeGate(cluster: Cluster, nowMs: number): MaintenanceGate {
  return gateSince(cluster, cluster.status?.endOfLife?.upgrade?.time, nowMs);
}

/** Whether its nodes may follow now. */
export function forcedRenewalGate(cluster: Cluster, nowMs: number): MaintenanceGate {
  return gateSince(cluster, cluster.status?.forcedUpgrade?.time, nowMs);
}
