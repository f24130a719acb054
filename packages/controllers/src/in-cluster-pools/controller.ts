import { ConditionType } from '@fairway/api/conditions';
import { IN_CLUSTER_USER } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { isPaused } from '@fairway/api/pause';
import { keyOf } from '@fairway/kube/client/object-key';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { clustersByPlan, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { Declaration } from '../dependencies.ts';
import { hasChangedIn } from '../has-changed-in.ts';
import { listenToConnections } from '../node-events.ts';
import { InClusterPoolsReconciler } from './reconciler.ts';
import { poolStatus } from './status.ts';

export const inClusterPoolsController: Declaration = {
  name: 'in-cluster-pools',
  concurrency: 10,
  rights: [
    { type: clusters, verbs: READ },
    { type: plans, verbs: READ },
    { type: nodePools, verbs: READ },
    // Requests from a cluster are made under this name.
    { type: { group: '', plural: 'users' }, names: [IN_CLUSTER_USER], verbs: ['impersonate'] },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByPlan), indexOn(cache.nodePools, poolsByCluster)],
  watches: ({ cache }) => [
    watch(cache.clusters, undefined, { isRelevant: hasChangedIn(viewOf) }),
    watch(cache.nodePools, (pool) => [clusterKeyOf(pool)], { isRelevant: hasChangedIn(viewOfPool) }),
    watch(cache.plans, ({ metadata }) => cache.clusters.find(clustersByPlan, metadata.name ?? '').map(keyOf), {
      isRelevant: hasChangedIn(({ spec }) => spec.nodePools),
    }),
  ],
  create(shared, enqueue) {
    const reconciler = new InClusterPoolsReconciler(shared, enqueue);
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

function viewOf({ metadata, spec, status }: Cluster): unknown {
  return [
    metadata.deletionTimestamp,
    isPaused({ metadata }),
    spec.plan,
    status?.hibernation?.wanted,
    isConditionTrue(status?.conditions, ConditionType.ControlPlaneReady),
  ];
}

function viewOfPool(pool: NodePool): unknown {
  return [pool.metadata.generation, pool.metadata.deletionTimestamp, poolStatus(pool)];
}
