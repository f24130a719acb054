import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '@fairway/kube/object/field-error';
import { overruledVersion } from '../domain/forced-upgrade.ts';
import { oidcErrors, oidcVersionProblem } from '../domain/oidc-problems.ts';
import { suggest } from '../domain/suggest.ts';
import { unappliedClusterFields, unappliedWarnings } from '../domain/unapplied-fields.ts';
import { minorOf } from '../domain/version-numbers.ts';
import { isKubeletSkewAllowed, type ResolvedVersion, resolveUpgrade, resolveVersion } from '../domain/versions.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { applyLimitNotes } from '../limits/notes.ts';
import { releasesOfPlan } from '../limits/version-window.ts';
import { accessWarnings } from './cluster-access.ts';
import { addressErrors } from './cluster-addresses.ts';
import type { ClusterAdmission } from './cluster-admission.ts';
import { keystoneErrors } from './cluster-keystone.ts';
import { clusterLimitErrors } from './cluster-limits.ts';
import { networkErrors } from './cluster-network.ts';
import { clusterNodesErrors } from './cluster-nodes.ts';
import { optionErrors, optionWarnings } from './cluster-options.ts';
import { requestsReset, resetErrors } from './cluster-reset.ts';
import { snapshotErrors } from './cluster-snapshots.ts';
import { clusterRequests } from './counted-requests.ts';
import { clusterImageErrors } from './image-size.ts';
import { clusterAllowanceErrors, planReadyErrors } from './plan-allowance.ts';
import { clusterQuotaErrors } from './project-quota.ts';
import { findByIdOrName, notFoundError } from './references.ts';
import { requestTimeErrors } from './request-times.ts';
import { unenforcedErrors } from './unenforced-fields.ts';

/**
 * Validates a Cluster against what the operator and the cloud offer. Stored values are not rejected again, so a cluster
 * can still be edited after its image or network has been deleted. Its conditions report what is missing.
 */
export function admitCluster(admission: ClusterAdmission): readonly FieldError[] {
  const plan = planOf(admission);
  if (plan === undefined) return [planNotFound(admission.cluster.spec.plan, admission.plans)];
  return applyLimitNotes(clusterErrors(admission, plan), plan, admission.nowMs).errors;
}

/** Warnings about values beyond limits that the plan does not (yet) enforce. */
export function clusterLimitWarnings(admission: ClusterAdmission): readonly string[] {
  const plan = planOf(admission);
  return plan ? applyLimitNotes(clusterErrors(admission, plan), plan, admission.nowMs).warnings : [];
}

function planOf({ cluster, plans }: Pick<ClusterAdmission, 'cluster' | 'plans'>): Plan | undefined {
  return plans.find(({ metadata }) => metadata.name === cluster.spec.plan);
}

function clusterErrors(admission: ClusterAdmission, plan: Plan): FieldError[] {
  const { cluster } = admission;
  return [
    ...clusterLimitErrors(admission, admission.catalogue.subnets),
    ...clusterQuotaErrors({ ...admission, quota: admission.quota ?? {} }),
    ...planReadyErrors(admission, plan),
    ...clusterAllowanceErrors(admission, plan),
    ...requestTimeErrors(clusterRequests(cluster, admission.old), admission.nowMs),
    ...resetErrors(admission),
    ...versionErrors(admission, plan),
    ...credentialErrors(admission),
    ...regionAndImageErrors(admission),
    ...optionErrors(admission, plan),
    ...clusterNodesErrors(admission, plan),
    ...networkErrors(admission, plan),
    ...addressErrors(admission, plan),
    ...tokenIssuerErrors(admission),
    ...unenforcedErrors(admission),
    ...keystoneErrors(admission),
    ...snapshotErrors(admission),
  ];
}

/** Warnings about valid values that may not have the intended effect. */
export function clusterWarnings(cluster: Cluster, old?: Cluster, plan?: PlanSpec): string[] {
  const unapplied = unappliedWarnings(unappliedClusterFields(cluster), old && unappliedClusterFields(old));
  const options = optionWarnings(cluster, old, plan);
  // Repeated on every request, even if the same manifest is applied again.
  const overruled = old && overruledVersion({ ...cluster, status: old.status });
  return [
    ...(overruled === undefined ? [] : [overruled]),
    ...options,
    ...unapplied,
    ...tokenIssuerWarnings(cluster),
    ...accessWarnings(cluster),
  ];
}

function tokenIssuerWarnings({ spec, status }: Cluster): string[] {
  // Without a requested or running version, the cluster gets the newest one.
  const version = spec.version ?? status?.version;
  const problem = spec.apiServer.oidc && version && oidcVersionProblem(version);
  if (!problem) return [];
  return [`${problem}. It is not applied to process-based control planes; the condition SettingsApplied reports this.`];
}

