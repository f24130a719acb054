import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { type Notice, noticeOf, releaseOf } from '@fairway/api/domain/end-of-life';
import { isExempt } from '@fairway/api/domain/forced-upgrade';
import { offeredVersions } from '@fairway/api/domain/offered-versions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { phaseOf } from '@fairway/api/domain/release-phase';
import { compareVersions, minorOf } from '@fairway/api/domain/version-numbers';
import { isKubeletSkewAllowed, newestPatch, nextUpgradeVersions } from '@fairway/api/domain/versions';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { type ConditionState, findCondition } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet, type Problem } from '@fairway/tenancy/problem';
import { isOver, type Operation } from '../operation.ts';
import type { ClusterDependencies } from './dependencies.ts';
import type { VersionChoice } from './version-facts.ts';

interface VersionFacts {
  readonly releases: readonly KubernetesRelease[];
  readonly choice: VersionChoice | undefined;
  readonly nowMs: number;
}

/** The version fields of the status; `version` is what the control plane runs. */
export function versionStatus(
  version: string | undefined,
  oldestNode: string | undefined,
  { releases, choice, nowMs }: VersionFacts,
): Pick<ClusterStatus, 'version' | 'desiredVersion' | 'availablePatch' | 'nextUpgradeVersions'> {
  const desired = choice?.version === undefined ? {} : { desiredVersion: choice.version };
  if (version === undefined) return desired;
  const availablePatch = newestPatch(version, offeredVersions(releases, nowMs))?.version;
  return {
    ...desired,
    version,
    availablePatch,
    nextUpgradeVersions: nextUpgradeVersions(version, releases, nowMs, oldestNode),
  };
}

/**
 * Whether control plane and nodes run the versions that result from the spec and the policy; undefined while unknown.
 */
export function upToDateCondition(
  { choice, pools }: Pick<VersionFacts, 'choice'> & { readonly pools: readonly NodePool[] },
  version: string | undefined,
  upgrading: Operation | undefined,
): ConditionState | undefined {
  const type = ConditionType.UpToDate;
  if (choice === undefined || version === undefined) return undefined;
  if (choice.waiting && !(choice.waiting.reason === ConditionReason.Updating && choice.version === version)) {
    return conditionUnmet(type, choice.waiting);
  }
  const outdated = outdatedPool(pools);
  if (outdated) return conditionUnmet(type, outdated);
  // The cluster's pools have not been checked since then.
  if (upgrading === undefined || isOver(upgrading)) return conditionMet(type);
  return conditionUnmet(type, { reason: ConditionReason.Updating, message: upgrading.description });
}

/** Why a pool's nodes do not match its spec: from the first pool that is waiting for something, otherwise from any. */
function outdatedPool(pools: readonly NodePool[]): Problem | undefined {
  const outdated = pools.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      findCondition(status?.conditions, ConditionType.UpToDate)?.status === 'False',
  );
  const pool = outdated.find(({ status }) => status?.upgrade?.reason !== undefined) ?? outdated[0];
  if (pool === undefined) return undefined;
  if (findCondition(pool.status?.conditions, ConditionType.UpToDate)?.reason === ConditionReason.Reinstalling) {
    const message = `nodes of pool ${pool.metadata.name} are being reinstalled on their servers`;
    return { reason: ConditionReason.Reinstalling, message };
  }
  const what = `nodes of pool ${pool.metadata.name} have a version, image, flavor, root volume, zone or network other than its spec requires`;
  const { reason, message, since } = pool.status?.upgrade ?? {};
  if (reason === undefined) return { reason: ConditionReason.Updating, message: `${what}, and are being updated` };
  return { reason: reason as ConditionReason, message: `${what}; since ${since}: ${message}` };
}

/** Set only while the version is deprecated, ends within 30 days, or has ended. Its message changes only with the notices and with the offered versions. */
export function supportedCondition(
  cluster: Pick<Cluster, 'metadata' | 'spec' | 'status'>,
  oldestNode: string | undefined,
  { releases, nowMs }: Pick<VersionFacts, 'releases' | 'nowMs'>,
): ConditionState | undefined {
  const version = cluster.status?.version;
  if (version === undefined) return undefined;
  const release = releaseOf(version, releases);
  if (release === undefined) return undefined;
  const { minor } = release.spec;
  const notice = noticeOf(release, nowMs);
  if (notice === undefined && phaseOf(release, nowMs) !== 'Deprecated') return undefined;
  const what = remedyFor(version, nextUpgradeVersions(version, releases, nowMs), oldestNode);
  const { reason, state } = notice === undefined ? deprecation(release) : endOfLifeState(notice);
  const message = `Kubernetes ${minor} ${state}: ${what}${notice === undefined ? '' : forcedUpgradeText(cluster, release)}`;
  return conditionUnmet(ConditionType.VersionSupported, { reason, message });
}

