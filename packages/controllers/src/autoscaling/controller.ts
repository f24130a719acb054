import { wantedReplicas } from '@fairway/api/domain/wanted-replicas';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { keyOf } from '@fairway/kube/client/object-key';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { clustersByPlan, machinesByCluster, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import { isClusterRelevant } from '../cluster/relevance.ts';
import type { Declaration } from '../dependencies.ts';
import { AutoscalingReconciler } from './reconciler.ts';

export const autoscalingController: Declaration = {
  name: 'autoscaling',
  concurrency: 10,
  rights: [
    { type: clusters, verbs: READ },
    { type: plans, verbs: READ },
    { type: nodePools, verbs: READ },
    { type: nodePools, subresource: 'status', verbs: ['patch'] },
    { type: machines, verbs: READ },
    { type: machines, subresource: 'status', verbs: ['patch'] },
  ],
  indexes: ({ cache }) => [
    indexOn(cache.nodePools, poolsByCluster),
    indexOn(cache.machines, machinesByCluster),
    indexOn(cache.clusters, clustersByPlan),
  ],
  watches: ({ cache }) => [
    watch(cache.clusters, undefined, { isRelevant: isClusterRelevant }),
    watch(cache.nodePools, (pool) => [clusterKeyOf(pool)], { isRelevant: isPoolChanged }),
    watch(cache.machines, (machine) => [clusterKeyOf(machine)], { isRelevant: isMachineChanged }),
    watch(cache.plans, ({ metadata }) => cache.clusters.find(clustersByPlan, metadata.name ?? '').map(keyOf)),
  ],
  create(shared, enqueue) {
    const reconciler = new AutoscalingReconciler(shared, enqueue);
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  /** A connection begins, or begins anew. */
  listen(enqueue, { tenants }) {
    tenants.onConnect(({ clusterKey, nodes }) => {
      void nodes.whenSynced().then(
        () => enqueue(clusterKey),
        () => {},
      );
    });
  },
};

/** What it writes itself changes nothing for it. */
function isPoolChanged(old: NodePool, pool: NodePool): boolean {
  return (
    old.metadata.generation !== pool.metadata.generation ||
    old.metadata.deletionTimestamp !== pool.metadata.deletionTimestamp ||
    wantedReplicas(old) !== wantedReplicas(pool) ||
    old.status?.replicas !== pool.status?.replicas ||
    old.status?.desiredReplicas !== pool.status?.desiredReplicas
  );
}

function isMachineChanged(old: Machine, machine: Machine): boolean {
  return (
    old.metadata.deletionTimestamp !== machine.metadata.deletionTimestamp ||
    old.status?.phase !== machine.status?.phase ||
    readyReason(old) !== readyReason(machine) ||
    old.status?.marks?.repair?.due !== machine.status?.marks?.repair?.due ||
    old.status?.marks?.renewal?.due !== machine.status?.marks?.renewal?.due
  );
}

function readyReason({ status }: Machine): string | undefined {
  return status?.conditions?.find(({ type }) => type === 'Ready')?.reason;
}
