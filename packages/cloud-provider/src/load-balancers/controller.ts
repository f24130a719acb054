import { isDeepStrictEqual } from 'node:util';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { indexOn } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { Services } from '@fairway/kube/kinds/resources';
import { clustersByIdentity, machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { serviceOwner, sharersOf } from '@fairway/tenancy/cloud/ownership';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { ANNOTATION } from './annotation-names.ts';
import { followEnd, followNodes, followServers, loadBalancerWatches } from './follow-nodes.ts';
import { LoadBalancerEvents } from './load-balancer-events.ts';
import { LoadBalancerReconciler } from './load-balancer-reconciler.ts';
import { LoadBalancerWatch } from './load-balancer-watch.ts';
import { LoadBalancerRecovery } from './recovery.ts';
import { ownerOfKey, serviceKey } from './service-key.ts';
import { ServiceReconciler } from './service-reconciler.ts';
import { TakingOver } from './taking-over.ts';
import { isBalanced, loadBalancerServices, servicesByLoadBalancer, servicesOf } from './tenant-services.ts';
import { TreeMemory } from './tree-memory.ts';

/** Source of Events, the same as of other cloud providers. */
const COMPONENT = 'service-controller';

export const loadBalancerController: Declaration = {
  name: 'load-balancer',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByIdentity), indexOn(cache.machines, machinesByCluster)],
  watches: (shared) => loadBalancerWatches(shared, balancedKeys),
  ownerKey: (key, { tenants }) => tenants.get(ownerOfKey(key).clusterUid)?.clusterKey,
  create(shared, enqueue) {
    const { attempts, tenants } = shared;
    const balancing = new LoadBalancerWatch(enqueue, (loadBalancer) => {
      // The actual owner is known once its project is.
      const projectID = loadBalancer.project_id;
      const owner = serviceOwner(loadBalancer, projectID);
      const users = [...(owner ? [owner] : []), ...sharersOf(loadBalancer, projectID)];
      const tenant = tenants.get(users[0]?.clusterUid ?? '');
      return [...users.map(serviceKey), ...keysNaming(tenant, loadBalancer.id)];
    });
    const memory = new TreeMemory();
    const recovery = new LoadBalancerRecovery(attempts, memory);
    const events = new LoadBalancerEvents(shared, { component: COMPONENT, kind: Services });
    const takingOver = new TakingOver({ watch: balancing, memory, events });
    const dependencies = { ...shared, watch: balancing, memory, recovery, events, takingOver };
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
      followServices(tenant, enqueue, (key) => attempts.retryNow((item) => item === key));
      followNodes(tenant, () => balancedKeys(tenant).forEach(enqueue));
      followEnd(tenant, () => balancedKeys(tenant).forEach(enqueue));
    });
    followServers(shared, balancedKeys, enqueue);
  },
};

/** Keys of Services that use a load balancer or need one: a port or place may now be free. */
function keysNaming(tenant: TenantCluster | undefined, id: string): readonly string[] {
  if (tenant === undefined) return [];
  const { clusterUid } = tenant;
  const named = servicesOf(tenant).find(servicesByLoadBalancer, id);
  return named.map(({ metadata }) => serviceKey({ clusterUid, serviceUid: metadata.uid ?? '' }));
}

function followServices(tenant: TenantCluster, enqueue: (key: string) => void, retryNow: (key: string) => void): void {
  const services = servicesOf(tenant);
  const keyOf = ({ metadata }: Service) =>
    serviceKey({ clusterUid: tenant.clusterUid, serviceUid: metadata.uid ?? '' });
  const companionsOf = ({ metadata }: Service) => {
    const id = metadata.annotations?.[ANNOTATION.loadBalancerID]?.trim();
    if (id) keysNaming(tenant, id).forEach(enqueue);
  };
  services.addHandler({
    onAdd(service) {
      if (isBalanced(service)) enqueue(keyOf(service));
    },
    onUpdate(old, service) {
      if (!isBalanced(old) && !isBalanced(service)) return;
      // A changed spec resets the backoff of earlier failures.
      if (userTriggered(old, service)) {
        retryNow(keyOf(service));
        companionsOf(old);
        companionsOf(service);
      }
      enqueue(keyOf(service));
    },
    onDelete(service) {
      if (!isBalanced(service)) return;
      enqueue(keyOf(service));
      companionsOf(service);
    },
  });
  // They may be listed before the tenant counts as connected, and are enqueued only then.
  void Promise.all([tenant.nodes.whenSynced(), services.whenSynced()]).then(
    () => balancedKeys(tenant).forEach(enqueue),
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
function balancedKeys(tenant: TenantCluster | undefined): readonly string[] {
  if (tenant === undefined) return [];
  const { clusterUid } = tenant;
  return servicesOf(tenant)
    .find(loadBalancerServices, 'yes')
    .map(({ metadata }) => serviceKey({ clusterUid, serviceUid: metadata.uid ?? '' }));
}
