import { formatTime } from '@fairway/base/clock';
import type { Cluster } from '../kinds/cluster.ts';
import type { ResetSpec, ResetStatus } from '../kinds/cluster-reset.ts';
import type { KubernetesRelease } from '../kinds/kubernetes-release.ts';
import { requestedVersion } from './forced-upgrade.ts';
import { isHibernationWanted } from './hibernation.ts';
import { offeredVersions } from './offered-versions.ts';
import { isNewRequest } from './request.ts';
import { isNewRestore } from './restore-request.ts';
import { minorOf } from './version-numbers.ts';
import { resolveVersion } from './versions.ts';

/** Whether a reset has begun, and the cluster of before is not gone yet. What has begun is finished. */
export function isBeingEmptied(cluster: Pick<Cluster, 'status'> | undefined): boolean {
  const phase = cluster?.status?.reset?.phase;
  return phase === 'RemovingNodes' || phase === 'EmptyingControlPlane';
}

/** Whether the cluster is to have no nodes now: it hibernates, or is reset and its nodes go first. */
export function isWithoutNodes(cluster: Pick<Cluster, 'status'> | undefined): boolean {
  return isHibernationWanted(cluster) || (isBeingEmptied(cluster) && cluster?.status?.reset?.nodes === 'Delete');
}

/** The reset that is asked for and was not followed yet. An earlier one is not: a manifest in a repository may have the one before the last. */
export function askedReset({
  spec,
  status,
}: Pick<Cluster, 'spec'> & { readonly status?: Cluster['status'] | undefined }): ResetSpec | undefined {
  const { reset } = spec;
  return isNewRequest(reset?.requestedAt, status?.reset?.requestedAt) ? reset : undefined;
}

/** Whether there is anything in the cluster that a reset would take away. */
export function isResettable({ status }: Pick<Cluster, 'status'>): boolean {
  return status?.endpoint !== undefined || status?.version !== undefined;
}

export interface ResetProblem {
  readonly reason: 'ResetNotConfirmed' | 'VersionNotOffered' | 'ProgramsMissing' | 'Restoring';
  /** With the field that it is about. */
  readonly field: string;
  readonly problem: string;
}

/** Why a reset that is asked for can't begin, or the exact version that the cluster begins anew with. Pure. */
export function judgeReset(
  cluster: Cluster,
  reset: ResetSpec,
  releases: readonly KubernetesRelease[],
  nowMs: number,
): ResetProblem | { readonly version: string } {
  const { name = '' } = cluster.metadata;
  if (reset.confirm !== name) {
    const problem = `must be the cluster's name, ${name}: a reset deletes everything in it`;
    return { reason: 'ResetNotConfirmed', field: 'spec.reset.confirm', problem };
  }
  const { restore } = cluster.spec.etcd ?? {};
  if (restore && isNewRestore(restore, cluster.status?.etcd)) {
    const problem = `snapshot ${restore.snapshot} is still to be restored, which would undo the reset: wait for it, or take the field out`;
    return { reason: 'Restoring', field: 'spec.etcd.restore', problem };
  }
  return versionOf(cluster, releases, nowMs);
}

/** What runs stays where spec.version does not ask for another one; else the rules are those of a new cluster. */
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
  /** Why one that is asked for does not begin. */
  readonly problem: ResetProblem | undefined;
}

/**
 * `status.reset` with what is asked for now. Pure, and level-triggered: a request acts once, however often it is read, and waits for one that is emptying
 * the cluster; one whose new control plane is starting may be followed by the next at once.
 */
export function decideReset(cluster: Cluster, releases: readonly KubernetesRelease[], nowMs: number): ResetDecision {
  const last = cluster.status?.reset;
  const asked = askedReset(cluster);
  if (asked === undefined || isBeingEmptied(cluster)) return { reset: last, problem: undefined };
  const { requestedAt, nodes } = asked;
  const since = formatTime(nowMs);
  const common = {
    requestedAt,
    nodes,
    since,
    ...(last?.emptiedTime !== undefined && { emptiedTime: last.emptiedTime }),
  };
  if (!isResettable(cluster)) return { reset: { ...common, phase: last?.phase ?? 'Complete' }, problem: undefined };
  const judged = judgeReset(cluster, asked, releases, nowMs);
  if ('problem' in judged) return { reset: last, problem: judged };
  const phase = nodes === 'Delete' ? 'RemovingNodes' : 'EmptyingControlPlane';
  return { reset: { ...common, phase, startTime: since, version: judged.version }, problem: undefined };
}
