import { type ConditionReason, ConditionType, isOutage } from '@fairway/api/conditions';
import type { ClusterStatus } from '@fairway/api/kinds/cluster';
import { formatTime } from '@fairway/base/clock';
import { type ConditionState, findCondition } from '@fairway/kube/controller/conditions';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { conditionMet, type Problem } from '@fairway/tenancy/problem';
import { type Failure, failureOf } from '@fairway/tenancy/reconcile/failure';

/** How the cloud responded to a pass over a cluster. */
export interface CloudState {
  /** Why the cloud did not respond, or why Fairway may not use it. */
  readonly problem: Problem | undefined;
}

/** Reasons for which Fairway cannot check: whether the cloud is reachable is unknown. */
const UNAUTHORIZED_REASONS: ReadonlySet<ConditionReason> = new Set(['CredentialInvalid', 'PermissionDenied']);

/**
 * The state of the cloud, from the attempt to create the network and from the lists of servers, which are refreshed in
 * the background. Undefined if neither provides information: the network has a problem of its own.
 */
export function cloudStateOf(cloud: ProjectCloud, failure: Failure | undefined): CloudState | undefined {
  const { stale } = cloud.cache.servers.snapshot();
  // The lists come first: it is random which service an attempt reaches first.
  const problem = (stale && failureOf(stale.error, cloud.now())) ?? (failure?.party === 'cloud' ? failure : undefined);
  if (problem === undefined) return failure === undefined ? { problem } : undefined;
  const isAboutCloud = isOutage(problem.reason) || UNAUTHORIZED_REASONS.has(problem.reason);
  return { problem: isAboutCloud ? problem : undefined };
}

/** The condition CloudReachable; undefined if it does not change. */
export function cloudCondition(
  { cloud, nowMs }: { readonly cloud: CloudState | undefined; readonly nowMs: number },
  previous: ClusterStatus | undefined,
): ConditionState | undefined {
  if (cloud === undefined) return undefined;
  const type = ConditionType.CloudReachable;
  const { problem } = cloud;
  if (problem === undefined) return conditionMet(type);
  const last = findCondition(previous?.conditions, type);
  const status = isOutage(problem.reason) ? ('False' as const) : ('Unknown' as const);
  const since = last?.status === status ? last.lastTransitionTime : formatTime(nowMs);
  return { type, status, reason: problem.reason, message: `${problem.message}; since ${since}` };
}

/**
 * Calls `changed` when the lists of servers start to fail, and when they succeed again. Returns a function that
 * unsubscribes.
 */
export function onReachabilityChange({ cache }: ProjectCloud, changed: () => void): () => void {
  let wasStale = false;
  return cache.servers.subscribe(({ isStale }) => {
    if (isStale !== wasStale) changed();
    wasStale = isStale;
  });
}
