import { identityOf } from '@fairway/api/identity';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { keyOf } from '@fairway/kube/client/object-key';
import { indexOn } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { clustersByIdentity } from '@fairway/tenancy/cache-indexes';
import type { ControllerDependencies, Declaration } from '../dependencies.ts';
import { ClusterSweeper } from './cluster-sweeper.ts';

/** How often all roots are compared with the Clusters: what vanishes while Fairway runs is suspected at once. */
const SCAN_MS = 3_600_000;
const SCAN_KEY = 'all';

/** One for both controllers of a process. */
const sweepers = new WeakMap<ControllerDependencies, ClusterSweeper>();

function sweeperOf(shared: ControllerDependencies): ClusterSweeper {
  const sweeper = sweepers.get(shared) ?? new ClusterSweeper(shared);
  sweepers.set(shared, sweeper);
  return sweeper;
}

/** Ends what is left of clusters whose Cluster went without Fairway. */
export const vanishedClusterController: Declaration = {
  name: 'vanished-cluster',
  concurrency: 2,
  rights: [
    { type: clusters, verbs: READ },
    { type: cloudCredentials, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByIdentity)],
  watches: () => [],
  create(shared) {
    const sweeper = sweeperOf(shared);
    return {
      reconcile: (key, context) => sweeper.reconcile(key, context),
      forget: (isMatching) => sweeper.forget(isMatching),
    };
  },
  listen(enqueue, shared) {
    const sweeper = sweeperOf(shared);
    sweeper.onSuspect(enqueue);
    shared.cache.clusters.addHandler({ onDelete: (cluster) => sweeper.suspect(keyOf(cluster), identityOf(cluster)) });
  },
};

/** Looks for clusters that vanished while Fairway was away. Reads alone: whoever has the key of one acts. */
export const vanishedClusterScan: Declaration = {
  name: 'vanished-cluster-scan',
  concurrency: 1,
  rights: [{ type: clusters, verbs: READ }],
  watches: () => [],
  ownerKey: () => undefined,
  create(shared) {
    const sweeper = sweeperOf(shared);
    return {
      async reconcile() {
        await sweeper.scan();
        return { requeueAfterMs: SCAN_MS };
      },
    };
  },
  listen(enqueue) {
    enqueue(SCAN_KEY);
  },
};
