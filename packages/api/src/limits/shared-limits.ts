import { isDeepStrictEqual } from 'node:util';
import type { Plan } from '../kinds/plan.ts';
import type { LimitName, LimitNote } from '../kinds/plan-limits.ts';

/**
 * Paths within the spec of a Plan that are copied from the Plan in `spec.limitsFrom`. Each is a scalar or an atomic
 * list, which is replaced as a whole.
 */
export const COPIED_PATHS = [
  'kubernetes.oldest',
  'kubernetes.newest',
  'network.ipFamilies',
  'cni.allowed',
  'kubeProxy.allowed',
  'maxDrainTimeout',
  'allowed.flavors',
  'allowed.images',
  'allowed.regions',
  'allowed.networks',
  'allowed.upgradeStrategies',
  'allowed.healingStrategies',
  'allowed.kubeletSettings',
  'allowed.unsafeSysctls',
  'allowed.registryMirrors',
  'allowed.proxy',
  'allowed.antiAffinityPolicies',
  'allowed.features',
  'nodePools.allowInCluster',
  'nodePools.maxServerTags',
  'nodePools.maxServerMetadata',
  'nodePools.maxSecurityGroups',
  'nodePools.maxNetworks',
  'services.types',
  'services.ipFamilies',
  'services.refusedAnnotations',
  'services.loadBalancerProviders',
  'storage.accessModes',
  'storage.tenantClasses',
] as const;

type CopiedPath = (typeof COPIED_PATHS)[number];

/** Limits that each Plan states for itself, and why. */
export const NOT_COPIED: Readonly<Partial<Record<LimitName, string>>> = {
  'network.customCIDRs': 'a required field: each Plan has its own ranges',
  'network.gatewayRequired': 'a required field: each Plan has its own network',
  maxNodes: 'a required field: the size of clusters is what distinguishes Plans',
  maxPodsPerNode: 'a required field: the size of clusters is what distinguishes Plans',
  maxClusters: 'counts the clusters of one Plan',
};

/** Defaults of copied paths. A Plan with the default does not limit anything there, and states nothing. */
export const UNLIMITED: Readonly<Partial<Record<CopiedPath, unknown>>> = {
  'cni.allowed': ['canal', 'cilium', 'none'],
  'kubeProxy.allowed': ['iptables', 'ipvs', 'nftables', 'none'],
  'storage.tenantClasses': 'Allowed',
};

/** A limit of a Plan: a path within its spec, and the value there. */
export interface StatedLimit {
  readonly path: CopiedPath;
  readonly value: unknown;
}

/** The value at one of the copied paths; undefined if the Plan does not limit it. Pure. */
export function statedValue({ spec }: Plan, path: CopiedPath): unknown {
  const value = path.split('.').reduce<unknown>((parent, name) => (isObject(parent) ? parent[name] : undefined), spec);
  return isUnlimited(path, value) ? undefined : value;
}

/** What other Plans copy from a Plan, except its notes. Pure. */
export function statedLimits(plan: Plan): readonly StatedLimit[] {
  return COPIED_PATHS.flatMap((path): StatedLimit[] => {
    const value = statedValue(plan, path);
    return value === undefined ? [] : [{ path, value }];
  });
}

/** The notes that other Plans copy from a Plan: those on limits that are copied. Pure. */
export function sharedNotes({ spec: { limitNotes = [] } }: Plan): readonly LimitNote[] {
  return limitNotes.filter(({ limit }) => NOT_COPIED[limit] === undefined);
}

export function isSameNote(a: Pick<LimitNote, 'limit' | 'value'>, b: Pick<LimitNote, 'limit' | 'value'>): boolean {
  return a.limit === b.limit && a.value === b.value;
}

export function isSameValue(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(a, b);
}

/** Lists are compared as sets. */
function isUnlimited(path: CopiedPath, value: unknown): boolean {
  const unlimited = UNLIMITED[path];
  if (!Array.isArray(unlimited) || !Array.isArray(value)) return unlimited !== undefined && unlimited === value;
  return unlimited.every((each) => value.includes(each));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