function planNotFound(value: string, plans: readonly Plan[]): FieldError {
  const names = plans.map(({ metadata }) => metadata.name ?? '').sort();
  return {
    type: 'FieldValueNotFound',
    field: 'spec.plan',
    value,
    detail: `the operator offers no such plan; ${suggest(value, names)}`,
  };
}

function versionErrors({ cluster, old, releases, nowMs }: ClusterAdmission, plan: Plan): FieldError[] {
  const { version } = cluster.spec;
  if (old !== undefined && version === old.spec.version) return [];
  // After a reset, the version is subject to the rules for new clusters.
  if (requestsReset({ cluster, old })) return [];
  const resolved = resolvedVersion({ cluster, old, releases, nowMs }, plan);
  const problem = resolved.ok ? skewProblem(resolved.version.version, old) : resolved.problem;
  if (problem === undefined) return [];
  return [{ type: 'FieldValueInvalid', field: 'spec.version', value: version, detail: problem }];
}

type VersionRequest = Pick<ClusterAdmission, 'cluster' | 'old' | 'releases' | 'nowMs'>;

function resolvedVersion({ cluster, old, releases, nowMs }: VersionRequest, plan: Plan | undefined): ResolvedVersion {
  const { version } = cluster.spec;
  const running = old?.status?.version;
  const offered = releasesOfPlan(plan, { releases, running, nowMs });
  if (running === undefined || requestsReset({ cluster, old })) return resolveVersion(version, offered, nowMs);
  return resolveUpgrade(version, running, offered, nowMs);
}

function skewProblem(version: string, old: Cluster | undefined): string | undefined {
  const current = old?.status?.version;
  const oldest = old?.status?.nodes?.oldestVersion;
  if (oldest === undefined || current === undefined || minorOf(version) === minorOf(current)) return undefined;
  if (isKubeletSkewAllowed(oldest, version)) return undefined;
  return `the oldest node runs ${oldest}, too old for an API server of ${minorOf(version)}: upgrade the nodes first, by deleting their Machines one at a time (kubectl get machines)`;
}

/** Warnings if the requested version is no longer supported, or exceeds a plan limit that is not enforced. */
export function versionWarnings(request: VersionRequest & Pick<ClusterAdmission, 'plans'>): string[] {
  const { cluster, old } = request;
  if (old !== undefined && cluster.spec.version === old.spec.version) return [];
  const resolved = resolvedVersion(request, planOf(request));
  if (!resolved.ok) return [];
  const { version, minor, phase, planWarning } = resolved.version;
  if (planWarning !== undefined) return [`spec.version: ${version} ${planWarning}`];
  if (phase !== 'Deprecated' && phase !== 'EndOfLife') return [];
  const words = phase === 'Deprecated' ? 'is deprecated and close to its end of life' : 'has reached its end of life';
  return [`spec.version: the cluster gets ${version}, but Kubernetes ${minor} ${words}: upgrade soon`];
}

function credentialErrors({ cluster, old, credential }: ClusterAdmission): FieldError[] {
  const { credentialName } = cluster.spec;
  if (credential?.metadata.deletionTimestamp === undefined || credentialName === old?.spec.credentialName) return [];
  const detail = `CloudCredential "${credentialName}" is being deleted: name another one, or recreate it when it is gone`;
  return [{ type: 'FieldValueForbidden', field: 'spec.credentialName', detail }];
}

function regionAndImageErrors({ cluster, old, catalogue, pools }: ClusterAdmission): FieldError[] {
  const errors: FieldError[] = [];
  const { region, image } = cluster.spec;
  if (region !== undefined && region !== old?.spec.region && catalogue.regions && !catalogue.regions.includes(region)) {
    errors.push(
      notFoundError(
        'spec.region',
        region,
        'region',
        catalogue.regions.map((name) => ({ name })),
      ),
    );
  }
  if (image !== undefined && image !== old?.spec.image && catalogue.images) {
    const exists = findByIdOrName(catalogue.images, image) !== undefined;
    if (!exists) errors.push(notFoundError('spec.image', image, 'image', catalogue.images));
    else errors.push(...clusterImageErrors(cluster, pools, catalogue));
  }
  return errors;
}

function tokenIssuerErrors({ cluster, old }: ClusterAdmission): FieldError[] {
  const { oidc } = cluster.spec.apiServer;
  if (oidc === undefined || isDeepStrictEqual(oidc, old?.spec.apiServer.oidc)) return [];
  return oidcErrors(oidc);
}
