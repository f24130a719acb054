import { isDeepStrictEqual } from 'node:util';
import type { Ingress } from '@fairway/kube/kinds/generated/types';
import { Ingresses } from '@fairway/kube/kinds/resources';
import { ingressOwner } from '@fairway/tenancy/cloud/ownership';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { followBackends, ROUTED, routedParts } from '../l7/routed-controller.ts';
import { followEnd, followNodes, followServers, loadBalancerWatches } from '../load-balancers/follow-nodes.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import { ingressKey, ownerOfKey } from './ingress-key.ts';
import { IngressLoadBalancerReconciler } from './ingress-load-balancer.ts';
import { IngressReconciler } from './ingress-reconciler.ts';
import {
  candidateIngresses,
  decidingClass,
  ingressClassesOf,
  ingressesByService,
  ingressesOf,
  mayBeServed,
} from './tenant-ingresses.ts';

export const ingressController: Declaration = {
  name: 'ingress',
  ...ROUTED,
  watches: (shared) => loadBalancerWatches(shared, servedKeys),
  ownerKey: (key, { tenants }) => tenants.get(ownerOfKey(key).clusterUid)?.clusterKey,
  create(shared, enqueue) {
    const parts = routedParts(shared, enqueue, {
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
      followIngresses(tenant, enqueue, (key) => attempts.retryNow((item) => item === key));
      followBackends(tenant, (service) => {
        for (const ingress of ingressesOf(tenant).find(ingressesByService, service)) enqueue(keyOf(tenant, ingress));
      });
      followNodes(tenant, () => servedKeys(tenant).forEach(enqueue));
      followEnd(tenant, () => servedKeys(tenant).forEach(enqueue));
    });
    followServers(shared, servedKeys, enqueue);
  },
};

function followIngresses(tenant: TenantCluster, enqueue: (key: string) => void, retryNow: (key: string) => void): void {
  const ingresses = ingressesOf(tenant);
  const follow = (ingress: Ingress) => {
    if (decidingClass(ingress) !== undefined) followClasses(tenant, enqueue);
    enqueue(keyOf(tenant, ingress));
  };
  ingresses.addHandler({
    onAdd(ingress) {
      if (mayBeServed(ingress)) follow(ingress);
    },
    onUpdate(old, ingress) {
      if (!mayBeServed(old) && !mayBeServed(ingress)) return;
      // A changed spec resets the backoff of earlier failures.
      if (userTriggered(old, ingress)) retryNow(keyOf(tenant, ingress));
      follow(ingress);
    },
    onDelete(ingress) {
      if (mayBeServed(ingress)) enqueue(keyOf(tenant, ingress));
    },
  });
  // They may be listed before the tenant counts as connected, and are enqueued only then.
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

const followed = new WeakSet<TenantCluster>();

/** IngressClasses, watched once an Ingress refers to one. */
function followClasses(tenant: TenantCluster, enqueue: (key: string) => void): void {
  if (followed.has(tenant)) return;
  followed.add(tenant);
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
