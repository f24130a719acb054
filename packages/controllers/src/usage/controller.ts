import { ConditionType } from '@fairway/api/conditions';
import { PAUSED_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import { keyOf } from '@fairway/kube/client/object-key';
import { findCondition } from '@fairway/kube/controller/conditions';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Delta, Identifiable } from '@fairway/openstack/cache/snapshot';
import type { Server } from '@fairway/openstack/types/server';
import {
  clustersByIdentity,
  machinesByCluster,
  machinesByIdentity,
  poolsByCluster,
} from '@fairway/tenancy/cache-indexes';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import type { Declaration } from '../dependencies.ts';
import { EndTracker } from './end-tracker.ts';
import { PROJECT_KINDS } from './project-kinds.ts';
import { UsageReconciler } from './reconciler.ts';
import { recordsByCluster } from './records.ts';

/** Measures the usage of clusters. Keyed by Cluster, existing or deleted. */
export const usageController: Declaration = {
  name: 'usage',
  concurrency: 10,
  rights: [
    { type: usageRecords, verbs: [...READ, 'create', 'patch', 'delete'] },
    { type: usageRecords, subresource: 'status', verbs: ['patch'] },
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
  ],
  indexes: ({ cache, informers }) => [
    indexOn(cache.clusters, clustersByIdentity),
    indexOn(cache.nodePools, poolsByCluster),
    indexOn(cache.machines, machinesByIdentity),
    indexOn(cache.machines, machinesByCluster),
    indexOn(informers.informer(usageRecords), recordsByCluster),
  ],
  watches: ({ cache, informers }) => [
    watch(cache.clusters, undefined, { isRelevant: isUsageChanged }),
    watch(informers.informer(usageRecords), recordsByCluster.valuesOf),
    // From now on, lists contain the machine's floating IP.
    watch(
      cache.machines,
      ({ metadata, spec }) => (spec.floatingIP ? [`${metadata.namespace}/${spec.clusterName}`] : []),
      {
        isRelevant: (old, machine) => old.spec.floatingIP !== machine.spec.floatingIP,
      },
    ),
  ],
  create(shared, enqueue) {
    const { cache, clouds, informers } = shared;
    const ends = new EndTracker();
    const enqueueOwners = (uids: Iterable<string | undefined>) => {
      for (const uid of new Set(uids)) {
        if (uid === undefined) continue;
        for (const cluster of cache.clusters.find(clustersByIdentity, uid)) enqueue(keyOf(cluster));
      }
    };
    const onResourceChange = <T extends Identifiable>(
      lists: ResourceCache<T>,
      { added, changed, removed }: Delta<T>,
      ownerOf: (item: T) => string | undefined,
    ) => {
      const { listedAtMs = 0 } = lists.snapshot();
      for (const item of changed) {
        if (ownerOf(item) !== undefined) ends.noteChange(item.id, lists.listedBeforeMs, listedAtMs);
      }
      for (const { id } of removed) ends.note(id, lists.listedBeforeMs, listedAtMs);
      enqueueOwners([...added, ...changed, ...removed].map(ownerOf));
    };
    clouds.onProject(({ cache: lists }) => {
      const ofServer = (server: Server) => serverOwner(server)?.clusterUid;
      const stopFunctions = [
        lists.servers.subscribe((delta) => onResourceChange(lists.servers, delta, ofServer)),
        ...PROJECT_KINDS.map((kind) => {
          const kindCache = kind.cacheOf(lists);
          return kindCache.observePassively((delta) => onResourceChange(kindCache, delta, kind.clusterUidOf));
        }),
      ];
      return () => {
        for (const stop of stopFunctions) stop();
      };
    });
    const reconciler = new UsageReconciler(shared, informers.informer(usageRecords), ends);
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
};

function isUsageChanged(old: Cluster, cluster: Cluster): boolean {
  const readiness = ({ status }: Cluster) =>
    findCondition(status?.conditions, ConditionType.ControlPlaneReady)?.status === 'True';
  return (
    old.spec.plan !== cluster.spec.plan ||
    old.spec.credentialName !== cluster.spec.credentialName ||
    old.metadata.deletionTimestamp !== cluster.metadata.deletionTimestamp ||
    old.metadata.annotations?.[PAUSED_ANNOTATION] !== cluster.metadata.annotations?.[PAUSED_ANNOTATION] ||
    readiness(old) !== readiness(cluster)
  );
}
