import { isDeepStrictEqual } from 'node:util';
import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { clustersByIdentity, machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { BalancerCure } from './balancer-cure.ts';
import { BalancerKeeper } from './balancer-keeper.ts';
import { BalancingWatch } from './balancing-watch.ts';
import { ServiceEvents } from './service-events.ts';
import { ownerOfKey, serviceKey } from './service-key.ts';
import { ServiceReconciler } from './service-reconciler.ts';
import { balancedServices, isBalanced, servicesOf } from './tenant-services.ts';
import { TreeMemory } from './tree-memory.ts';

export const loadBalancerController: Declaration = {
  name: 'load-balancer',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByIdentity), indexOn(cache.machines, machinesByCluster)],
  watches: ({ cache, tenants }) => [
    watch(cache.clusters, (cluster) => balancedKeys(tenants.get(identityOf(cluster))), {
      isRelevant: (old, cluster) =>
        isPaused(old) !== isPaused(cluster) ||
        old.spec.credentialName !== cluster.spec.credentialName ||
        !isDeepStrictEqual(old.status?.network, cluster.status?.network),
    }),
    watch(
      cache.machines,
      (machine) => {
        const cluster = cache.clusters.get(clusterKeyOf(machine));
        return balancedKeys(cluster && tenants.get(identityOf(cluster)));
      },
      { isRelevant: (old, machine) => old.status?.serverID !== machine.status?.serverID },
    ),
  ],
  ownerKey: (key, { tenants }) => tenants.get(ownerOfKey(key).clusterUid)?.clusterKey,
  create(shared, enqueue) {
    const { attempts } = shared;
    const balancing = new BalancingWatch(enqueue);
    const memory = new TreeMemory();
    const cure = new BalancerCure(attempts, memory);
    const dependencies = { ...shared, watch: balancing, memory, cure, events: new ServiceEvents(shared) };
    const keeper = new BalancerKeeper(dependencies);
    const reconciler = new ServiceReconciler({ ...dependencies, keeper });
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  listen(enqueue, { attempts, cache, clouds, tenants }) {
    tenants.onConnect((tenant) => {
      followServices(tenant, enqueue, (key) => attempts.retryNow((item) => item === key));
      followNodes(tenant, () => balancedKeys(tenant).forEach(enqueue));
    });
    clouds.onProject((cloud) =>
      cloud.cache.servers.subscribe(({ added, changed, removed }) => {
        const uids = new Set([...added, ...changed, ...removed].map((server) => serverOwner(server)?.clusterUid));
        for (const uid of uids) {
          const [cluster] = uid === undefined ? [] : cache.clusters.find(clustersByIdentity, uid);
          for (const key of balancedKeys(cluster && tenants.get(identityOf(cluster)))) enqueue(key);
        }
      }),
    );
  },
};

function followServices(tenant: TenantCluster, enqueue: (key: string) => void, retryNow: (key: string) => void): void {
  const services = servicesOf(tenant);
  const keyOf = ({ metadata }: Service) =>
    serviceKey({ clusterUid: tenant.clusterUid, serviceUid: metadata.uid ?? '' });
  services.addHandler({
    onAdd(service) {
      if (isBalanced(service)) enqueue(keyOf(service));
    },
    onUpdate(old, service) {
      if (!isBalanced(old) && !isBalanced(service)) return;
      // Whoever changes what is asked for does not wait for what failed before.
      if (isAskedAnew(old, service)) retryNow(keyOf(service));
      enqueue(keyOf(service));
    },
    onDelete(service) {
      if (isBalanced(service)) enqueue(keyOf(service));
    },
  });
  // They may be listed before the tenant counts as connected, and are enqueued only then.
  void Promise.all([tenant.nodes.whenSynced(), services.whenSynced()]).then(
    () => balancedKeys(tenant).forEach(enqueue),
    () => {},
  );
}

function isAskedAnew(old: Service, service: Service): boolean {
  return (
    !isDeepStrictEqual(old.spec, service.spec) ||
    !isDeepStrictEqual(old.metadata.annotations, service.metadata.annotations) ||
    old.metadata.deletionTimestamp !== service.metadata.deletionTimestamp
  );
}

/** Which nodes there are, and what decides whether they are members. */
function followNodes({ nodes }: TenantCluster, changed: () => void): void {
  nodes.addHandler({
    onAdd: changed,
    onUpdate: (old, node) => {
      if (!isDeepStrictEqual(choiceOf(old), choiceOf(node))) changed();
    },
    onDelete: changed,
  });
}

function choiceOf({ metadata, spec }: TenantNode) {
  const { labels, deletionTimestamp } = metadata;
  return { labels, deletionTimestamp, taints: spec?.taints?.map(({ key }) => key) };
}

/** Keys of a connected cluster's Services that have a load balancer, or are to get one. */
function balancedKeys(tenant: TenantCluster | undefined): readonly string[] {
  if (tenant === undefined) return [];
  const { clusterUid } = tenant;
  return servicesOf(tenant)
    .find(balancedServices, 'yes')
    .map(({ metadata }) => serviceKey({ clusterUid, serviceUid: metadata.uid ?? '' }));
}
