import { ConditionType } from '@fairway/api/conditions';
import { ADOPT_ADDONS_ANNOTATION, RETRY_ANNOTATION } from '@fairway/api/group';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import { inClusterLimits } from '@fairway/api/limits/in-cluster';
import { isPaused } from '@fairway/api/pause';
import { keyOf } from '@fairway/kube/client/object-key';
import { isConditionTrue } from '@fairway/kube/controller/conditions';
import { indexOn, watch } from '@fairway/kube/controller/declaration';
import { READ } from '@fairway/kube/controller/rights';
import { clustersByPlan, clustersByRelease } from '@fairway/tenancy/cache-indexes';
import type { Declaration } from '../dependencies.ts';
import { hasChangedIn } from '../has-changed-in.ts';
import { listenToConnections } from '../node-events.ts';
import { AddonReconciler } from './reconciler.ts';

export const addonController: Declaration = {
  name: 'addons',
  concurrency: 10,
  rights: [
    { type: clusters, verbs: READ },
    { type: clusters, subresource: 'status', verbs: ['patch'] },
    { type: kubernetesReleases, verbs: READ },
    { type: plans, verbs: READ },
  ],
  indexes: ({ cache }) => [indexOn(cache.clusters, clustersByPlan), indexOn(cache.clusters, clustersByRelease)],
  watches: ({ cache }) => [
    watch(cache.clusters, undefined, { isRelevant: hasChangedIn(viewOf) }),
    watch(cache.plans, ({ metadata }) => cache.clusters.find(clustersByPlan, metadata.name ?? '').map(keyOf), {
      isRelevant: hasChangedIn(({ spec }) => [inClusterLimits(spec), spec.limitPolicies]),
    }),
    watch(cache.releases, ({ spec }) => cache.clusters.find(clustersByRelease, spec.minor).map(keyOf), {
      isRelevant: hasChangedIn(({ spec }) => [
        spec.components,
        spec.patches.map(({ version, components }) => [version, components]),
      ]),
    }),
  ],
  create(shared, enqueue) {
    const reconciler = new AddonReconciler(shared, enqueue);
    return {
      reconcile: (key, context) => reconciler.reconcile(key, context),
      forget: (isMatching) => reconciler.forget(isMatching),
    };
  },
  /** Reconciles a cluster when a connection to it is opened or reopened. */
  listen(enqueue, { tenants }) {
    listenToConnections(tenants, enqueue);
  },
};

/** The parts of a Cluster that its add-ons depend on. */
function viewOf({ metadata, spec, status }: Cluster): unknown {
  return [
    metadata.deletionTimestamp,
    metadata.annotations?.[RETRY_ANNOTATION],
    metadata.annotations?.[ADOPT_ADDONS_ANNOTATION],
    isPaused({ metadata }),
    spec.plan,
    spec.credentialName,
    spec.kubeProxy,
    status?.version,
    status?.url,
    status?.podCIDR,
    status?.serviceCIDR,
    status?.kubeProxyMode,
    status?.cni,
    status?.cniInstaller,
    status?.limitPolicies?.mode,
    status?.nodes?.oldestVersion,
    status?.nodes?.desired,
    status?.hibernation?.wanted,
    isConditionTrue(status?.conditions, ConditionType.ControlPlaneReady),
  ];
}
