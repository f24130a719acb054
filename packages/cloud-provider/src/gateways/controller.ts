import { isDeepStrictEqual } from 'node:util';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { keyOf as objectKey } from '@fairway/kube/client/object-key';
import { indexOn } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { clustersByIdentity, machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { gatewayOwner } from '@fairway/tenancy/cloud/ownership';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { CloudProviderDependencies, Declaration } from '../dependencies.ts';
import { PolicyLists } from '../l7/policy-lists.ts';
import { BalancerCure } from '../load-balancers/balancer-cure.ts';
import { BalancerEvents } from '../load-balancers/balancer-events.ts';
import { BalancingWatch } from '../load-balancers/balancing-watch.ts';
import { balancingWatches, followNodes, followServers } from '../load-balancers/follow-nodes.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import { TreeMemory } from '../load-balancers/tree-memory.ts';
import { GatewayKeeper } from './gateway-keeper.ts';
import { gatewayKey, ownerOfKey } from './gateway-key.ts';
import { GatewayReconciler } from './gateway-reconciler.ts';
import { type Gateway, GatewayClasses, Gateways, type HttpRoute, HttpRoutes, ReferenceGrants } from './kinds.ts';
import { gatewaysOfRoute, routesByService, TenantGateways } from './tenant-gateways.ts';

/** Under which `kubectl describe` shows events. */
const COMPONENT = 'fairway-gateway-controller';

export const gatewayController: Declaration = {
  name: 'gateway-api',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByIdentity), indexOn(cache.machines, machinesByCluster)],
  watches: (shared) => balancingWatches(shared, (tenant) => keysOf(tenant, shared)),
  ownerKey: (key, { tenants }) => tenants.get(ownerOfKey(key).clusterUid)?.clusterKey,
  create(shared, enqueue) {
    const balancing = new BalancingWatch(enqueue, (loadBalancer) => {
      // Whose it really is shows when its project is known.
      const owner = gatewayOwner(loadBalancer, loadBalancer.project_id);
      return owner ? [gatewayKey(owner)] : [];
    });
    const memory = new TreeMemory();
    const dependencies = {
      ...shared,
      watch: balancing,
      memory,
      policies: new PolicyLists(memory),
      cure: new BalancerCure(shared.attempts, memory),
      events: new BalancerEvents(shared, { component: COMPONENT, kind: Gateways }),
    };
    const keeper = new GatewayKeeper(dependencies);
    const reconciler = new GatewayReconciler({ ...dependencies, keeper });
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  listen(enqueue, shared) {
    const { attempts, tenants } = shared;
    const retryNow = (key: string) => attempts.retryNow((item) => item === key);
    tenants.onConnect((tenant) => {
      followGateways(tenant, TenantGateways.of(tenant, shared), enqueue, retryNow);
      followNodes(tenant, () => keysOf(tenant, shared).forEach(enqueue));
    });
    followServers(shared, (tenant) => keysOf(tenant, shared), enqueue);
  },
};

/** Keys of a connected cluster's Gateways that have a load balancer, or may get one. */
function keysOf(tenant: TenantCluster | undefined, shared: CloudProviderDependencies): readonly string[] {
  if (tenant === undefined) return [];
  const gateways = TenantGateways.of(tenant, shared);
  const served = gateways.candidates.filter((gateway) => gateways.isServed(gateway));
  return served.map((gateway) => keyOf(tenant, gateway));
}

function keyOf({ clusterUid }: TenantCluster, { metadata }: Gateway): string {
  return gatewayKey({ clusterUid, gatewayUid: metadata.uid ?? '' });
}

/** What in the cluster decides what its Gateways come to, from when their kinds are there. */
function followGateways(
  tenant: TenantCluster,
  gateways: TenantGateways,
  enqueue: (key: string) => void,
  retryNow: (key: string) => void,
): void {
  const all = () => {
    for (const gateway of gateways.candidates) enqueue(keyOf(tenant, gateway));
  };
  const anything = { onAdd: all, onUpdate: all, onDelete: all };
  const ofRoute = (route: HttpRoute) => {
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
          // Whoever changes what is asked for does not wait for what failed before.
          if (isAskedAnew(old, gateway)) retryNow(keyOf(tenant, gateway));
          enqueue(keyOf(tenant, gateway));
        },
        onDelete: (gateway) => enqueue(keyOf(tenant, gateway)),
      });
    }
    if (type === HttpRoutes) {
      gateways.routes?.addHandler({
        onAdd: ofRoute,
        onUpdate(old, route) {
          ofRoute(old);
          ofRoute(route);
        },
        onDelete: ofRoute,
      });
    }
    // They may be listed before the tenant counts as connected, or before each other, and are enqueued only then.
    void synced(tenant, gateways).then(all, () => {});
  });
  gateways.onLabels(all);
  followBackends(tenant, gateways, ofRoute);
}

async function synced({ nodes, ...tenant }: TenantCluster, gateways: TenantGateways): Promise<void> {
  const { signal } = tenant;
  const { classes, gateways: all, routes, grants } = gateways;
  const caches = [nodes, servicesOf({ nodes, ...tenant }), classes, all, routes, grants];
  await Promise.all(caches.map(async (cache) => cache?.whenSynced(signal)));
}

function isAskedAnew(old: Gateway, gateway: Gateway): boolean {
  const asked = ({ metadata, className, spec }: Gateway) => [
    className,
    spec,
    metadata.annotations,
    metadata.deletionTimestamp,
  ];
  return !isDeepStrictEqual(asked(old), asked(gateway));
}

/** The Services that routes send to. */
function followBackends(tenant: TenantCluster, gateways: TenantGateways, ofRoute: (route: HttpRoute) => void): void {
  const changed = (service: Service) => {
    const key = objectKey(service);
    for (const route of gateways.routes?.find(routesByService, key) ?? []) ofRoute(route);
  };
  servicesOf(tenant).addHandler({
    onAdd: changed,
    onUpdate(old, service) {
      const isMoved = !isDeepStrictEqual(old.spec.ports, service.spec.ports);
      if (isMoved || old.spec.externalTrafficPolicy !== service.spec.externalTrafficPolicy) changed(service);
    },
    onDelete: changed,
  });
}