function remedyFor(version: string, [next]: readonly string[], oldestNode: string | undefined): string {
  if (next === undefined) return 'no newer minor version is offered yet';
  if (oldestNode === undefined || isKubeletSkewAllowed(oldestNode, next)) return `set spec.version to ${next}`;
  return `its nodes are too old for ${next}, the oldest runs ${oldestNode}: update them to ${minorOf(version)}, then set spec.version to ${next}`;
}

/** What happens to clusters that stay on the version. */
function forcedUpgradeText(
  { metadata, spec, status }: Pick<Cluster, 'metadata' | 'spec' | 'status'>,
  { spec: { forcedUpgrade } }: KubernetesRelease,
): string {
  if (forcedUpgrade === undefined) return '';
  if (isExempt({ metadata }, forcedUpgrade)) return '; the operator has exempted it from the automatic upgrade';
  const planned = status?.endOfLife?.upgrade;
  if (planned === undefined) return '; once one is offered, Fairway upgrades the cluster automatically after some time';
  const where = spec.maintenance?.window === undefined ? '' : ', in its maintenance window';
  return `; Fairway upgrades it to ${planned.to} automatically no earlier than ${planned.time}${where}; to see what changes and what is lost: fairway cluster upgrade ${metadata.name} --plan`;
}

function deprecation({ spec }: KubernetesRelease): { readonly reason: ConditionReason; readonly state: string } {
  const ends = spec.endOfLife === undefined || spec.phaseOverride ? 'soon' : `on ${spec.endOfLife}`;
  return { reason: ConditionReason.VersionDeprecated, state: `is deprecated and reaches its end of life ${ends}` };
}

function endOfLifeState({ days, date }: Notice): { readonly reason: ConditionReason; readonly state: string } {
  if (days === 0) {
    const when = date === undefined ? '' : ` on ${date}`;
    const state = `has reached its end of life${when} and gets no further fixes`;
    return { reason: ConditionReason.VersionEndOfLife, state };
  }
  const state = `reaches its end of life within ${pluralize(days, 'day')}, on ${date}, and gets no fixes after that`;
  return { reason: ConditionReason.VersionEndsSoon, state };
}

/** Records an Event for each new reason of a version's conditions that is relevant to a user or the operator. */
export function recordVersionEvents(
  events: Pick<ClusterDependencies['events'], 'normal' | 'warning'>,
  cluster: Cluster,
  { conditions }: Pick<ClusterStatus, 'conditions'>,
): void {
  for (const type of [ConditionType.UpToDate, ConditionType.VersionSupported]) {
    const now = findCondition(conditions, type);
    if (now?.status !== 'False' || now.reason === findCondition(cluster.status?.conditions, type)?.reason) continue;
    // Each end-of-life notice has its own Event: see end-of-life.ts.
    if (type === ConditionType.VersionSupported && now.reason !== ConditionReason.VersionDeprecated) continue;
    if (type === ConditionType.VersionSupported) events.warning(cluster, now.reason, now.message);
    else events.normal(cluster, now.reason, now.message);
  }
}

/** Records Events for the start of a cluster upgrade and for its result. */
export function recordUpgradeEvents(
  events: Pick<ClusterDependencies['events'], 'normal' | 'warning'>,
  cluster: Cluster,
  { lastOperation: now, version }: Pick<ClusterStatus, 'lastOperation' | 'version'>,
): void {
  const before = cluster.status?.lastOperation;
  const wasInProgress = before?.type === 'Upgrade' && !isOver(before);
  if (now?.type !== 'Upgrade' || wasInProgress === !isOver(now)) return;
  if (!wasInProgress) events.normal(cluster, 'UpgradeStarted', now.description);
  else if (now.state === 'Failed') events.warning(cluster, 'UpgradeAborted', now.description);
  else events.normal(cluster, 'UpgradeComplete', `the control plane and all nodes run ${version}`);
}

const PATCH_VERSION = /^\d+\.\d+\.\d+$/;

/** A kubelet can report anything. */
export function oldestOf(versions: readonly string[]): string | undefined {
  return versions.filter((version) => PATCH_VERSION.test(version)).sort(compareVersions)[0];
}
