import { clusters } from '@fairway/api/kinds/cluster';
import { READ } from '@fairway/kube/controller/rights';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { ClassReconciler } from './class-reconciler.ts';
import { GatewayClasses } from './kinds.ts';
import { TenantGateways } from './tenant-gateways.ts';

/** Accepts GatewayClasses in tenants' clusters whose controller is Fairway. */
export const gatewayClassController: Declaration = {
  name: 'gateway-class',
  concurrency: 4,
  rights: [{ type: clusters, verbs: READ }],
  watches: () => [],
  ownerKey: (key, { tenants }) => tenants.get(clusterOfKey(key))?.clusterKey,
  create(shared) {
    const reconciler = new ClassReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
  listen(enqueue, shared) {
    shared.tenants.onConnect((tenant) => {
      const gateways = TenantGateways.of(tenant, shared);
      const all = () => {
        for (const { metadata } of gateways.classes?.list() ?? []) enqueue(keyOf(tenant, metadata.name));
      };
      gateways.kinds.onServed((type) => {
        if (type !== GatewayClasses) return;
        gateways.classes?.addHandler({
          onAdd: ({ metadata }) => enqueue(keyOf(tenant, metadata.name)),
          onUpdate: (_old, { metadata }) => enqueue(keyOf(tenant, metadata.name)),
        });
        // Classes may be listed before the tenant is considered connected.
        void tenant.nodes.whenSynced(tenant.signal).then(all, () => {});
      });
    });
  },
};

function keyOf({ clusterUid }: TenantCluster, name = ''): string {
  return `${clusterUid}/${name}`;
}

function clusterOfKey(key: string): string {
  return key.slice(0, key.indexOf('/'));
}
