import { formatTime } from '@fairway/base/clock';
import type { Cluster } from '../kinds/cluster.ts';
import type { ResetSpec, ResetStatus } from '../kinds/cluster-reset.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { requestedVersion } from './forced-upgrade.ts';
import { shouldHibernate } from './hibernation.ts';
import { offeredVersions } from './offered-versions.ts';
import { isNewRequest } from './request.ts';
import { isNewRestore } from './restore-request.ts';
import { minorOf } from './version-numbers.ts';
import { resolveVersion } from './versions.ts';

/** Whether a reset has started and the old cluster has not been removed yet. A started reset is always finished. */
export function isBeingWiped(cluster: Pick<Cluster, 'status'> | undefined): boolean {
  const phase = cluster?.status?.reset?.phase;
  return phase === 'RemovingNodes' || phase === 'EmptyingControlPlane';
}

/** Whether the cluster should have no nodes now: it is hibernated, or a reset is deleting its nodes. */
export function shouldHaveNoNodes(cluster: Pick<Cluster, 'status'> | undefined): boolean {
  return shouldHibernate(cluster) || (isBeingWiped(cluster) && cluster?.status?.reset?.nodes === 'Delete');
}

/**
 * The requested reset that has not been processed yet. Earlier requests are ignored: a manifest in a repository may
 * contain an old one.
 */
export function requestedReset({
  spec,
  status,
}: Pick<Cluster, 'spec'> & { readonly status?: Cluster['status'] | undefined }): ResetSpec | undefined {
  const { reset } = spec;
  return isNewRequest(reset?.requestedAt, status?.reset?.requestedAt) ? reset : undefined;
}

/** Whether the cluster contains anything that a reset would delete. */
export function isResettable({ status }: Pick<Cluster, 'status'>): boolean {
  return status?.endpoint !== undefined || status?.version !== undefined;
}

export interface ResetProblem {
  readonly reason: 'ResetNotConfirmed' | 'VersionNotOffered' | 'ProgramsMissing' | 'Restoring';
  /** A problem, with the field to report. */
  readonly field: string;
  readonly problem: string;
}

/** Why a requested reset can't begin, or the exact version that the cluster will have after the reset. Pure. */
export function classifyReset(
  cluster: Cluster,
  reset: ResetSpec,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): ResetProblem | { readonly version: string } {
  const { name = '' } = cluster.metadata;
  if (reset.confirm !== name) {
    const problem = `must be the name of the cluster, ${name}, to confirm that everything in it is deleted`;
    return { reason: 'ResetNotConfirmed', field: 'spec.reset.confirm', problem };
  }
  const { restore } = cluster.spec.etcd ?? {};
  if (restore && isNewRestore(restore, cluster.status?.etcd)) {
    const problem = `snapshot ${restore.snapshot} has not been restored yet, which would undo the reset: wait for it, or remove the field`;
    return { reason: 'Restoring', field: 'spec.etcd.restore', problem };
  }
  return versionOf(cluster, releases, nowMs);
}

/** The version stays unless spec.version requests a different one, in which case the rules for new clusters apply. */
function versionOf(
  cluster: Cluster,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): ResetProblem | { readonly version: string } {
  const { status } = cluster;
  const requested = requestedVersion(cluster);
  const current = status?.version ?? status?.desiredVersion;
  const isCurrent = requested === undefined || requested === current || (current && requested === minorOf(current));
  const offered = offeredVersions(releases, nowMs).find(({ version }) => version === current);
  if (current !== undefined && isCurrent && offered && offered.problem === undefined) return { version: current };
  const resolved = resolveVersion(requested, releases, nowMs);
  if (resolved.ok) return { version: resolved.version.version };
  const reason = resolved.isMissing ? 'ProgramsMissing' : 'VersionNotOffered';
  return { reason, field: 'spec.version', problem: resolved.problem };
}

export interface ResetDecision {
  readonly reset: ResetStatus | undefined;
  /** Why a requested reset does not begin. */
  readonly problem: ResetProblem | undefined;
}

/**
 * `status.reset` with the current request. Pure and level-triggered: a request is processed only once, however often it
 * is read, and waits while an earlier reset is wiping the cluster. Once the new control plane is starting, the next
 * reset can begin immediately.
 */
export function decideReset(cluster: Cluster, releases: readonly KubernetesRelease[], nowMs: number): ResetDecision {
  const last = cluster.status?.reset;
  const request = requestedReset(cluster);
  if (request === undefined || isBeingWiped(cluster)) return { reset: last, problem: undefined };
  const { requestedAt, nodes } = request;
  const since = formatTime(nowMs);
  const common = {
    requestedAt,
    nodes,
    since,
    ...(last?.emptiedTime !== undefined && { emptiedTime: last.emptiedTime }),
  };
  if (!isResettable(cluster)) return { reset: { ...common, phase: last?.phase ?? 'Complete' }, problem: undefined };
  const classified = classifyReset(cluster, request, releases, nowMs);
  if ('problem' in classified) return { reset: last, problem: classified };
  const phase = nodes === 'Delete' ? 'RemovingNodes' : 'EmptyingControlPlane';
  return { reset: { ...common, phase, startTime: since, version: classified.version }, problem: undefined };
}
