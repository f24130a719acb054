import {
  ABORT_UPGRADE_ANNOTATION,
  DELETE_FIRST_ANNOTATION,
  MAINTENANCE_ANNOTATION,
  RETRY_ANNOTATION,
} from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { isPaused } from '@fairway/api/pause';
import { keyOf } from '@fairway/kube/client/object-key';
import { findCondition } from '@fairway/kube/controller/conditions';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { KubeObject } from '@fairway/kube/object/meta';
import { clustersByPlan, machinesByCluster, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { Declaration } from '../dependencies.ts';
import { hasChangedIn } from '../has-changed-in.ts';
import { listenToConnections } from '../node-events.ts';
import { isKeptForInspection } from '../node-pool/availability.ts';
import { UpgradeMetrics } from './metrics.ts';
import { UpgradeReconciler } from './reconciler.ts';

export const upgradeController: Declaration = {
  name: 'upgrade',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: plans, verbs: READ },
    { type: nodePools, verbs: READ },
    { type: nodePools, subresource: 'status', verbs: ['patch'] },
    { type: machines, verbs: READ },
    { type: machines, subresource: 'status', verbs: ['patch'] },
  ],
  indexes: ({ cache }) => [
    indexOn(cache.clusters, clustersByPlan),
    indexOn(cache.nodePools, poolsByCluster),
    indexOn(cache.machines, machinesByCluster),
  ],
  watches: ({ cache }) => [
    watch(cache.clusters, undefined, { isRelevant: hasChangedIn(viewOfCluster) }),
    watch(cache.nodePools, (pool) => [clusterKeyOf(pool)], { isRelevant: hasChangedIn(viewOfPool) }),
    watch(cache.machines, (machine) => [clusterKeyOf(machine)], { isRelevant: hasChangedIn(viewOfMachine) }),
    watch(cache.plans, ({ metadata }) => cache.clusters.find(clustersByPlan, metadata.name ?? '').map(keyOf), {
      isRelevant: (old, plan) => old.metadata.generation !== plan.metadata.generation,
    }),
  ],
  create(shared) {
    const metrics = shared.registry && new UpgradeMetrics(shared.registry);
    const reconciler = new UpgradeReconciler({ ...shared, metrics });
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
  listen(enqueue, { tenants }) {
    listenToConnections(tenants, enqueue);
  },
};

function viewOfCluster(cluster: Cluster): unknown {
  const { metadata, spec, status } = cluster;
  const ready = findCondition(status?.conditions, 'ControlPlaneReady');
  return [
    metadata.generation,
    metadata.deletionTimestamp,
    isPaused(cluster),
    annotationsOf(cluster, MAINTENANCE_ANNOTATION),
    spec.plan,
    status?.version,
    status?.desiredVersion,
    status?.maintenance,
    status?.credentials?.generation,
    ready?.status,
    ready?.reason,
  ];
}

function viewOfPool(pool: NodePool): unknown {
  const { metadata, status } = pool;
  return [
    metadata.generation,
    metadata.deletionTimestamp,
    isPaused(pool),
    annotationsOf(pool, ABORT_UPGRADE_ANNOTATION, RETRY_ANNOTATION),
    status?.desiredReplicas,
    status?.imageID,
    status?.image,
    status?.upgrade,
  ];
}

function viewOfMachine(machine: Machine): unknown {
  const { metadata, spec, status } = machine;
  const ready = findCondition(status?.conditions, 'Ready');
  return [
    metadata.deletionTimestamp,
    isPaused(machine),
    isKeptForInspection(machine),
    annotationsOf(machine, DELETE_FIRST_ANNOTATION),
    spec,
    status?.phase,
    status?.installed,
    status?.marks?.renewal,
    status?.startup?.timedOutTime,
    status?.readyTime,
    status?.notReadyTime,
    ready?.reason,
    ready?.message,
  ];
}

function annotationsOf({ metadata }: KubeObject, ...names: readonly string[]): unknown {
  return names.map((name) => metadata.annotations?.[name]);
}
