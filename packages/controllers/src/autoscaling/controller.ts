import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { poolBounds, targetReplicas } from '@fairway/api/domain/target-replicas';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { projectQuotas } from '@fairway/api/kinds/project-quota';
import type { CacheIndex } from '@fairway/kube/client/object-cache';
import { keyOf } from '@fairway/kube/client/object-key';
import { findCondition } from '@fairway/kube/controller/conditions';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { clustersByPlan, machinesByCluster, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { isClusterRelevant } from '../cluster/relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { hasChangedIn } from '../has-changed-in.ts';
import { listenToConnections } from '../node-events.ts';
import { ProjectQuotas, poolsByNamespace, quotasByNamespace } from '../node-pool/project-quotas.ts';
import { AutoscalingReconciler } from './reconciler.ts';

export const autoscalingController: Declaration = {
  name: 'autoscaling',
  concurrency: 10,
  rights: [
    { type: clusters, verbs: READ },
    { type: plans, verbs: READ },
    { type: projectQuotas, verbs: READ },
    { type: nodePools, verbs: READ },
    { type: nodePools, subresource: 'status', verbs: ['patch'] },
    { type: machines, verbs: READ },
    { type: machines, subresource: 'status', verbs: ['patch'] },
  ],
  indexes: ({ cache, informers }) => [
    indexOn(informers.informer(projectQuotas), quotasByNamespace),
    indexOn(cache.nodePools, poolsByNamespace),
    indexOn(cache.nodePools, poolsBlockedByQuota),
    indexOn(cache.nodePools, poolsByCluster),
    indexOn(cache.machines, machinesByCluster),
    indexOn(cache.clusters, clustersByPlan),
  ],
  watches: ({ cache, informers }) => [
    // The project's quota, or how much of it other resources use.
    watch(informers.informer(projectQuotas), ({ metadata }) => blockedPoolsIn(metadata.namespace, cache)),
    watch(cache.nodePools, ({ metadata }) => blockedPoolsIn(metadata.namespace, cache), {
      isRelevant: (old, pool) => targetReplicas(old) !== targetReplicas(pool),
    }),
    watch(cache.clusters, undefined, { isRelevant: isClusterRelevant }),
    watch(cache.nodePools, (pool) => [clusterKeyOf(pool)], { isRelevant: hasChangedIn(viewOfPool) }),
    watch(cache.machines, (machine) => [clusterKeyOf(machine)], { isRelevant: hasChangedIn(viewOfMachine) }),
    watch(cache.plans, ({ metadata }) => cache.clusters.find(clustersByPlan, metadata.name ?? '').map(keyOf)),
  ],
  create(shared, enqueue) {
    const { cache, informers, quotaDefaults: defaults } = shared;
    const quotas = new ProjectQuotas({ ...cache, quotas: informers.informer(projectQuotas), defaults });
    const reconciler = new AutoscalingReconciler(shared, quotas, enqueue);
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  /** Reconciles a cluster when a connection to it is opened or reopened. */
  listen(enqueue, { tenants }) {
    listenToConnections(tenants, enqueue);
  },
};

/** By namespace: pools that would grow if enough quota were available. */
const poolsBlockedByQuota: CacheIndex<NodePool> = {
  name: 'hindered-by-project',
  valuesOf: ({ metadata, status }) => {
    const isBlocked = status?.autoscaling?.hindrance?.reason === ConditionReason.ProjectQuotaExceeded;
    return isBlocked ? [metadata.namespace ?? ''] : [];
  },
};

function blockedPoolsIn(
  namespace = '',
  { nodePools: pools }: Parameters<Declaration['watches']>[0]['cache'],
): string[] {
  return pools.find(poolsBlockedByQuota, namespace).map(clusterKeyOf);
}

/** The controller's own writes do not affect its decisions. */
function viewOfPool(pool: NodePool): unknown {
  const { metadata, status } = pool;
  const { generation, deletionTimestamp } = metadata;
  const { min, max } = poolBounds(pool);
  return [generation, deletionTimestamp, targetReplicas(pool), min, max, status?.replicas, status?.desiredReplicas];
}

function viewOfMachine({ metadata, status }: Machine): unknown {
  const { repair, renewal } = status?.marks ?? {};
  const ready = findCondition(status?.conditions, ConditionType.Ready);
  return [metadata.deletionTimestamp, status?.phase, ready?.reason, repair?.due, renewal?.due];
}
