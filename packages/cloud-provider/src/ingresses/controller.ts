import { isDeepStrictEqual } from 'node:util';
import type { Ingress } from '@fairway/kube/kinds/generated/types';
import { Ingresses } from '@fairway/kube/kinds/resources';
import { ingressOwner } from '@fairway/tenancy/cloud/ownership';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { ROUTED_CONTROLLER, routedComponents, watchBackends } from '../l7/routed-controller.ts';
import { loadBalancerWatches, onTenantEnd, watchNodes, watchServers } from '../load-balancers/node-handlers.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import { ingressKey, ownerOfKey } from './ingress-key.ts';
import { IngressLoadBalancerReconciler } from './ingress-load-balancer.ts';
import { IngressReconciler } from './ingress-reconciler.ts';
import {
  candidateIngresses,
  effectiveClass,
  ingressClassesOf,
  ingressesByService,
  ingressesOf,
  mayBeServed,
} from './tenant-ingresses.ts';

export const ingressController: Declaration = {
  name: 'ingress',
  ...ROUTED_CONTROLLER,
  watches: (shared) => loadBalancerWatches(shared, servedKeys),
  ownerKey: (key, { tenants }) => tenants.get(ownerOfKey(key).clusterUid)?.clusterKey,
  create(shared, enqueue) {
    const parts = routedComponents(shared, enqueue, {
      kind: Ingresses,
      plural: 'Ingresses',
      component: 'octavia-ingress-controller',
      keysOf(loadBalancer) {
        const owner = ingressOwner(loadBalancer, loadBalancer.project_id);
        return owner ? [ingressKey(owner)] : [];
      },
    });
    const loadBalancers = new IngressLoadBalancerReconciler(parts);
    const reconciler = new IngressReconciler({ ...parts, loadBalancers });
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  listen(enqueue, shared) {
    const { attempts, tenants } = shared;
    tenants.onConnect((tenant) => {
      watchIngresses(tenant, enqueue, (key) => attempts.retryNow((item) => item === key));
      watchBackends(tenant, (service) => {
        for (const ingress of ingressesOf(tenant).find(ingressesByService, service)) enqueue(keyOf(tenant, ingress));
      });
      watchNodes(tenant, () => servedKeys(tenant).forEach(enqueue));
      onTenantEnd(tenant, () => servedKeys(tenant).forEach(enqueue));
    });
    watchServers(shared, servedKeys, enqueue);
  },
};

function watchIngresses(tenant: TenantCluster, enqueue: (key: string) => void, retryNow: (key: string) => void): void {
  const ingresses = ingressesOf(tenant);
  const onIngress = (ingress: Ingress) => {
    if (effectiveClass(ingress) !== undefined) watchClasses(tenant, enqueue);
    enqueue(keyOf(tenant, ingress));
  };
  ingresses.addHandler({
    onAdd(ingress) {
      if (mayBeServed(ingress)) onIngress(ingress);
    },
    onUpdate(old, ingress) {
      if (!mayBeServed(old) && !mayBeServed(ingress)) return;
      // A changed spec resets the backoff from earlier failures.
      if (userTriggered(old, ingress)) retryNow(keyOf(tenant, ingress));
      onIngress(ingress);
    },
    onDelete(ingress) {
      if (mayBeServed(ingress)) enqueue(keyOf(tenant, ingress));
    },
  });
  // Ingresses may be listed before the tenant is considered connected, so they are enqueued afterwards.
  void Promise.all([tenant.nodes.whenSynced(), servicesOf(tenant).whenSynced(), ingresses.whenSynced()]).then(
    () => servedKeys(tenant).forEach(enqueue),
    () => {},
  );
}

function userTriggered(old: Ingress, ingress: Ingress): boolean {
  return (
    !isDeepStrictEqual(old.spec, ingress.spec) ||
    !isDeepStrictEqual(old.metadata.annotations, ingress.metadata.annotations) ||
    old.metadata.deletionTimestamp !== ingress.metadata.deletionTimestamp
  );
}

const syncedTenants = new WeakSet<TenantCluster>();

/** IngressClasses, watched once an Ingress refers to one. */
function watchClasses(tenant: TenantCluster, enqueue: (key: string) => void): void {
  if (syncedTenants.has(tenant)) return;
  syncedTenants.add(tenant);
  const classes = ingressClassesOf(tenant);
  const changed = () => servedKeys(tenant).forEach(enqueue);
  classes.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
  void classes.whenSynced().then(changed, () => {});
}

function keyOf({ clusterUid }: TenantCluster, { metadata }: Ingress): string {
  return ingressKey({ clusterUid, ingressUid: metadata.uid ?? '' });
}

/** Keys of a connected cluster's Ingresses that have or may need a load balancer. */
function servedKeys(tenant: TenantCluster | undefined): readonly string[] {
  if (tenant === undefined) return [];
  return ingressesOf(tenant)
    .find(candidateIngresses, 'yes')
    .map((ingress) => keyOf(tenant, ingress));
}
