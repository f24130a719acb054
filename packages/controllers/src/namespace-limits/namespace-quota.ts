import { countsOf, type NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import { CLOUD_ANNOTATION, PROJECT_ID_ANNOTATION, SYSTEM_NAMESPACE } from '@fairway/api/group';
import type { Namespace, ResourceQuota } from '@fairway/kube/kinds/generated/types';
import { countedResource } from '@fairway/kube/object/quota-resource';

/** The ResourceQuota with the namespace's limits. */
export const QUOTA_NAME = 'fairway-namespace-limits';
/** Kubernetes' and Fairway's own namespaces, which do not belong to tenants. */
const SYSTEM_NAMESPACES: ReadonlySet<string> = new Set([
  SYSTEM_NAMESPACE,
  'kube-system',
  'kube-public',
  'kube-node-lease',
]);

export interface NamespaceContents {
  readonly namespace: Namespace;
  /** Whether the namespace has Clusters or CloudCredentials. */
  readonly isInUse: boolean;
  /** All ResourceQuotas in the namespace, including this one. */
  readonly quotas: readonly ResourceQuota[];
}

/**
 * The limits in the ResourceQuota of a tenant's namespace; undefined if it has none. A resource that is already counted
 * by another quota in the namespace is left to that quota, so that an operator may allow more than `limits`. Pure.
 */
export function hardLimits(
  limits: NamespaceLimits,
  { namespace, isInUse, quotas }: NamespaceContents,
): Readonly<Record<string, string>> | undefined {
  const { name = '', annotations = {}, deletionTimestamp } = namespace.metadata;
  if (SYSTEM_NAMESPACES.has(name) || deletionTimestamp !== undefined) return undefined;
  const isKept = quotas.some(({ metadata }) => metadata.name === QUOTA_NAME);
  const isTenantNamespace = [CLOUD_ANNOTATION, PROJECT_ID_ANNOTATION].some((each) => annotations[each] !== undefined);
  // An emptied namespace keeps its quota, so that it can be refilled sooner.
  if (!isTenantNamespace && !isInUse && !isKept) return undefined;
  const operators = quotas.filter(({ metadata, spec }) => metadata.name !== QUOTA_NAME && coversAllObjects(spec));
  const counted = new Set(operators.flatMap(({ spec }) => Object.keys(spec?.hard ?? {}).map(countedResource)));
  const own = Object.entries(countsOf(limits)).filter(([count]) => !counted.has(countedResource(count)));
  return own.length === 0 ? undefined : Object.fromEntries(own.map(([count, limit]) => [count, String(limit)]));
}

/** The counted resources, except those that `spec.hard` limits. */
export type QuotaStatus = NonNullable<ResourceQuota['status']>;

/**
 * The status that a quota must have before these limits are set; undefined if it already has it. kube-apiserver rejects
 * objects of a limited resource with "status unknown for quota" until they are counted. For custom resources,
 * kube-controller-manager takes up to half a minute to do so after their definition is created. It corrects what is
 * written here, and keeps the counts of resources that it does not know yet. Pure.
 */
export function initialStatus(
  hard: Readonly<Record<string, string>>,
  { status }: ResourceQuota,
): QuotaStatus | undefined {
  const { used = {} } = status ?? {};
  const isCounted = Object.keys(hard).every((name) => used[name] !== undefined);
  if (isCounted) return undefined;
  const zeros = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']));
  return { hard: { ...status?.hard, ...hard }, used: { ...zeros, ...used } };
}

function coversAllObjects(spec: ResourceQuota['spec']): boolean {
  return (spec?.scopes ?? []).length === 0 && spec?.scopeSelector === undefined;
}
