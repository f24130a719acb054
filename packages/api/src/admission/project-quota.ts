import type { FieldError } from '@fairway/kube/object/field-error';
import { sumOfReplicas } from '../domain/plan-limits.ts';
import { describeQuota, type EffectiveQuota, sumOfCores, type VcpuLookup } from '../domain/project-quota.ts';
import { targetReplicas } from '../domain/target-replicas.ts';
import type { Cluster } from '../kinds/cluster.ts';
import type { NodePool } from '../kinds/node-pool.ts';
import type { CatalogueFlavor } from './cloud-catalogue.ts';
import { findByIdOrName } from './references.ts';

const ADVICE = 'or ask the operator for a larger quota';

/** Rejects a cluster that exceeds the project's limit. */
export function clusterQuotaErrors(facts: {
  readonly old: Cluster | undefined;
  /** The other clusters in the namespace. */
  readonly others: readonly Cluster[];
  readonly quota: EffectiveQuota;
}): FieldError[] {
  const { clusters: limit } = facts.quota;
  if (facts.old !== undefined || limit === undefined || facts.others.length < limit.limit) return [];
  const detail = `${describeQuota('clusters', limit)}, and the namespace has ${facts.others.length}: delete one, ${ADVICE}`;
  return [{ type: 'FieldValueForbidden', field: 'metadata.namespace', detail }];
}

interface PoolFacts {
  readonly pool: NodePool;
  readonly old: NodePool | undefined;
  /** The other pools in the namespace, across all its clusters. */
  readonly others: readonly NodePool[];
  readonly quota: EffectiveQuota;
  /** Undefined while the cloud does not report its flavors, in which case cores are not checked. */
  readonly flavors: readonly CatalogueFlavor[] | undefined;
}

/** Rejects nodes and cores that exceed the project's limits. A pool can always shrink, and fields that don't affect the limits can always be changed. */
export function poolQuotaErrors({ pool, old, others, quota, flavors }: PoolFacts): FieldError[] {
  const desired = targetReplicas(pool);
  const before = old ? targetReplicas(old) : 0;
  const elsewhere = others.filter((each) => each.metadata.name !== pool.metadata.name);
  const errors: FieldError[] = [];
  if (quota.nodes && desired > before) {
    const taken = sumOfReplicas(elsewhere);
    if (taken + desired > quota.nodes.limit) {
      const left = Math.max(0, quota.nodes.limit - taken);
      const detail = `${describeQuota('nodes', quota.nodes)}, and other pools have ${taken}: must be at most ${left}; scale other pools down, ${ADVICE}`;
      errors.push({ type: 'FieldValueInvalid', field: 'spec.replicas', value: pool.spec.replicas, detail });
    }
  }
  if (errors.length > 0 || !quota.cores || flavors === undefined) return errors;
  const vcpusOf: VcpuLookup = ({ spec }) => findByIdOrName(flavors, spec.flavor)?.vcpus;
  const needed = desired * (vcpusOf(pool) ?? 0);
  const previousVcpus = old ? before * (vcpusOf(old) ?? 0) : 0;
  const taken = sumOfCores(elsewhere, vcpusOf);
  if (needed <= previousVcpus || taken + needed <= quota.cores.limit) return [];
  const field = old !== undefined && old.spec.flavor !== pool.spec.flavor ? 'spec.flavor' : 'spec.replicas';
  const value = field === 'spec.flavor' ? pool.spec.flavor : pool.spec.replicas;
  const left = Math.max(0, quota.cores.limit - taken);
  const detail = `${describeQuota('cores', quota.cores)}, other pools have ${taken}, and ${desired} nodes of flavor "${pool.spec.flavor}" need ${needed}, but ${left} are left: request fewer or smaller nodes, scale other pools down, ${ADVICE}`;
  return [{ type: 'FieldValueInvalid', field, value, detail }];
}
