import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { targetReplicas } from '@fairway/api/domain/target-replicas';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { projectQuotas } from '@fairway/api/kinds/project-quota';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { keyOf } from '@fairway/kube/client/object-key';
import { findCondition } from '@fairway/kube/controller/conditions';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { KubeObject } from '@fairway/kube/object/meta';
import {
  clustersByPlan,
  machinesByCluster,
  machinesByPool,
  poolKeyOf,
  poolsByCluster,
} from '@fairway/tenancy/cache-indexes';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { isClusterRelevant } from '../cluster/relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { ownedByCluster } from '../owner-key.ts';
import { machinesByNamespace, ProjectQuotas, poolsByNamespace, quotasByNamespace } from './project-quotas.ts';
import { NodePoolReconciler } from './reconciler.ts';

export const nodePoolController: Declaration = {
  name: 'node-pool',
  concurrency: 20,
  rights: [
    { type: nodePools, verbs: [...READ, 'patch'] },
    { type: nodePools, subresource: 'status', verbs: ['patch'] },
    { type: clusters, verbs: READ },
    { type: plans, verbs: READ },
    { type: projectQuotas, verbs: READ },
    { type: machines, verbs: [...READ, 'create', 'patch', 'delete'] },
    // Needed to set an owner reference that blocks the owner's deletion.
    { type: clusters, subresource: 'finalizers', verbs: ['update'] },
    { type: nodePools, subresource: 'finalizers', verbs: ['update'] },
  ],
  indexes: ({ cache, informers }) => [
    indexOn(informers.informer(projectQuotas), quotasByNamespace),
    indexOn(cache.nodePools, poolsByNamespace),
    indexOn(cache.machines, machinesByNamespace),
    indexOn(cache.nodePools, poolsHeldByProject),
    indexOn(cache.nodePools, poolsByCluster),
    indexOn(cache.machines, machinesByPool),
    indexOn(cache.machines, machinesByCluster),
    indexOn(cache.clusters, clustersByPlan),
  ],
  watches: ({ cache, informers }) => [
    watch(cache.nodePools),
    watch(informers.informer(projectQuotas), ({ metadata }) =>
      cache.nodePools.find(poolsByNamespace, metadata.namespace ?? '').map(keyOf),
    ),
    // Quota used by one pool in the project is not available to another; deletions free it.
    watch(cache.machines, (machine) => heldInNamespace(machine, cache), { isRelevant: () => false }),
    watch(cache.nodePools, (pool) => heldInNamespace(pool, cache), { isRelevant: isScaledOrDeleted }),
    // A deleted node frees room for pools that have reached the plan's limit.
    watch(cache.machines, (machine) =>
      cache.nodePools.find(poolsByCluster, clusterKeyOf(machine)).filter(isAtPlanLimit).map(keyOf),
    ),
    // Nodes within the plan's limit that one pool uses are not available to another.
    watch(cache.nodePools, (pool) => cache.nodePools.find(poolsByCluster, clusterKeyOf(pool)).map(keyOf), {
      isRelevant: isScaledOrDeleted,
    }),
    watch(cache.plans, ({ metadata }) =>
      cache.clusters
        .find(clustersByPlan, metadata.name ?? '')
        .flatMap((cluster) => cache.nodePools.find(poolsByCluster, keyOf(cluster)).map(keyOf)),
    ),
    watch(cache.machines, (machine) => [poolKeyOf(machine)]),
    watch(cache.clusters, (cluster) => cache.nodePools.find(poolsByCluster, keyOf(cluster)).map(keyOf), {
      isRelevant: isClusterRelevant,
    }),
  ],
  ownerKey: (key, { cache }) => ownedByCluster(cache.nodePools.get(key)),
  create(shared) {
    const { cache, informers, quotaDefaults: defaults } = shared;
    const quotas = new ProjectQuotas({ ...cache, quotas: informers.informer(projectQuotas), defaults });
    const reconciler = new NodePoolReconciler(shared, quotas);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
};

/** By namespace: pools waiting for the project's quota. */
const poolsHeldByProject: CacheIndex<NodePool> = {
  name: 'held-by-project',
  valuesOf: (pool) =>
    readinessOf(pool) === ConditionReason.ProjectQuotaExceeded ? [pool.metadata.namespace ?? ''] : [],
};

function heldInNamespace(
  { metadata }: KubeObject,
  { nodePools }: Parameters<Declaration['watches']>[0]['cache'],
): string[] {
  return nodePools.find(poolsHeldByProject, metadata.namespace ?? '').map(keyOf);
}

function isScaledOrDeleted(old: NodePool, pool: NodePool): boolean {
  return (
    targetReplicas(old) !== targetReplicas(pool) || old.metadata.deletionTimestamp !== pool.metadata.deletionTimestamp
  );
}

function isAtPlanLimit(pool: NodePool): boolean {
  return readinessOf(pool) === ConditionReason.PlanLimitExceeded;
}

function readinessOf({ status }: NodePool): string | undefined {
  return findCondition(status?.conditions, ConditionType.Ready)?.reason;
}
