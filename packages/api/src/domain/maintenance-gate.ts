import { formatTime } from '@fairway/base/clock';
import { MAINTENANCE_ANNOTATION } from '../group.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { MaintenanceStatus, MaintenanceWindow } from '../kinds/cluster-maintenance.ts';
import { durationMs } from './duration.ts';
import { isInWindow, nextWindow } from './maintenance-window.ts';
import { isNewRequest, requestToRecord, requestValueOf } from './request.ts';

/** Whether work may begin now. */
export type MaintenanceGate = { readonly isOpen: true } | { readonly isOpen: false; readonly opensAtMs: number };

const OPEN_GATE: MaintenanceGate = { isOpen: true };

/**
 * Whether non-urgent disruptive work may begin now, such as patching the control plane or replacing a node. Without a window it may begin at any
 * time; otherwise in the window, and after a request (`fairway.dev/maintenance-requested`) for the duration of a window. Work in progress is finished
 * without another check.
 */
export function maintenanceGate(cluster: Cluster, nowMs: number): MaintenanceGate {
  const window = cluster.spec.maintenance?.window;
  if (window === undefined || isInWindow(window, nowMs)) return OPEN_GATE;
  if (requestedUntilMs(cluster, window, nowMs) > nowMs) return OPEN_GATE;
  return { isOpen: false, opensAtMs: nextWindow(window, nowMs).startMs };
}

/** Like `maintenanceGate`, for work that the user requested by changing the spec. */
export function specChangeGate(cluster: Cluster, nowMs: number): MaintenanceGate {
  return cluster.spec.maintenance?.confineSpecChanges ? maintenanceGate(cluster, nowMs) : OPEN_GATE;
}

/** When the next window opens or the current one closes, used for requeueing; undefined without a window. */
export function nextMaintenanceChangeMs({ spec }: Cluster, nowMs: number): number | undefined {
  const window = spec.maintenance?.window;
  if (window === undefined) return undefined;
  const { startMs, endMs } = nextWindow(window, nowMs);
  return startMs > nowMs ? startMs : endMs;
}

/**
 * `status.maintenance`: undefined if the cluster has no window and has never had a request. It records the request,
 * which is processed only once.
 */
export function maintenanceStatusOf(cluster: Cluster, nowMs: number): MaintenanceStatus | undefined {
  const window = cluster.spec.maintenance?.window;
  const requested = requestToRecord(requestOf(cluster), cluster.status?.maintenance?.requested);
  if (window === undefined) return requested === undefined ? undefined : { requested };
  const { startMs, endMs } = nextWindow(window, nowMs);
  const untilMs = requestedUntilMs(cluster, window, nowMs);
  return {
    window: { start: formatTime(startMs), end: formatTime(endMs) },
    ...(requested !== undefined && { requested }),
    ...(untilMs > nowMs && { requestedUntil: formatTime(untilMs) }),
  };
}

/** A value that has not been processed yet takes effect now. */
function requestedUntilMs(cluster: Cluster, window: MaintenanceWindow, nowMs: number): number {
  const { requested, requestedUntil } = cluster.status?.maintenance ?? {};
  const request = requestOf(cluster);
  if (isNewRequest(request, requested)) return nowMs + durationMs(window.duration);
  return requestedUntil === undefined ? Number.NEGATIVE_INFINITY : Date.parse(requestedUntil);
}

function requestOf(cluster: Cluster): string | undefined {
  return requestValueOf(cluster, MAINTENANCE_ANNOTATION);
}
