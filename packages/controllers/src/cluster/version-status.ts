import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { counted } from '@fairway/api/domain/counted';
import { type Notice, noticeOf, releaseOf } from '@fairway/api/domain/end-of-life';
import { isExempt } from '@fairway/api/domain/forced-upgrade';
import { offeredVersions } from '@fairway/api/domain/offered-versions';
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

/** The fields of the status that are about versions; `version` is what the control plane runs. */
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

/** Whether control plane and nodes run what the spec and the policy lead to; undefined while that is not known. */
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
  // Its pools have not been looked at since.
  if (upgrading === undefined || isOver(upgrading)) return conditionMet(type);
  return conditionUnmet(type, { reason: ConditionReason.Updating, message: upgrading.description });
}

/** Why a pool's nodes are not as it asks for: of the first one that waits for something, else of any. */
function outdatedPool(pools: readonly NodePool[]): Problem | undefined {
  const outdated = pools.filter(
    ({ metadata, status }) =>
      metadata.deletionTimestamp === undefined &&
      findCondition(status?.conditions, ConditionType.UpToDate)?.status === 'False',
  );
  const pool = outdated.find(({ status }) => status?.upgrade?.reason !== undefined) ?? outdated[0];
  if (pool === undefined) return undefined;
  if (findCondition(pool.status?.conditions, ConditionType.UpToDate)?.reason === ConditionReason.Reinstalling) {
    const message = `nodes of pool ${pool.metadata.name} are repaired on their servers`;
    return { reason: ConditionReason.Reinstalling, message };
  }
  const what = `nodes of pool ${pool.metadata.name} have another version, image, flavor, root volume or zone than it asks for`;
  const { reason, message, since } = pool.status?.upgrade ?? {};
  if (reason === undefined) return { reason: ConditionReason.Updating, message: `${what}, and are being renewed` };
  return { reason: reason as ConditionReason, message: `${what}; since ${since}: ${message}` };
}

/** Set only while the version is deprecated, ends within 30 days, or has ended. Its message changes with the notices and with what is offered, and with nothing else. */
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
  const what = wayOut(version, nextUpgradeVersions(version, releases, nowMs), oldestNode);
  const { reason, state } = notice === undefined ? deprecation(release) : ending(notice);
  const message = `Kubernetes ${minor} ${state}: ${what}${notice === undefined ? '' : afterwards(cluster, release)}`;
  return conditionUnmet(ConditionType.VersionSupported, { reason, message });
}

function wayOut(version: string, [next]: readonly string[], oldestNode: string | undefined): string {
  if (next === undefined) return 'no newer minor version is offered to it yet';
  if (oldestNode === undefined || isKubeletSkewAllowed(oldestNode, next)) return `set spec.version to ${next}`;
  return `its nodes are too old for ${next}, the oldest runs ${oldestNode}: bring them to ${minorOf(version)}, then set spec.version to ${next}`;
}

/** What becomes of clusters that stay. */
function afterwards(
  { metadata, spec, status }: Pick<Cluster, 'metadata' | 'spec' | 'status'>,
  { spec: { forcedUpgrade } }: KubernetesRelease,
): string {
  if (forcedUpgrade === undefined) return '';
  if (isExempt({ metadata }, forcedUpgrade)) return '; the operator has exempted it from the upgrade that others get';
  const planned = status?.endOfLife?.upgrade;
  if (planned === undefined) return '; it is upgraded without being asked some time after there is one';
  const where = spec.maintenance?.window === undefined ? '' : ', in its maintenance window';
  return `; from ${planned.time} on it is upgraded to ${planned.to} without being asked${where} ("fairway cluster upgrade ${metadata.name} --plan" says what that changes and what is lost)`;
}

function deprecation({ spec }: KubernetesRelease): { readonly reason: ConditionReason; readonly state: string } {
  const ends = spec.endOfLife === undefined || spec.phaseOverride ? 'soon' : `on ${spec.endOfLife}`;
  return { reason: ConditionReason.VersionDeprecated, state: `is deprecated and ends ${ends}` };
}

function ending({ days, date }: Notice): { readonly reason: ConditionReason; readonly state: string } {
  if (days === 0) {
    const when = date === undefined ? '' : ` on ${date}`;
    const state = `has reached its end of life${when} and gets no more fixes`;
    return { reason: ConditionReason.VersionEndOfLife, state };
  }
  const state = `ends within ${counted(days, 'day')}, on ${date}, and gets no more fixes then`;
  return { reason: ConditionReason.VersionEndsSoon, state };
}

/** An event for each new reason of a version's conditions that a user or the operator is to know. */
export function tellOfVersions(
  events: Pick<ClusterDependencies['events'], 'normal' | 'warning'>,
  cluster: Cluster,
  { conditions }: Pick<ClusterStatus, 'conditions'>,
): void {
  for (const type of [ConditionType.UpToDate, ConditionType.VersionSupported]) {
    const now = findCondition(conditions, type);
    if (now?.status !== 'False' || now.reason === findCondition(cluster.status?.conditions, type)?.reason) continue;
    // Notices of the end are given one by one: see tellOfEndOfLife.
    if (type === ConditionType.VersionSupported && now.reason !== ConditionReason.VersionDeprecated) continue;
    if (type === ConditionType.VersionSupported) events.warning(cluster, now.reason, now.message);
    else events.normal(cluster, now.reason, now.message);
  }
}

/** When an upgrade of the cluster begins, and how it ends. */
export function tellOfUpgrade(
  events: Pick<ClusterDependencies['events'], 'normal' | 'warning'>,
  cluster: Cluster,
  { lastOperation: now, version }: Pick<ClusterStatus, 'lastOperation' | 'version'>,
): void {
  const before = cluster.status?.lastOperation;
  const wasGoingOn = before?.type === 'Upgrade' && !isOver(before);
  if (now?.type !== 'Upgrade' || wasGoingOn === !isOver(now)) return;
  if (!wasGoingOn) events.normal(cluster, 'UpgradeStarted', now.description);
  else if (now.state === 'Failed') events.warning(cluster, 'UpgradeAborted', now.description);
  else events.normal(cluster, 'UpgradeComplete', `control plane and nodes run ${version}`);
}

const EXACT = /^\d+\.\d+\.\d+$/;

/** What a kubelet reports may be anything. */
export function oldestOf(versions: readonly string[]): string | undefined {
  return versions.filter((version) => EXACT.test(version)).sort(compareVersions)[0];
}
