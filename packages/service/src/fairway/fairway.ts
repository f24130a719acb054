import type { NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import type { OrphanPolicy } from '@fairway/api/domain/orphan-policy';
import type { QuotaDefaults } from '@fairway/api/domain/project-quota';
import { DAY_MS } from '@fairway/api/domain/usage/retention';
import { identityOf } from '@fairway/api/identity';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Tracer } from '@fairway/base/tracing';
import { createCloudProvider } from '@fairway/cloud-provider/start';
import type { NodeSettings } from '@fairway/control-plane/bootstrap/node-settings';
import { cloudResourceLister } from '@fairway/controllers/cloud-resources/lister';
import { CloudInitBootstrapper } from '@fairway/controllers/machine/bootstrapper';
import { createControllers } from '@fairway/controllers/start';
import { upgradePlanner } from '@fairway/controllers/upgrade-preview/planner';
import type { NodeGroupsDependencies } from '@fairway/external-autoscaler/node-groups';
import type { ListCloudResources } from '@fairway/gateway/cloud-resources/cloud-resources-request';
import { ClusterAuditReader } from '@fairway/gateway/cluster-audit/cluster-audit-reader';
import type { PlanUpgrade } from '@fairway/gateway/upgrade-plan/upgrade-plan-request';
import type { KeystoneSettings } from '@fairway/identity/settings';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { KeyOwner } from '@fairway/kube/controller/key-owner';
import { Manager, type Runnable } from '@fairway/kube/controller/manager';
import { ControllerMetrics } from '@fairway/kube/controller/metrics';
import type { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { OpenStackMetrics } from '@fairway/openstack/http/metrics';
import { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import { Registry } from 'prom-client';
import { ClusterAuditMetrics } from '../audit/cluster-audit-metrics.ts';
import { logFor } from '../log-levels.ts';
import type { ControlPlanes } from '../up/control-planes.ts';
import type { Engine, EngineParts, OpenEngine } from './engine.ts';
import { addFairwayMetrics } from './fairway-metrics.ts';
import { keystoneCleanup, openKeystone, usersOfClusters } from './keystone.ts';
import { tenantClouds } from './tenant-clouds.ts';
import { connectTenant } from './tenant-connection.ts';

export interface FairwayOptions<E extends Engine> {
  readonly openEngine: OpenEngine<E>;
  readonly cloudsYaml: CloudsYaml;
  /** The clouds.yaml entry for clusters in the `default` namespace. */
  readonly cloudName: string;
  /** Closed by the creator, after Fairway. */
  readonly controlPlanes: ControlPlanes;
  /** The operator's node image, by ID or name. */
  readonly defaultImage: string | undefined;
  /** The operator's settings for all nodes. */
  readonly nodeSettings?: NodeSettings | undefined;
  /**
   * Distributes the keys among replicas; it starts before the controllers and stops after them. By default, this
   * process has all keys.
   */
  readonly share?: (parts: { readonly client: KubeClient; readonly registry: Registry }) => KeyOwner & Runnable;
  /** User agent, shown in the logs of clouds. */
  readonly userAgent?: string | undefined;
  /** See ProjectCloud. */
  readonly settleMs?: number | undefined;
  /** Interval at which a project's servers are listed while no change is expected; a minute by default. */
  readonly observeMs?: number | undefined;
  /** Interval at which each CloudCredential is verified with Keystone; a minute by default. */
  readonly credentialCheckMs?: number | undefined;
  /** What happens to orphaned cloud resources; by default, they are deleted. */
  readonly orphans?: OrphanPolicy | undefined;
  /** Whether clusters contain their NodePools if their plan allows it; they do by default. */
  readonly allowInCluster?: boolean | undefined;
  /** See TenantCloudsOptions. */
  readonly defaultProject?: string | undefined;
  /** How long usage records outlive their clusters; 400 days by default. */
  readonly usageRetentionDays?: number | undefined;
  /** Limits of projects without a ProjectQuota; unlimited by default. */
  readonly quotaDefaults?: QuotaDefaults | undefined;
  /** See ControllerDependencies. */
  readonly namespaceLimits?: NamespaceLimits | undefined;
  /** Keystone users; none by default. */
  readonly keystone?: KeystoneSettings | undefined;
  /** Whether clusters' own autoscalers are served in this process. */
  readonly servesAutoscalers?: boolean | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Traces reconciles; none are traced by default. */
  readonly tracer?: Tracer | undefined;
  /** Called at each step of startup. */
  readonly onStep?: (step: string) => void;
  /**
   * Called once the engine is open. It can be served before the controllers run, because their first reconciles take a
   * long time.
   */
  readonly onOpen?: (engine: E) => Promise<void>;
}

/** Controllers and cloud provider, running over an engine. */
export interface Fairway<E extends Engine> extends EngineParts {
  readonly engine: E;
  /** Dependencies of an externalgrpc server. */
  readonly nodeGroups: NodeGroupsDependencies;
  /** Stops the controllers, then the engine, then the connections to clouds. */
  close(): Promise<void>;
}

/** Assembles Fairway over any engine; resolves when its controllers run. */
export async function startFairway<E extends Engine>(options: FairwayOptions<E>): Promise<Fairway<E>> {
  const { openEngine, cloudsYaml, cloudName, controlPlanes, clock, random, log, onStep = () => {} } = options;
  await using opening = new AsyncDisposableStack();
  const registry = new Registry();
  const metrics = new OpenStackMetrics(registry);
  const {
    clouds,
    opened,
    close: closeClouds,
  } = tenantClouds({
    cloudsYaml,
    defaultCloud: cloudName,
    defaultProject: options.defaultProject,
    opening: {
      clock,
      random,
      log: logFor(log, 'openstack'),
      metrics,
      settleMs: options.settleMs,
      observeMs: options.observeMs,
      supportsFastPolling: true,
      userAgent: options.userAgent,
    },
    reader: () => engine.reader,
    client: () => engine.client,
  });
  opening.defer(closeClouds);
  addFairwayMetrics(registry, { opened, clock });
  const unenforcedFields = () => controlPlanes.runtime.unenforcedFields();
  const lateDependencies: { planner?: PlanUpgrade; lister?: ListCloudResources } = {};
  const upgradePlans = () => lateDependencies.planner;
  const cloudResources = () => lateDependencies.lister;
  const clusterAudit = new ClusterAuditReader(
    (uid) => controlPlanes.runtime.auditLog(uid),
    new ClusterAuditMetrics(registry),
    clock,
  );
  const keystone =
    options.keystone &&
    openKeystone(
      options.keystone,
      cloudsYaml,
      { clock, random, log: logFor(log, 'gateway'), metrics, userAgent: options.userAgent },
      { reader: () => engine.reader, client: () => engine.client },
    );
  opening.defer(() => keystone?.close());
  const keystoneUsers = usersOfClusters(keystone, controlPlanes.runtime, clock);
  const { quotaDefaults, defaultImage } = options;
  const parts = {
    clouds,
    credentials: () => credentials,
    registry,
    unenforcedFields,
    keystoneProblem: 'problem' in keystoneUsers ? keystoneUsers.problem : undefined,
    quotaDefaults,
    defaultImage,
    upgradePlans,
    cloudResources,
    clusterAudit,
    keystone,
  };
  const engine: E = await openEngine(parts);
  opening.defer(() => engine.close());
  const { client, reader, informers } = engine;
  const credentials = new ClusterCredentials(client, clock);
  await controlPlanes.takeOver?.();
  if (options.share === undefined) {
    // With replicas, only the holder of a cluster's key may stop its control plane.
    const clusterUids = new Set(reader.list(clusters).map(identityOf));
    await controlPlanes.stopDeletedClusters((uid) => clusterUids.has(uid));
  }
  await options.onOpen?.(engine);

  onStep('starting the controllers');
  const connect = (cluster: Cluster) => connectTenant(cluster, credentials, { clock, connect: controlPlanes.connect });
  const tenants = new TenantClusters({
    connect,
    clock,
    random,
    log: logFor(log, 'tenants'),
  });
  opening.defer(() => tenants.close());
  const bootstrapper = new CloudInitBootstrapper({
    credentials,
    tenants,
    plans: { get: (name) => reader.get(plans, '', name) },
    releases: { list: () => reader.list(kubernetesReleases) },
    nodeSettings: options.nodeSettings,
    clock,
  });
  const controllerMetrics = new ControllerMetrics(registry, () => clock.now());
  const owner = options.share?.({ client, registry });
  const manager = new Manager({ log }).add(...(owner ? [owner] : []));
  const { tracer } = options;
  const shared = { clouds, tenants, bootstrapper, owner, clock, random, log, metrics: controllerMetrics, tracer };
  const controllers = createControllers({
    ...shared,
    registry,
    client,
    informers,
    manager,
    runtime: controlPlanes.runtime,
    credentials,
    defaultImage,
    credentialCheckMs: options.credentialCheckMs,
    orphans: options.orphans,
    allowInCluster: options.allowInCluster,
    ...(options.usageRetentionDays !== undefined && { usageRetentionMs: options.usageRetentionDays * DAY_MS }),
    quotaDefaults,
    namespaceLimits: options.namespaceLimits,
    servesAutoscalers: options.servesAutoscalers,
    keystoneUsers,
  });
  manager.add(
    ...createCloudProvider({ ...shared, cache: controllers.cache, clouds: controllers.clouds }),
    ...engine.runnables,
  );
  if (keystone) {
    const { projects } = keystone;
    const keystoneCleanupTask = {
      projects,
      reader: () => reader,
      client: () => client,
      clock,
      log: logFor(log, 'gateway'),
    };
    const controller = { ...(owner && { owner }), random, metrics: controllerMetrics };
    manager.add(keystoneCleanup(keystoneCleanupTask, informers, controller));
  }
  const abort = new AbortController();
  const started = Promise.withResolvers<void>();
  const ended = manager.run(abort.signal, started.resolve);
  ended.catch(started.reject);
  opening.defer(async () => {
    abort.abort();
    await ended.catch((error: unknown) => log.error({ err: error }, 'the controllers exited with an error'));
  });
  await started.promise;
  const { cache } = controllers;
  const { runtime } = controlPlanes;
  const asking = { cache, projects: clouds, clock, log: logFor(log, 'gateway') };
  lateDependencies.planner = upgradePlanner({ ...asking, connect, runtime });
  lateDependencies.lister = cloudResourceLister(asking);
  const running = opening.move();
  return {
    engine,
    ...parts,
    nodeGroups: { client, cache: controllers.cache, clouds: controllers.clouds, clock },
    close: () => running.disposeAsync(),
  };
}
