import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { wantedReplicas } from '@fairway/api/domain/wanted-replicas';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { keyOf } from '@fairway/kube/client/object-key';
import { findCondition } from '@fairway/kube/controller/conditions';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
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
import { NodePoolReconciler } from './reconciler.ts';

export const nodePoolController: Declaration = {
  name: 'node-pool',
  concurrency: 20,
  rights: [
    { type: nodePools, verbs: [...READ, 'patch'] },
    { type: nodePools, subresource: 'status', verbs: ['patch'] },
    { type: clusters, verbs: READ },
    { type: plans, verbs: READ },
    { type: machines, verbs: [...READ, 'create', 'patch', 'delete'] },
    // To name an owner that waits for what it owns.
    { type: clusters, subresource: 'finalizers', verbs: ['update'] },
    { type: nodePools, subresource: 'finalizers', verbs: ['update'] },
  ],
  indexes: ({ cache }) => [
    indexOn(cache.nodePools, poolsByCluster),
    indexOn(cache.machines, machinesByPool),
    indexOn(cache.machines, machinesByCluster),
    indexOn(cache.clusters, clustersByPlan),
  ],
  watches: ({ cache }) => [
    watch(cache.nodePools),
    // A node that goes makes room for pools that the plan holds back.
    watch(cache.machines, (machine) =>
      cache.nodePools.find(poolsByCluster, clusterKeyOf(machine)).filter(isHeldBack).map(keyOf),
    ),
    // What one pool takes of the plan's nodes, another may not.
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
    const reconciler = new NodePoolReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
};

function isScaledOrDeleted(old: NodePool, pool: NodePool): boolean {
  return (
    wantedReplicas(old) !== wantedReplicas(pool) || old.metadata.deletionTimestamp !== pool.metadata.deletionTimestamp
  );
}

function isHeldBack({ status }: NodePool): boolean {
  return findCondition(status?.conditions, ConditionType.Ready)?.reason === ConditionReason.PlanLimitExceeded;
}
