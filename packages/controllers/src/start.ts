import { NO_KEYSTONE } from '@fairway/api/domain/keystone-access';
import { DAY_MS, DEFAULT_RETENTION_DAYS } from '@fairway/api/domain/usage/retention';
import {
  COMPLETE_ROTATION_ANNOTATION,
  PAUSED_ANNOTATION,
  RETRY_ANNOTATION,
  REVOKE_KUBECONFIGS_ANNOTATION,
  ROTATE_CREDENTIALS_ANNOTATION,
} from '@fairway/api/group';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { machines } from '@fairway/api/kinds/machine';
import { nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { usageRecords } from '@fairway/api/kinds/usage-record';
import type { Tracer } from '@fairway/base/tracing';
import { InformerSet } from '@fairway/kube/client/informer-set';
import { Attempts } from '@fairway/kube/controller/attempts';
import { declaredControllers } from '@fairway/kube/controller/declaration';
import { Manager } from '@fairway/kube/controller/manager';
import type { ControllerMetrics } from '@fairway/kube/controller/metrics';
import { EventRecorder } from '@fairway/kube/events/recorder';
import { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import type { Clouds } from '@fairway/tenancy/cloud/project-cloud';
import { classifyError } from '@fairway/tenancy/reconcile/failure';
import { addonController } from './addons/controller.ts';
import { autoscalingController } from './autoscaling/controller.ts';
import { cloudProfileController } from './cloud-profile/controller.ts';
import { clusterController } from './cluster/controller.ts';
import { clusterReleaser } from './cluster-releaser.ts';
import { credentialController } from './credential/controller.ts';
import type { ControllerDependencies, Declaration } from './dependencies.ts';
import { orphanSweepController } from './gc/controller.ts';
import { missingClusterController } from './gc/missing-clusters/controller.ts';
import { healingController } from './healing/controller.ts';
import { inClusterPoolsController } from './in-cluster-pools/controller.ts';
import { machineController } from './machine/controller.ts';
import { addFleetMetrics } from './metrics/fleet-metrics.ts';
import { namespaceLimitsController } from './namespace-limits/controller.ts';
import { nodePoolController } from './node-pool/controller.ts';
import { nodeTemplateController } from './node-template/controller.ts';
import { planController, releaseController } from './offer/controller.ts';
import { projectQuotaController } from './project-quota/controller.ts';
import { securityGroupsController } from './security-groups/controller.ts';
import { serverLabelsController } from './server-labels/controller.ts';
import { upgradeController } from './upgrade/controller.ts';
import { usageController } from './usage/controller.ts';

/** Fairway's controllers, in the order in which they start. */
export const CONTROLLERS: readonly Declaration[] = [
  planController,
  releaseController,
  clusterController,
  nodePoolController,
  machineController,
  upgradeController,
  nodeTemplateController,
  serverLabelsController,
  securityGroupsController,
  healingController,
  autoscalingController,
  addonController,
  inClusterPoolsController,
  orphanSweepController,
  missingClusterController,
  credentialController,
  cloudProfileController,
  usageController,
  projectQuotaController,
  namespaceLimitsController,
];

/** Annotations by which users request a retry. */
const CREDENTIAL_REQUESTS = [
  REVOKE_KUBECONFIGS_ANNOTATION,
  ROTATE_CREDENTIALS_ANNOTATION,
  COMPLETE_ROTATION_ANNOTATION,
];
const REQUEST_ANNOTATIONS = [RETRY_ANNOTATION, PAUSED_ANNOTATION, ...CREDENTIAL_REQUESTS];

/** Dependencies that are created here, or are optional. */
type CreatedDependency = 'attempts' | 'cache' | 'clouds' | 'projects' | 'events' | 'informers' | 'owner';
type OptionalDependency =
  | 'registry'
  | 'missingGraceMs'
  | 'orphans'
  | 'defaultImage'
  | 'credentialCheckMs'
  | 'serverBackoffMs'
  | 'servesAutoscalers'
  | 'allowInCluster'
  | 'keystoneUsers'
  | 'usageRetentionMs'
  | 'quotaDefaults'
  | 'namespaceLimits'
  | 'informers'
  | 'owner';

export interface ControllersOptions
  extends Omit<ControllerDependencies, CreatedDependency | OptionalDependency>,
    Partial<Pick<ControllerDependencies, OptionalDependency>> {
  readonly clouds: Clouds;
  readonly metrics?: ControllerMetrics | undefined;
  readonly tracer?: Tracer | undefined;
  /** The manager to add the controllers to; a new one by default. */
  readonly manager?: Manager;
}

export interface Controllers {
  readonly informers: InformerSet;
  /** For other users of the same objects, such as the cloud provider, the external autoscaler server and the upgrade planner. */
  readonly cache: Pick<ControllerDependencies['cache'], 'clusters' | 'nodePools' | 'machines' | 'plans' | 'releases'>;
  /** The projects of the clusters. */
  readonly clouds: ClusterClouds;
  /** Add components to it, then run it. */
  readonly manager: Manager;
}

/**
 * Creates the controllers and their shared dependencies. The caller starts and stops the informers that it passes in.
 */
export function createControllers(options: ControllersOptions): Controllers {
  const { client, clock, random, owner } = options;
  // A controller's log lines include its name.
  const log = options.log.child({ component: 'controllers' });
  const manager = options.manager ?? new Manager({ log });
  const informers = options.informers ?? new InformerSet(client, { clock, random, log });
  if (options.informers === undefined) manager.addInformers(informers);
  const cache = {
    clusters: informers.informer(clusters),
    nodePools: informers.informer(nodePools),
    machines: informers.informer(machines),
    credentials: informers.informer(cloudCredentials),
    plans: informers.informer(plans),
    releases: informers.informer(kubernetesReleases),
  };
  const clouds = new ClusterClouds({ clouds: options.clouds, clusters: cache.clusters, owner });
  const shared: ControllerDependencies = {
    ...options,
    log,
    informers,
    cache,
    clouds,
    projects: options.clouds,
    attempts: new Attempts({ clock, random, log, classify: classifyError }),
    events: new EventRecorder(client, { component: 'fairway', clock, random, log }),
    defaultImage: options.defaultImage,
    credentialCheckMs: options.credentialCheckMs,
    registry: options.registry,
    missingGraceMs: options.missingGraceMs,
    orphans: options.orphans,
    servesAutoscalers: options.servesAutoscalers,
    allowInCluster: options.allowInCluster,
    keystoneUsers: options.keystoneUsers ?? { problem: NO_KEYSTONE },
    quotaDefaults: options.quotaDefaults,
    namespaceLimits: options.namespaceLimits,
    usageRetentionMs: options.usageRetentionMs ?? DEFAULT_RETENTION_DAYS * DAY_MS,
    serverBackoffMs: options.serverBackoffMs ?? { base: 10_000, max: 300_000 },
    owner,
  };
  const { registry, runtime } = options;
  if (registry !== undefined)
    addFleetMetrics({ registry, cache, usage: informers.informer(usageRecords), runtime, owner, clock });
  manager.add(...declaredControllers(CONTROLLERS, shared, { ...options, requestAnnotations: REQUEST_ANNOTATIONS }));
  owner?.register(clusterReleaser(shared));
  return { informers, cache, clouds, manager };
}
