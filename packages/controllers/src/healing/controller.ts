import { ConditionType } from '@fairway/api/conditions';
import { EXCLUDE_FROM_HEALING_ANNOTATION, REPAIR_ANNOTATION } from '@fairway/api/group';
import { clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
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
import { hasChangedIn } from '../has-changed-in.ts';
import { ownedByCluster } from '../owner-key.ts';
import { HealingMetrics } from './metrics.ts';
import { HealingReconciler } from './reconciler.ts';

export const healingController: Declaration = {
  name: 'healing',
  concurrency: 10,
  rights: [
    { type: machines, verbs: READ },
    { type: machines, subresource: 'status', verbs: ['patch'] },
    { type: nodePools, verbs: READ },
    { type: nodePools, subresource: 'status', verbs: ['patch'] },
    { type: clusters, verbs: READ },
    { type: plans, verbs: READ },
  ],
  indexes: ({ cache }) => [
    indexOn(cache.nodePools, poolsByCluster),
    indexOn(cache.machines, machinesByPool),
    indexOn(cache.machines, machinesByCluster),
    indexOn(cache.clusters, clustersByPlan),
  ],
  watches: ({ cache }) => [
    watch(cache.nodePools, undefined, { isRelevant: hasChangedIn(viewOfPool) }),
    watch(cache.machines, (machine) => [poolKeyOf(machine)], { isRelevant: hasChangedIn(viewOfMachine) }),
    watch(cache.clusters, (cluster) => cache.nodePools.find(poolsByCluster, keyOf(cluster)).map(keyOf), {
      isRelevant: isClusterRelevant,
    }),
    watch(
      cache.plans,
      ({ metadata }) =>
        cache.clusters
          .find(clustersByPlan, metadata.name ?? '')
          .flatMap((cluster) => cache.nodePools.find(poolsByCluster, keyOf(cluster)).map(keyOf)),
      {
        isRelevant: hasChangedIn(({ spec }) => [spec.healing, spec.allowed]),
      },
    ),
  ],
  ownerKey: (key, { cache }) => ownedByCluster(cache.nodePools.get(key)),
  create(shared) {
    const { cache, registry } = shared;
    const metrics = registry && new HealingMetrics(registry);
    const reconciler = new HealingReconciler({ ...shared, metrics });
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget(isMatching) {
        for (const pool of cache.nodePools.list()) if (isMatching(clusterKeyOf(pool))) reconciler.forget(keyOf(pool));
      },
    };
  },
};

function viewOfPool({ metadata, status }: NodePool): unknown {
  return [metadata.generation, metadata.annotations, metadata.deletionTimestamp, status?.healing];
}

/** The facts that decide whether a machine is unhealthy. */
function viewOfMachine({ metadata, spec, status }: Machine): unknown {
  return [
    metadata.deletionTimestamp,
    metadata.annotations?.[REPAIR_ANNOTATION],
    metadata.annotations?.[EXCLUDE_FROM_HEALING_ANNOTATION],
    spec.reinstallTime,
    status?.phase,
    status?.serverStatus,
    status?.notReadyTime,
    status?.startup?.timedOutTime,
    status?.installed,
    status?.marks,
    findCondition(status?.conditions, ConditionType.ServerReady)?.reason,
  ];
}
