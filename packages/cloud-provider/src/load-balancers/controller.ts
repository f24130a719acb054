import { isDeepStrictEqual } from 'node:util';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { plans } from '@fairway/api/kinds/plan';
import { indexOn } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import { clustersByIdentity, clustersByPlan, machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { serviceOwner, sharersOf } from '@fairway/tenancy/cloud/ownership';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { ANNOTATION } from './annotation-names.ts';
import { LoadBalancerEvents } from './load-balancer-events.ts';
import { LoadBalancerReconciler } from './load-balancer-reconciler.ts';
import { LoadBalancerWatch } from './load-balancer-watch.ts';
import { loadBalancerWatches, onTenantEnd, watchNodes, watchServers } from './node-handlers.ts';
import { LoadBalancerRecovery } from './recovery.ts';
import { ownerOfKey, serviceKey } from './service-key.ts';
import { ServiceReconciler } from './service-reconciler.ts';
import { Takeover } from './takeover.ts';
import { loadBalancerServices, servicesByLoadBalancer, servicesOf, usesLoadBalancer } from './tenant-services.ts';
import { TreeMemory } from './tree-memory.ts';

/** Source of Events; other cloud providers use the same name. */
const COMPONENT = 'service-controller';

export const loadBalancerController: Declaration = {
  name: 'load-balancer',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
    { type: plans, verbs: READ },
  ],
  indexes: ({ cache }) => [
    indexOn(cache.clusters, clustersByIdentity),
    indexOn(cache.clusters, clustersByPlan),
    indexOn(cache.machines, machinesByCluster),
  ],
  watches: (shared) => loadBalancerWatches(shared, loadBalancedKeys),
  ownerKey: (key, { tenants }) => tenants.get(ownerOfKey(key).clusterUid)?.clusterKey,
  create(shared, enqueue) {
    const { attempts, tenants } = shared;
    const loadBalancerWatch = new LoadBalancerWatch(enqueue, (loadBalancer) => {
      // The owner is certain once the owner's project is known.
      const projectID = loadBalancer.project_id;
      const owner = serviceOwner(loadBalancer, projectID);
      const users = [...(owner ? [owner] : []), ...sharersOf(loadBalancer, projectID)];
      const tenant = tenants.get(users[0]?.clusterUid ?? '');
      return [...users.map(serviceKey), ...keysReferringTo(tenant, loadBalancer.id)];
    });
    const memory = new TreeMemory();
    const recovery = new LoadBalancerRecovery(attempts, memory);
    const events = new LoadBalancerEvents(shared, { component: COMPONENT, kind: Services });
    const takeover = new Takeover({ watch: loadBalancerWatch, memory, events });
    const dependencies = { ...shared, watch: loadBalancerWatch, memory, recovery, events, takeover: takeover };
    const loadBalancers = new LoadBalancerReconciler(dependencies);
    const reconciler = new ServiceReconciler({ ...dependencies, loadBalancers });
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  listen(enqueue, shared) {
    const { attempts, tenants } = shared;
    tenants.onConnect((tenant) => {
      watchServices(tenant, enqueue, (key) => attempts.retryNow((item) => item === key));
      watchNodes(tenant, () => loadBalancedKeys(tenant).forEach(enqueue));
      onTenantEnd(tenant, () => loadBalancedKeys(tenant).forEach(enqueue));
    });
    watchServers(shared, loadBalancedKeys, enqueue);
  },
};

/** Keys of Services that use or need this load balancer: a port or capacity may have become available. */
function keysReferringTo(tenant: TenantCluster | undefined, id: string): readonly string[] {
  if (tenant === undefined) return [];
  const { clusterUid } = tenant;
  const named = servicesOf(tenant).find(servicesByLoadBalancer, id);
  return named.map(({ metadata }) => serviceKey({ clusterUid, serviceUid: metadata.uid ?? '' }));
}

function watchServices(tenant: TenantCluster, enqueue: (key: string) => void, retryNow: (key: string) => void): void {
  const services = servicesOf(tenant);
  const keyOf = ({ metadata }: Service) =>
    serviceKey({ clusterUid: tenant.clusterUid, serviceUid: metadata.uid ?? '' });
  const companionKeys = ({ metadata }: Service) => {
    const id = metadata.annotations?.[ANNOTATION.loadBalancerID]?.trim();
    if (id) keysReferringTo(tenant, id).forEach(enqueue);
  };
  services.addHandler({
    onAdd(service) {
      if (usesLoadBalancer(service)) enqueue(keyOf(service));
    },
    onUpdate(old, service) {
      if (!usesLoadBalancer(old) && !usesLoadBalancer(service)) return;
      // A changed spec resets the backoff from earlier failures.
      if (userTriggered(old, service)) {
        retryNow(keyOf(service));
        companionKeys(old);
        companionKeys(service);
      }
      enqueue(keyOf(service));
    },
    onDelete(service) {
      if (!usesLoadBalancer(service)) return;
      enqueue(keyOf(service));
      companionKeys(service);
    },
  });
  // Services may be listed before the tenant is considered connected, so they are enqueued afterwards.
  void Promise.all([tenant.nodes.whenSynced(), services.whenSynced()]).then(
    () => loadBalancedKeys(tenant).forEach(enqueue),
    () => {},
  );
}

function userTriggered(old: Service, service: Service): boolean {
  return (
    !isDeepStrictEqual(old.spec, service.spec) ||
    !isDeepStrictEqual(old.metadata.annotations, service.metadata.annotations) ||
    old.metadata.deletionTimestamp !== service.metadata.deletionTimestamp
  );
}

/** Keys of a connected cluster's Services that have or need a load balancer. */
function loadBalancedKeys(tenant: TenantCluster | undefined): readonly string[] {
  if (tenant === undefined) return [];
  const { clusterUid } = tenant;
  return servicesOf(tenant)
    .find(loadBalancerServices, 'yes')
    .map(({ metadata }) => serviceKey({ clusterUid, serviceUid: metadata.uid ?? '' }));
}
