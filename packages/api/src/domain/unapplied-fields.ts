import type { Cluster } from '../kinds/cluster.ts';
import type { Plan, PlanSpec } from '../kinds/plan.ts';
import { isCniInstalled } from './cni-installer.ts';
import { effectiveNetworking } from './effective-networking.ts';

/** A value that is stored and that nothing acts on yet. */
export interface UnappliedField {
  /** From the root: `spec.cni.type`. */
  readonly field: string;
  readonly value: unknown;
  /** What happens instead, or what to do. */
  readonly detail: string;
  /** It comes from the plan: the cluster does not name it. */
  readonly isImplied?: boolean;
}

/** What a Cluster asks for, itself or through its plan, and does not get yet. `plan` is undefined where it is not known. */
export function unappliedClusterFields(cluster: Pick<Cluster, 'spec' | 'status'>, plan?: PlanSpec): UnappliedField[] {
  const { cni } = cluster.spec;
  const effective = plan && effectiveNetworking(cluster, plan);
  const type = cni.type ?? effective?.cni;
  const { type: _type, ...cniSettings } = cni;
  const detail = detailOf(type, cluster.status);
  const settingsDetail = isTenants(cluster.status) ? TENANTS_SETTINGS : NO_SETTINGS;
  return [
    ...(type === undefined || detail === undefined
      ? []
      : [{ field: 'spec.cni.type', value: type, detail, isImplied: cni.type === undefined }]),
    ...settingsOf(cniSettings, 'spec.cni', settingsDetail),
    ...algorithmsOf(cluster.spec.apiServer.oidc?.signingAlgorithms),
  ];
}

/** The default asks for nothing. */
function algorithmsOf(value: readonly string[] | undefined): UnappliedField[] {
  if (value === undefined || value.join() === 'RS256') return [];
  const detail = "the issuer's keys decide alone which algorithms are accepted";
  return [{ field: 'spec.apiServer.oidc.signingAlgorithms', value: value.join(', '), detail }];
}

/** Why a pod network is not installed; undefined where it is, or none is asked for. */
function detailOf(type: string | undefined, status: Cluster['status']): string | undefined {
  // What an earlier release wrote says who installed it as soon as it is looked at.
  return isCniInstalled(type) && isTenants(status) ? KEPT_CNI : undefined;
}

function isTenants(status: Cluster['status']): boolean {
  return status?.cniInstaller === 'Tenant';
}

const KEPT_CNI =
  'the cluster is of a release of Fairway that did not install it, and keeps the pod network that you installed; a reset has Fairway install it';
const NO_SETTINGS = 'Fairway installs Cilium without a cluster mesh and without Hubble';
const TENANTS_SETTINGS = 'Fairway has not installed the pod network of this cluster: set it where you did';

/** As `unappliedClusterFields`, of a Plan. */
export function unappliedPlanFields({ spec }: Pick<Plan, 'spec'>): UnappliedField[] {
  const { topology } = spec.etcd;
  if (topology !== 'Shared') return [];
  return [{ field: 'spec.etcd.topology', value: topology, detail: 'each cluster has an etcd of its own' }];
}

/** For the condition FieldsApplied: all fields, those of one cause together. Undefined where there are none. */
export function describeUnapplied(fields: readonly UnappliedField[]): string | undefined {
  if (fields.length === 0) return undefined;
  const causes = Map.groupBy(fields, ({ detail }) => detail);
  const parts = [...causes].map(([detail, of]) => `${of.map(nameAndValue).join(', ')}: ${detail}`);
  return `accepted, but not acted upon by this release: ${parts.join('; ')}`;
}

/** A warning for each field that the object itself names, and `old` did not name like this. */
export function unappliedWarnings(fields: readonly UnappliedField[], old: readonly UnappliedField[] = []): string[] {
  const known = new Set(old.map(nameAndValue));
  return fields
    .filter((field) => !field.isImplied && !known.has(nameAndValue(field)))
    .map((field) => `${nameAndValue(field)}: not acted upon by this release: ${field.detail}`);
}

function nameAndValue({ field, value }: UnappliedField): string {
  return `${field} (${typeof value === 'string' ? value : JSON.stringify(value)})`;
}

/** The values of settings that ask for something: not false, and not the defaults of what is off. */
function settingsOf(value: unknown, field: string, detail: string): UnappliedField[] {
  if (value === undefined || value === false) return [];
  if (typeof value !== 'object' || value === null) return [{ field, value, detail }];
  return Object.entries(value).flatMap(([name, member]) => settingsOf(member, `${field}.${name}`, detail));
}
