import { GROUP } from '../group.ts';

/**
 * Limits on the number and total size of a namespace's objects, so that no tenant can fill the shared store or caches.
 */
export interface NamespaceLimits {
  readonly maxClustersPerNamespace: number;
  readonly maxNodePoolsPerNamespace: number;
  readonly maxCloudCredentialsPerNamespace: number;
  readonly maxSecretsPerNamespace: number;
  readonly maxConfigMapsPerNamespace: number;
  /** Maximum number of objects of each other kind that tenants may create. */
  readonly maxOtherObjectsPerNamespace: number;
  /**
   * Total size of all of these objects as JSON. Enforced on the embedded engine; a management cluster's ResourceQuotas
   * only count objects.
   */
  readonly maxObjectBytesPerNamespace: number;
}

export const DEFAULT_NAMESPACE_LIMITS: NamespaceLimits = {
  maxClustersPerNamespace: 100,
  maxNodePoolsPerNamespace: 500,
  maxCloudCredentialsPerNamespace: 100,
  maxSecretsPerNamespace: 200,
  maxConfigMapsPerNamespace: 200,
  maxOtherObjectsPerNamespace: 200,
  maxObjectBytesPerNamespace: 32 * 2 ** 20,
};

type CountLimit = Exclude<keyof NamespaceLimits, 'maxObjectBytesPerNamespace'>;

/** The limits per resource, named as in ResourceQuotas. */
const LIMIT_BY_RESOURCE: Readonly<Record<string, CountLimit>> = {
  [`clusters.${GROUP}`]: 'maxClustersPerNamespace',
  [`nodepools.${GROUP}`]: 'maxNodePoolsPerNamespace',
  [`cloudcredentials.${GROUP}`]: 'maxCloudCredentialsPerNamespace',
  secrets: 'maxSecretsPerNamespace',
  configmaps: 'maxConfigMapsPerNamespace',
};

/** Only Fairway creates these, in proportion to nodes and clusters, so they don't count against the limits. */
const UNLIMITED_RESOURCES: ReadonlySet<string> = new Set([
  `machines.${GROUP}`,
  `cloudprofiles.${GROUP}`,
  `usagerecords.${GROUP}`,
]);

/** Whether a resource (`secrets`, `clusters.fairway.dev`) counts against the limits of its namespace. */
export function isLimited(resource: string): boolean {
  return !UNLIMITED_RESOURCES.has(resource);
}

/** The limits for individual resources, by the names under which ResourceQuotas count them (`count/secrets`). Pure. */
export function countsOf(limits: NamespaceLimits): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(LIMIT_BY_RESOURCE).map(([resource, limit]) => [`count/${resource}`, limits[limit]]),
  );
}

export interface NamespaceUse {
  readonly namespace: string;
  /** For example `secrets` or `clusters.fairway.dev`. */
  readonly resource: string;
  /** Existing objects of the resource in the namespace, not counting the new one. */
  readonly count: number;
}

/** Why another object of this resource type can't be created; undefined if it can. */
export function countProblem(
  limits: NamespaceLimits,
  { namespace, resource, count }: NamespaceUse,
): string | undefined {
  const name = LIMIT_BY_RESOURCE[resource] ?? 'maxOtherObjectsPerNamespace';
  if (!isLimited(resource) || count < limits[name]) return undefined;
  return `namespace "${namespace}" has ${count} ${resource}, and the limit is ${limits[name]}: delete unused ones, or ask the operator to raise limits.${name}`;
}

/** Why a write that adds this many bytes is rejected; undefined if it is not. A write that shrinks an object is never rejected. */
export function sizeProblem(
  limits: NamespaceLimits,
  { namespace, used, added }: { readonly namespace: string; readonly used: number; readonly added: number },
): string | undefined {
  const limit = limits.maxObjectBytesPerNamespace;
  if (added <= 0 || used + added <= limit) return undefined;
  return `the objects of namespace "${namespace}" use ${used} bytes, this would add ${added}, and the limit is ${limit}: delete or shorten some (Secrets and ConfigMaps first), or ask the operator to raise limits.maxObjectBytesPerNamespace`;
}
