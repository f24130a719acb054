import { isDeepStrictEqual } from 'node:util';
import { gatewayOwner } from '@fairway/tenancy/cloud/ownership';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { CloudProviderDependencies, Declaration } from '../dependencies.ts';
import { ROUTED_CONTROLLER, routedComponents, watchBackends } from '../l7/routed-controller.ts';
import { loadBalancerWatches, onTenantEnd, watchNodes, watchServers } from '../load-balancers/node-handlers.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import { gatewayKey, ownerOfKey } from './gateway-key.ts';
import { GatewayLoadBalancerReconciler } from './gateway-load-balancer.ts';
import { GatewayReconciler } from './gateway-reconciler.ts';
import { type Gateway, GatewayClasses, Gateways, type HttpRoute, HttpRoutes, ReferenceGrants } from './kinds.ts';
import { gatewaysOfRoute, routesByService, TenantGateways } from './tenant-gateways.ts';

export const gatewayController: Declaration = {
  name: 'gateway-api',
  ...ROUTED_CONTROLLER,
  watches: (shared) => loadBalancerWatches(shared, (tenant) => keysOf(tenant, shared)),
  ownerKey: (key, { tenants }) => tenants.get(ownerOfKey(key).clusterUid)?.clusterKey,
  create(shared, enqueue) {
    const parts = routedComponents(shared, enqueue, {
      kind: Gateways,
      plural: 'Gateways',
      component: 'fairway-gateway-controller',
      keysOf(loadBalancer) {
        const owner = gatewayOwner(loadBalancer, loadBalancer.project_id);
        return owner ? [gatewayKey(owner)] : [];
      },
    });
    const loadBalancers = new GatewayLoadBalancerReconciler(parts);
    const reconciler = new GatewayReconciler({ ...parts, loadBalancers });
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  listen(enqueue, shared) {
    const { attempts, tenants } = shared;
    const retryNow = (key: string) => attempts.retryNow((item) => item === key);
    tenants.onConnect((tenant) => {
      watchGateways(tenant, TenantGateways.of(tenant, shared), enqueue, retryNow);
      watchNodes(tenant, () => keysOf(tenant, shared).forEach(enqueue));
      onTenantEnd(tenant, () => keysOf(tenant, shared).forEach(enqueue));
    });
    watchServers(shared, (tenant) => keysOf(tenant, shared), enqueue);
  },
};

/** Keys of a connected cluster's Gateways that have or may need a load balancer. */
function keysOf(tenant: TenantCluster | undefined, shared: CloudProviderDependencies): readonly string[] {
  if (tenant === undefined) return [];
  const gateways = TenantGateways.of(tenant, shared);
  const served = gateways.candidates.filter((gateway) => gateways.isServed(gateway));
  return served.map((gateway) => keyOf(tenant, gateway));
}

function keyOf({ clusterUid }: TenantCluster, { metadata }: Gateway): string {
  return gatewayKey({ clusterUid, gatewayUid: metadata.uid ?? '' });
}

/** Watches that affect Gateways, started once their kinds exist in the cluster. */
function watchGateways(
  tenant: TenantCluster,
  gateways: TenantGateways,
  enqueue: (key: string) => void,
  retryNow: (key: string) => void,
): void {
  const all = () => {
    for (const gateway of gateways.candidates) enqueue(keyOf(tenant, gateway));
  };
  const anything = { onAdd: all, onUpdate: all, onDelete: all };
  const onRoute = (route: HttpRoute) => {
    for (const name of gatewaysOfRoute(route)) {
      const gateway = gateways.gateways?.get(name);
      if (gateway) enqueue(keyOf(tenant, gateway));
    }
  };
  gateways.kinds.onServed((type) => {
    if (type === GatewayClasses) gateways.classes?.addHandler(anything);
    if (type === ReferenceGrants) gateways.grants?.addHandler(anything);
    if (type === Gateways) {
      gateways.gateways?.addHandler({
        onAdd: (gateway) => enqueue(keyOf(tenant, gateway)),
        onUpdate(old, gateway) {
          // A changed spec resets the backoff from earlier failures.
          if (userTriggered(old, gateway)) retryNow(keyOf(tenant, gateway));
          enqueue(keyOf(tenant, gateway));
        },
        onDelete: (gateway) => enqueue(keyOf(tenant, gateway)),
      });
    }
    if (type === HttpRoutes) {
      gateways.routes?.addHandler({
        onAdd: onRoute,
        onUpdate(old, route) {
          onRoute(old);
          onRoute(route);
        },
        onDelete: onRoute,
      });
    }
    // Objects may be listed before the tenant counts as connected, or before the objects that they depend on, so they
    // are enqueued afterwards.
    void whenCachesSynced(tenant, gateways).then(all, () => {});
  });
  gateways.onLabels(all);
  watchBackends(tenant, (service) => gateways.routes?.find(routesByService, service).forEach(onRoute));
}

async function whenCachesSynced({ nodes, ...tenant }: TenantCluster, gateways: TenantGateways): Promise<void> {
  const { signal } = tenant;
  const { classes, gateways: all, routes, grants } = gateways;
  const caches = [nodes, servicesOf({ nodes, ...tenant }), classes, all, routes, grants];
  await Promise.all(caches.map(async (cache) => cache?.whenSynced(signal)));
}

function userTriggered(old: Gateway, gateway: Gateway): boolean {
  const userFields = ({ metadata, className, spec }: Gateway) => [
    className,
    spec,
    metadata.annotations,
    metadata.deletionTimestamp,
  ];
  return !isDeepStrictEqual(userFields(old), userFields(gateway));
}
