import type { NodePool } from '../kinds/node-pool.ts';
import type { ProjectQuota, ProjectQuotaSpec } from '../kinds/project-quota.ts';
import { grantedReplicas, sumOfReplicas } from './plan-limits.ts';
import { pluralize } from './pluralize.ts';
import { targetReplicas } from './target-replicas.ts';

export type QuotaResource = 'clusters' | 'nodes' | 'cores';

/** The operator's defaults, for limits that no ProjectQuota sets. */
export type QuotaDefaults = Pick<ProjectQuotaSpec, QuotaResource>;

/** The effective limit and its source. */
export interface QuotaLimit {
  readonly limit: number;
  /** `ProjectQuota "default"`, or `the operator's default`. */
  readonly by: string;
}

/** A namespace's limits; an absent limit means unlimited. */
export type EffectiveQuota = { readonly [R in QuotaResource]?: QuotaLimit };

/** All ProjectQuotas in a namespace apply; messages report the strictest one. */
export function effectiveQuota(quotas: readonly ProjectQuota[], defaults: QuotaDefaults = {}): EffectiveQuota {
  const limits: { [R in QuotaResource]?: QuotaLimit } = {};
  for (const resource of ['clusters', 'nodes', 'cores'] as const) {
    const explicitLimits = quotas.flatMap(({ metadata, spec }): QuotaLimit[] => {
      const limit = spec[resource];
      return limit === undefined ? [] : [{ limit, by: `ProjectQuota "${metadata.name}"` }];
    });
    const [strictest] = explicitLimits.sort((a, b) => a.limit - b.limit || a.by.localeCompare(b.by));
    const standard = defaults[resource];
    const found = strictest ?? (standard === undefined ? undefined : { limit: standard, by: "the operator's default" });
    if (found) limits[resource] = found;
  }
  return limits;
}

/** The pool's flavor; undefined if unknown. */
export type VcpuLookup = (pool: NodePool) => number | undefined;

/** Cores that the pools request; pools whose flavor is unknown count as zero. */
export function sumOfCores(pools: readonly NodePool[], vcpusOf: VcpuLookup): number {
  return pools.reduce((sum, pool) => sum + targetReplicas(pool) * (vcpusOf(pool) ?? 0), 0);
}

/** How many nodes a pool may have, and what limits it. */
export interface QuotaShare {
  readonly nodes: number;
  /** For example `the project's quota is 10 nodes (ProjectQuota "default")`. */
  readonly message: string;
}

export interface QuotaShareFacts {
  readonly quota: EffectiveQuota;
  /** All pools in the namespace. */
  readonly pools: readonly NodePool[];
  /** Machines in the namespace's other pools that will remain, with the cores of each. */
  readonly othersCores: readonly number[];
  readonly vcpusOf: VcpuLookup;
}

/** A pool's share of the quota, by nodes and by cores: older pools come first, and existing machines of other pools stay. */
export function quotaShares(pool: NodePool, facts: QuotaShareFacts): readonly QuotaShare[] {
  const { quota, pools, othersCores, vcpusOf } = facts;
  const shares: QuotaShare[] = [];
  if (quota.nodes) {
    const { limit } = quota.nodes;
    const granted = Math.min(grantedReplicas(pool, pools, limit), Math.max(0, limit - othersCores.length));
    shares.push({ nodes: granted, message: describeQuota('nodes', quota.nodes) });
  }
  const vcpus = vcpusOf(pool);
  if (quota.cores && vcpus !== undefined && vcpus > 0) {
    const { limit } = quota.cores;
    const taken = Math.max(
      coresOfOlderPools(pool, pools, vcpusOf),
      othersCores.reduce((sum, cores) => sum + cores, 0),
    );
    const nodes = Math.max(0, Math.floor((limit - taken) / vcpus));
    shares.push({ nodes, message: describeQuota('cores', quota.cores) });
  }
  return shares;
}

/** How many more nodes with this many cores a namespace may request. */
export function remainingQuotaShares(
  quota: EffectiveQuota,
  pools: readonly NodePool[],
  vcpusOf: VcpuLookup,
  vcpus: number | undefined,
): QuotaShare | undefined {
  const shares: QuotaShare[] = [];
  if (quota.nodes) {
    const nodes = quota.nodes.limit - sumOfReplicas(pools);
    shares.push({ nodes, message: describeQuota('nodes', quota.nodes) });
  }
  if (quota.cores && vcpus) {
    const nodes = Math.floor((quota.cores.limit - sumOfCores(pools, vcpusOf)) / vcpus);
    shares.push({ nodes, message: describeQuota('cores', quota.cores) });
  }
  return shares.sort((a, b) => a.nodes - b.nodes)[0];
}

export function describeQuota(resource: QuotaResource, { limit, by }: QuotaLimit): string {
  return `the project's quota is ${pluralize(limit, resource.slice(0, -1))} (${by})`;
}

/** Cores used by the pools that take precedence over this one. */
function coresOfOlderPools(pool: NodePool, pools: readonly NodePool[], vcpusOf: VcpuLookup): number {
  const older = pools.filter((each) => each.metadata.uid !== pool.metadata.uid && isOlder(each, pool));
  return sumOfCores(older, vcpusOf);
}

function isOlder({ metadata: a }: NodePool, { metadata: b }: NodePool): boolean {
  const order = (a.creationTimestamp ?? '').localeCompare(b.creationTimestamp ?? '');
  return (order || (a.name ?? '').localeCompare(b.name ?? '')) < 0;
}
