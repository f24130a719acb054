import { identityOf } from '@fairway/api/identity';
import { clusters } from '@fairway/api/kinds/cluster';
import { machines } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { splitKey } from '@fairway/kube/client/object-key';
import { watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import type { Declaration } from '../dependencies.ts';
import { ApprovalReconciler } from './approval-reconciler.ts';
import { isDecided, requestsOf } from './cached-requests.ts';

export const certificateApprovalController: Declaration = {
  name: 'certificate-approval',
  concurrency: 20,
  rights: [
    { type: clusters, verbs: READ },
    { type: machines, verbs: READ },
  ],
  watches: ({ cache, tenants }) => [
    watch(cache.clusters, (cluster) => pendingRequests(tenants.get(identityOf(cluster))), {
      isRelevant: (old, cluster) => isPaused(old) !== isPaused(cluster),
    }),
  ],
  ownerKey: (key, { tenants }) => tenants.get(splitKey(key).namespace)?.clusterKey,
  create(shared) {
    const reconciler = new ApprovalReconciler(shared);
    return { reconcile: (key, context) => reconciler.reconcile(key, context) };
  },
  listen(enqueue, { tenants }) {
    tenants.onConnect((tenant) => {
      const requests = requestsOf(tenant);
      const enqueueUndecided = (csr: Parameters<typeof isDecided>[0]) => {
        if (!isDecided(csr)) enqueue(`${tenant.clusterUid}/${csr.metadata.name}`);
      };
      requests.addHandler({ onAdd: enqueueUndecided, onUpdate: (_, csr) => enqueueUndecided(csr) });
      // Keys may be listed before the tenant is considered connected, so they are enqueued afterwards.
      void Promise.all([tenant.nodes.whenSynced(), requests.whenSynced()]).then(
        () => requests.list().forEach(enqueueUndecided),
        () => {},
      );
    });
  },
};

/** Keys of pending CSRs. */
function pendingRequests(tenant: TenantCluster | undefined): readonly string[] {
  if (tenant === undefined) return [];
  const requests = requestsOf(tenant).list();
  return requests.filter((csr) => !isDecided(csr)).map(({ metadata }) => `${tenant.clusterUid}/${metadata.name}`);
}
