import { formatTime } from '@fairway/base/clock';
import { MAINTENANCE_ANNOTATION } from '../group.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { MaintenanceStatus, MaintenanceWindow } from '../kinds/cluster-maintenance.ts';
import { durationMs } from './duration.ts';
import { isInWindow, nextWindow } from './maintenance-window.ts';
import { followedRequest, isNewRequest, requestIn } from './request.ts';

/** Whether something may begin now. */
export type MaintenanceGate = { readonly isOpen: true } | { readonly isOpen: false; readonly opensAtMs: number };

const OPEN: MaintenanceGate = { isOpen: true };

/**
 * Whether what is not urgent and interrupts something may begin now: a patch of the control plane, the renewal of a node. It may at any time where the
 * cluster has no window; else in the window, and after a request (`fairway.dev/maintenance-requested`) for as long as a window is. What has begun is
 * finished without asking again.
 */
export function maintenanceGate(cluster: Cluster, nowMs: number): MaintenanceGate {
  const window = cluster.spec.maintenance?.window;
  if (window === undefined || isInWindow(window, nowMs)) return OPEN;
  if (requestedUntilMs(cluster, window, nowMs) > nowMs) return OPEN;
  return { isOpen: false, opensAtMs: nextWindow(window, nowMs).startMs };
}

/** As `maintenanceGate`, for what the user has asked for by a change of the spec. */
export function specChangeGate(cluster: Cluster, nowMs: number): MaintenanceGate {
  return cluster.spec.maintenance?.confineSpecChanges ? maintenanceGate(cluster, nowMs) : OPEN;
}

/** When the next window opens or the one that is open closes, to look again; undefined where there is none. */
export function nextMaintenanceChangeMs({ spec }: Cluster, nowMs: number): number | undefined {
  const window = spec.maintenance?.window;
  if (window === undefined) return undefined;
  const { startMs, endMs } = nextWindow(window, nowMs);
  return startMs > nowMs ? startMs : endMs;
}

/** `status.maintenance`: undefined where the cluster has neither a window nor ever had a request. It notes a request, which is followed once. */
export function maintenanceStatusOf(cluster: Cluster, nowMs: number): MaintenanceStatus | undefined {
  const window = cluster.spec.maintenance?.window;
  const requested = followedRequest(requestOf(cluster), cluster.status?.maintenance?.requested);
  if (window === undefined) return requested === undefined ? undefined : { requested };
  const { startMs, endMs } = nextWindow(window, nowMs);
  const untilMs = requestedUntilMs(cluster, window, nowMs);
  return {
    window: { start: formatTime(startMs), end: formatTime(endMs) },
    ...(requested !== undefined && { requested }),
    ...(untilMs > nowMs && { requestedUntil: formatTime(untilMs) }),
  };
}

/** A value that was not followed yet counts from now on. */
function requestedUntilMs(cluster: Cluster, window: MaintenanceWindow, nowMs: number): number {
  const { requested, requestedUntil } = cluster.status?.maintenance ?? {};
  const request = requestOf(cluster);
  if (isNewRequest(request, requested)) return nowMs + durationMs(window.duration);
  return requestedUntil === undefined ? Number.NEGATIVE_INFINITY : Date.parse(requestedUntil);
}

function requestOf(cluster: Cluster): string | undefined {
  return requestIn(cluster, MAINTENANCE_ANNOTATION);
}
