import { isDeepStrictEqual } from 'node:util';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { keyOf as objectKey } from '@fairway/kube/client/object-key';
import { indexOn } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { Ingress, Service } from '@fairway/kube/kinds/generated/types';
import { Ingresses } from '@fairway/kube/kinds/resources';
import { clustersByIdentity, machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { ingressOwner } from '@fairway/tenancy/cloud/ownership';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { PolicyLists } from '../l7/policy-lists.ts';
import { BalancerCure } from '../load-balancers/balancer-cure.ts';
import { BalancerEvents } from '../load-balancers/balancer-events.ts';
import { BalancingWatch } from '../load-balancers/balancing-watch.ts';
import { balancingWatches, followNodes, followServers } from '../load-balancers/follow-nodes.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import { TreeMemory } from '../load-balancers/tree-memory.ts';
import { TenantSecrets } from '../tls/tenant-secrets.ts';
import { IngressCertificates } from './ingress-certificates.ts';
import { IngressKeeper } from './ingress-keeper.ts';
import { ingressKey, ownerOfKey } from './ingress-key.ts';
import { IngressReconciler } from './ingress-reconciler.ts';
import {
  candidateIngresses,
  decidingClass,
  ingressClassesOf,
  ingressesByService,
  ingressesOf,
  mayBeServed,
} from './tenant-ingresses.ts';

/** Under which `kubectl describe` shows events. */
const COMPONENT = 'octavia-ingress-controller';

export const ingressController: Declaration = {
  name: 'ingress',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByIdentity), indexOn(cache.machines, machinesByCluster)],
  watches: (shared) => balancingWatches(shared, servedKeys),
  ownerKey: (key, { tenants }) => tenants.get(ownerOfKey(key).clusterUid)?.clusterKey,
  create(shared, enqueue) {
    const balancing = new BalancingWatch(enqueue, (loadBalancer) => {
      // Whose it really is shows when its project is known.
      const owner = ingressOwner(loadBalancer, loadBalancer.project_id);
      return owner ? [ingressKey(owner)] : [];
    });
    const memory = new TreeMemory();
    const events = new BalancerEvents(shared, { component: COMPONENT, kind: Ingresses });
    const { attempts } = shared;
    const secrets = new TenantSecrets({
      ...shared,
      changed(key) {
        // Whoever changes a Secret does not wait for what failed before.
        attempts.retryNow((item) => item === key);
        enqueue(key);
      },
    });
    const dependencies = {
      ...shared,
      watch: balancing,
      memory,
      policies: new PolicyLists(memory),
      cure: new BalancerCure(attempts, memory),
      events,
      certificates: new IngressCertificates({ secrets, events }),
    };
    const keeper = new IngressKeeper(dependencies);
    const reconciler = new IngressReconciler({ ...dependencies, keeper });
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  listen(enqueue, shared) {
    const { attempts, tenants } = shared;
    tenants.onConnect((tenant) => {
      followIngresses(tenant, enqueue, (key) => attempts.retryNow((item) => item === key));
      followBackends(tenant, enqueue);
      followNodes(tenant, () => servedKeys(tenant).forEach(enqueue));
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
      // Whoever changes what is asked for does not wait for what failed before.
      if (isAskedAnew(old, ingress)) retryNow(keyOf(tenant, ingress));
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

function isAskedAnew(old: Ingress, ingress: Ingress): boolean {
  return (
    !isDeepStrictEqual(old.spec, ingress.spec) ||
    !isDeepStrictEqual(old.metadata.annotations, ingress.metadata.annotations) ||
    old.metadata.deletionTimestamp !== ingress.metadata.deletionTimestamp
  );
}

const followed = new WeakSet<TenantCluster>();

/** Classes, from the first Ingress on that names one. */
function followClasses(tenant: TenantCluster, enqueue: (key: string) => void): void {
  if (followed.has(tenant)) return;
  followed.add(tenant);
  const classes = ingressClassesOf(tenant);
  const changed = () => servedKeys(tenant).forEach(enqueue);
  classes.addHandler({ onAdd: changed, onUpdate: changed, onDelete: changed });
  void classes.whenSynced().then(changed, () => {});
}

/** The Services that Ingresses send to. */
function followBackends(tenant: TenantCluster, enqueue: (key: string) => void): void {
  const changed = (service: Service) => {
    for (const ingress of ingressesOf(tenant).find(ingressesByService, objectKey(service)))
      enqueue(keyOf(tenant, ingress));
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

function keyOf({ clusterUid }: TenantCluster, { metadata }: Ingress): string {
  return ingressKey({ clusterUid, ingressUid: metadata.uid ?? '' });
}

/** Keys of a connected cluster's Ingresses that have a load balancer, or may get one. */
function servedKeys(tenant: TenantCluster | undefined): readonly string[] {
  if (tenant === undefined) return [];
  return ingressesOf(tenant)
    .find(candidateIngresses, 'yes')
    .map((ingress) => keyOf(tenant, ingress));
}
