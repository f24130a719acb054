import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { offeredVersions } from '@fairway/api/domain/offered-versions';
import { phaseOf } from '@fairway/api/domain/release-phase';
import { compareVersions, minorOf } from '@fairway/api/domain/version-numbers';
import { newestPatch, nextUpgradeVersions } from '@fairway/api/domain/versions';
import type { Cluster, ClusterStatus } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import { type ConditionState, findCondition } from '@fairway/kube/controller/conditions';
import { conditionMet, conditionUnmet } from '@fairway/tenancy/problem';
import type { ClusterDependencies } from './dependencies.ts';
import type { VersionChoice } from './version-choice.ts';

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

/** Whether the control plane runs what the spec and the policy lead to; undefined while that is not known. */
export function upToDateCondition(
  { choice }: Pick<VersionFacts, 'choice'>,
  version: string | undefined,
): ConditionState | undefined {
  const type = ConditionType.UpToDate;
  if (choice === undefined || version === undefined) return undefined;
  if (choice.waiting && !(choice.waiting.reason === ConditionReason.Updating && choice.version === version)) {
    return conditionUnmet(type, choice.waiting);
  }
  return conditionMet(type);
}

/** Set only while the version is deprecated or past its end of life. */
export function supportedCondition(
  version: string | undefined,
  oldestNode: string | undefined,
  { releases, nowMs }: VersionFacts,
): ConditionState | undefined {
  if (version === undefined) return undefined;
  const minor = minorOf(version);
  const release = releases.find(({ spec }) => spec.minor === minor);
  const phase = release && phaseOf(release, nowMs);
  if (release === undefined || phase === 'Supported' || phase === 'Preview') return undefined;
  const [next] = nextUpgradeVersions(version, releases, nowMs, oldestNode);
  const what = next === undefined ? 'no newer minor version is offered to it yet' : `set spec.version to ${next}`;
  const { endOfLife } = release.spec;
  const ends = endOfLife === undefined ? '' : ` on ${endOfLife}`;
  const isOver = phase === 'EndOfLife';
  const state = isOver
    ? `has reached its end of life${ends} and gets no more fixes`
    : `is deprecated and ends${ends || ' soon'}`;
  const reason = isOver ? ConditionReason.VersionEndOfLife : ConditionReason.VersionDeprecated;
  return conditionUnmet(ConditionType.VersionSupported, { reason, message: `Kubernetes ${minor} ${state}: ${what}` });
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
    if (type === ConditionType.VersionSupported) events.warning(cluster, now.reason, now.message);
    else events.normal(cluster, now.reason, now.message);
  }
}

const EXACT = /^\d+\.\d+\.\d+$/;

/** What a kubelet reports may be anything. */
export function oldestOf(versions: readonly string[]): string | undefined {
  return versions.filter((version) => EXACT.test(version)).sort(compareVersions)[0];
}
