import type { Cluster } from '../kinds/cluster.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { isCniInstalled } from './cni-installer.ts';
import { effectiveNetworking } from './effective-networking.ts';

/** A stored value that has no effect yet. */
export interface UnappliedField {
  /** Path from the root, such as `spec.cni.type`. */
  readonly field: string;
  readonly value: unknown;
  /** What happens instead, or what the user should do. */
  readonly detail: string;
  /** Whether the value comes from the plan rather than the cluster. */
  readonly isImplied?: boolean;
}

/** Settings of a Cluster or its plan that are not applied yet. `plan` is undefined if unknown. */
export function unappliedClusterFields(cluster: Pick<Cluster, 'spec' | 'status'>, plan?: PlanSpec): UnappliedField[] {
  const { cni } = cluster.spec;
  const effective = plan && effectiveNetworking(cluster, plan);
  const type = cni.type ?? effective?.cni;
  const { type: _type, ...cniSettings } = cni;
  const detail = detailOf(type, cluster.status);
  const settingsDetail = isTenantManaged(cluster.status) ? TENANT_MANAGED_DETAIL : NO_SETTINGS_DETAIL;
  return [
    ...(type === undefined || detail === undefined
      ? []
      : [{ field: 'spec.cni.type', value: type, detail, isImplied: cni.type === undefined }]),
    ...settingsOf(cniSettings, 'spec.cni', settingsDetail),
    ...algorithmsOf(cluster.spec.apiServer.oidc?.signingAlgorithms),
    ...limitPoliciesOf(cluster.status, plan),
  ];
}

/** Unknown until the control plane has started for the first time. */
function limitPoliciesOf(status: Cluster['status'], plan: PlanSpec | undefined): UnappliedField[] {
  const { mode, message } = status?.limitPolicies ?? {};
  if (plan?.limitPolicies !== 'Manifests' || mode !== 'Objects') return [];
  const detail = `${message ?? 'not in effect'}; a cluster-admin can delete the policies until Fairway restores them`;
  return [{ field: "the plan's limitPolicies", value: plan.limitPolicies, detail, isImplied: true }];
}

/** A default value requests nothing. */
function algorithmsOf(value: readonly string[] | undefined): UnappliedField[] {
  if (value === undefined || value.join() === 'RS256') return [];
  const detail = "the issuer's keys determine which algorithms are accepted";
  return [{ field: 'spec.apiServer.oidc.signingAlgorithms', value: value.join(', '), detail }];
}

/** Why a pod network is not installed; undefined if it is installed, or if none is requested. */
function detailOf(type: string | undefined, status: Cluster['status']): string | undefined {
  // An earlier release did not record the installer; the next reconcile will.
  return isCniInstalled(type) && isTenantManaged(status) ? KEPT_CNI_DETAIL : undefined;
}

function isTenantManaged(status: Cluster['status']): boolean {
  return status?.cniInstaller === 'Tenant';
}

const KEPT_CNI_DETAIL =
  'the cluster was created by a release of Fairway that did not install it, and keeps the pod network that you installed; after a reset Fairway installs it';
const NO_SETTINGS_DETAIL = 'Fairway installs Cilium without a cluster mesh and without Hubble';
const TENANT_MANAGED_DETAIL = 'Fairway did not install the pod network of this cluster: set it in that installation';

/** Like `unappliedClusterFields`, for a Plan. */
export function unappliedPlanFields({ spec }: Pick<Plan, 'spec'>): UnappliedField[] {
  const { topology } = spec.etcd;
  const unbuilt = spec.network.ipFamilies?.filter((family) => family !== 'IPv4') ?? [];
  return [
    ...(topology === 'Shared'
      ? [{ field: 'spec.etcd.topology', value: topology, detail: 'each cluster has its own etcd' }]
      : []),
    ...(unbuilt.length > 0
      ? [{ field: 'spec.network.ipFamilies', value: unbuilt.join(', '), detail: 'all clusters are IPv4 only' }]
      : []),
  ];
}

/** For the condition FieldsApplied: all fields, grouped by cause. Undefined if all fields are applied. */
export function describeUnapplied(fields: readonly UnappliedField[]): string | undefined {
  if (fields.length === 0) return undefined;
  const causes = Map.groupBy(fields, ({ detail }) => detail);
  const parts = [...causes].map(([detail, of]) => `${of.map(nameAndValue).join(', ')}: ${detail}`);
  return `accepted, but ignored by this release: ${parts.join('; ')}`;
}

/** A warning for each field that the object itself sets, or changes compared with `old`. */
export function unappliedWarnings(fields: readonly UnappliedField[], old: readonly UnappliedField[] = []): string[] {
  const known = new Set(old.map(nameAndValue));
  return fields
    .filter((field) => !field.isImplied && !known.has(nameAndValue(field)))
    .map((field) => `${nameAndValue(field)}: ignored by this release: ${field.detail}`);
}

function nameAndValue({ field, value }: UnappliedField): string {
  return `${field} (${typeof value === 'string' ? value : JSON.stringify(value)})`;
}

/** The settings that request something: those that are neither false nor the default for a disabled feature. */
function settingsOf(value: unknown, field: string, detail: string): UnappliedField[] {
  if (value === undefined || value === false) return [];
  if (typeof value !== 'object' || value === null) return [{ field, value, detail }];
  return Object.entries(value).flatMap(([name, member]) => settingsOf(member, `${field}.${name}`, detail));
}
