import { ConditionReason } from '@fairway/api/conditions';
import { offeredVersions } from '@fairway/api/domain/offered-versions';
import { newestPatch, nextUpgradeVersions, resolveUpgrade } from '@fairway/api/domain/versions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { KubernetesRelease } from '@fairway/api/kinds/kubernetes-release';
import type { Problem } from '@fairway/tenancy/problem';

/** The target of an upgrade. */
export type UpgradeTarget =
  /** `asked`: the new spec.version, undefined if it does not change; `version`: exact. */
  | { readonly ok: true; readonly requestedVersion: string | undefined; readonly version: string }
  | { readonly ok: false; readonly problem: Problem };

export interface TargetFacts {
  readonly cluster: Cluster;
  /** Version that the control plane runs. */
  readonly running: string;
  /** The requested spec.version; undefined for the next version that is offered. */
  readonly requested: string | undefined;
  readonly releases: readonly KubernetesRelease[];
  readonly nowMs: number;
}

/** The exact target version of an upgrade; without a request the next minor version, otherwise the newest patch, otherwise the current version. Pure. */
export function upgradeTarget({ cluster, running, requested, releases, nowMs }: TargetFacts): UpgradeTarget {
  const oldestNode = cluster.status?.nodes?.oldestVersion;
  const requestedVersion =
    requested ??
    nextUpgradeVersions(running, releases, nowMs, oldestNode)[0] ??
    newestPatch(running, offeredVersions(releases, nowMs))?.version;
  if (requestedVersion === undefined) return { ok: true, requestedVersion, version: running };
  const resolved = resolveUpgrade(requestedVersion, running, releases, nowMs);
  if (resolved.ok) return { ok: true, requestedVersion, version: resolved.version.version };
  const reason = resolved.isMissing ? ConditionReason.ProgramsMissing : ConditionReason.VersionNotOffered;
  return { ok: false, problem: { reason, message: `${requestedVersion} ${resolved.problem}` } };
}
