import { isDeepStrictEqual } from 'node:util';
import { planProblems, releaseProblems } from '@fairway/api/domain/offer-problems';
import { CLUSTER_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import { cloudCredentials } from '@fairway/api/kinds/cloud-credential';
import { type Cluster, clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { plans } from '@fairway/api/kinds/plan';
import { isPaused } from '@fairway/api/pause';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ControlPlaneRuntime } from '@fairway/control-plane/runtime';
import type { Informer } from '@fairway/kube/client/informer';
import { InformerSet } from '@fairway/kube/client/informer-set';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { keyOf } from '@fairway/kube/client/object-key';
import { Controller } from '@fairway/kube/controller/controller';
import type { KeyOwner } from '@fairway/kube/controller/key-owner';
import { Manager } from '@fairway/kube/controller/manager';
import type { ControllerMetrics } from '@fairway/kube/controller/metrics';
import { EventRecorder } from '@fairway/kube/events/recorder';
import { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import { serverOwner } from '@fairway/tenancy/cloud/ownership';
import type { WatchedClouds } from '@fairway/tenancy/cloud/project-cloud';
import { clusterKeyOf } from '@fairway/tenancy/cluster-key';
import type { TenantClusters } from '@fairway/tenancy/connection/tenant-clusters';
import type { ClusterCredentials } from '@fairway/tenancy/credentials/credentials';
import type { NodeBootstrapper } from '@fairway/tenancy/node-bootstrapper';
import { FailureBackoff } from './backoff.ts';
import { CacheExpectations } from './cache-expectations.ts';
import { ClusterReconciler } from './cluster/reconciler.ts';
import { credentialKeyOf, readiness, retryMended } from './credential/mended.ts';
import { CredentialReconciler } from './credential/reconciler.ts';
import { clusterReleaser } from './let-go.ts';
import { MachineReconciler } from './machine/reconciler.ts';
import { NodePoolReconciler } from './node-pool/reconciler.ts';
import { NodeTemplateReconciler } from './node-template/reconciler.ts';
import { offerReconciler } from './offer/reconciler.ts';
import { ServerSweeper } from './orphans/server-sweeper.ts';

export interface ControllersOptions {
  /** Fairway's own API, as its controllers. */
  readonly client: KubeClient;
  readonly clouds: WatchedClouds;
  readonly runtime: ControlPlaneRuntime;
  readonly credentials: ClusterCredentials;
  readonly tenants: TenantClusters;
  readonly bootstrapper: NodeBootstrapper;
  readonly defaultImage?: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly metrics?: ControllerMetrics | undefined;
  /** Which keys are this process's; all of them unless given. */
  readonly owner?: KeyOwner | undefined;
  /** Caches that others share, and that whoever gives them starts and stops; the manager has its own unless given. */
  readonly informers?: InformerSet;
  /** Where the controllers are added, after what is in it; a new one unless given. */
  readonly manager?: Manager;
  /** How often Keystone is asked about each CloudCredential; a minute unless given. */
  readonly credentialCheckMs?: number | undefined;
  /** The first and the longest pause after a server that failed. */
  readonly serverBackoffMs?: { readonly base: number; readonly max: number };
}

export interface Controllers {
  readonly informers: InformerSet;
  /** For what runs beside them and looks at the same objects, such as the cloud provider. */
  readonly cache: { readonly clusters: Informer<Cluster>; readonly machines: Informer<Machine> };
  /** The projects of clusters, as these controllers have them. */
  readonly clouds: ClusterClouds;
  /** Add to it, then run it. */
  readonly manager: Manager;
}

/** Machines at work at a time: a create waits for the cloud, so that a pool's servers are asked for side by side. */
const MACHINE_CONCURRENCY = 50;
const POOL_CONCURRENCY = 20;
const CLUSTER_CONCURRENCY = 20;
const CREDENTIAL_CONCURRENCY = 10;
/** A create or an upgrade is a burst of calls that fail for a moment; nothing is gained by waiting long. */
const MAX_BACKOFF_MS = 60_000;

/** Wires Fairway's reconcilers to what they watch. */
export function createControllers(options: ControllersOptions): Controllers {
  const { client, tenants, clock, random, log, metrics, owner, runtime, credentials } = options;
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
  const events = new EventRecorder(client, { component: 'fairway', clock, random, log });
  const { base, max } = options.serverBackoffMs ?? { base: 10_000, max: 600_000 };
  const clouds = new ClusterClouds(options.clouds, owner);
  const expectations = new CacheExpectations();
  const shared = {
    ...options,
    clouds,
    cache,
    events,
    expectations,
    defaultImage: options.defaultImage,
  };
  const clusterReconciler = new ClusterReconciler({ ...shared, backoff: new FailureBackoff(1_000, MAX_BACKOFF_MS) });
  const poolReconciler = new NodePoolReconciler({ ...shared, backoff: new FailureBackoff(1_000, MAX_BACKOFF_MS) });
  const machineReconciler = new MachineReconciler({ ...shared, backoff: new FailureBackoff(base, max) });
  const serverSweeper = new ServerSweeper(shared);
  const credentialReconciler = new CredentialReconciler({ ...shared, clouds: options.clouds });
  const templateReconciler = new NodeTemplateReconciler(shared);

  const common = {
    clock,
    random,
    log,
    metrics,
    backoff: { baseMs: 50, maxMs: MAX_BACKOFF_MS },
    ...(owner && { owner }),
  };
  const clusterController = new Controller({
    ...common,
    name: 'cluster',
    concurrency: CLUSTER_CONCURRENCY,
    reconcile: (key) => clusterReconciler.reconcile(key),
  });
  const poolController = new Controller({
    ...common,
    name: 'node-pool',
    concurrency: POOL_CONCURRENCY,
    ownerKey: (key) => ownerKey(cache.nodePools.get(key)),
    reconcile: (key) => poolReconciler.reconcile(key),
  });
  const machineController = new Controller({
    ...common,
    name: 'machine',
    concurrency: MACHINE_CONCURRENCY,
    ownerKey: (key) => ownerKey(cache.machines.get(key)),
    reconcile: (key, context) => machineReconciler.reconcile(key, context),
  });
  const templateController = new Controller({
    ...common,
    name: 'node-template',
    concurrency: POOL_CONCURRENCY,
    ownerKey: (key) => ownerKey(cache.machines.get(key)),
    reconcile: (key) => templateReconciler.reconcile(key),
  });

  const sweepController = new Controller({
    ...common,
    name: 'server-sweeper',
    reconcile: (key) => serverSweeper.reconcile(key),
  });
  const credentialController = new Controller({
    ...common,
    name: 'cloud-credential',
    concurrency: CREDENTIAL_CONCURRENCY,
    reconcile: (key) => credentialReconciler.reconcile(key),
  });

  const machinesOfCluster = (cluster: Cluster) =>
    cache.machines.list().filter((machine) => machine.metadata.labels?.[CLUSTER_UID_LABEL] === identityOf(cluster));
  clusterController
    .watch(cache.clusters)
    .watch(cache.nodePools, (pool) => [clusterKeyOf(pool)])
    .watch(cache.machines, (machine) => [clusterKeyOf(machine)], { isRelevant: () => false })
    .watch(
      cache.credentials,
      (credential) =>
        cache.clusters
          .list()
          .filter((cluster) => credentialKeyOf(cluster) === keyOf(credential))
          .map(keyOf),
      { isRelevant: (old, credential) => readiness(old) !== readiness(credential) },
    )
    .watch(cache.plans, (plan) =>
      cache.clusters
        .list()
        .filter(({ spec }) => spec.plan === plan.metadata.name)
        .map(keyOf),
    )
    .watch(cache.releases, () => cache.clusters.list().map(keyOf));
  poolController
    .watch(cache.nodePools)
    .watch(cache.machines, (machine) => [`${machine.metadata.namespace}/${machine.spec.nodePoolName}`])
    .watch(
      cache.clusters,
      (cluster) =>
        cache.nodePools
          .list()
          .filter((pool) => clusterKeyOf(pool) === keyOf(cluster))
          .map(keyOf),
      {
        isRelevant: isClusterRelevant,
      },
    );
  machineController
    .watch(cache.machines)
    .watch(cache.clusters, (cluster) => machinesOfCluster(cluster).map(keyOf), { isRelevant: isClusterRelevant });
  credentialController
    .watch(cache.credentials, undefined, {
      isRelevant: (old, { metadata }) =>
        old.metadata.generation !== metadata.generation ||
        old.metadata.deletionTimestamp !== metadata.deletionTimestamp ||
        isPaused(old) !== isPaused({ metadata }),
    })
    // One that waits for its clusters to go hears of it.
    .watch(cache.clusters, (cluster) => [credentialKeyOf(cluster)].filter((key) => key !== undefined), {
      isRelevant: (old, cluster) => credentialKeyOf(old) !== credentialKeyOf(cluster),
    });
  templateController
    .watch(cache.nodePools, (pool) => machinesOfPool(cache.machines, pool).map(keyOf), {
      isRelevant: (old, pool) => old.metadata.generation !== pool.metadata.generation,
    })
    .watch(cache.clusters, (cluster) => machinesOfCluster(cluster).map(keyOf), { isRelevant: isPauseChanged })
    // A record that was written on an older one is looked at again.
    .watch(cache.machines, undefined, {
      isRelevant: (old, { status }) => !isDeepStrictEqual(old.status?.appliedTemplate, status?.appliedTemplate),
    });
  sweepController.watch(cache.clusters, undefined, { isRelevant: isPauseChanged });

  tenants.onConnect(({ clusterKey, nodes }) => {
    const namespace = clusterKey.slice(0, clusterKey.indexOf('/'));
    const enqueue = ({ metadata }: { metadata: { name?: string } }) => {
      const key = `${namespace}/${metadata.name}`;
      if (cache.machines.get(key) === undefined) return;
      machineController.enqueue(key);
      templateController.enqueue(key);
    };
    nodes.addHandler({ onAdd: enqueue, onUpdate: (_, node) => enqueue(node), onDelete: enqueue });
    // What was listed before the tenant counted as connected is looked at now, and so is what waits for the connection alone.
    void nodes.whenSynced().then(
      () => {
        clusterController.enqueue(clusterKey);
        const own = cache.machines.list().filter((machine) => clusterKeyOf(machine) === clusterKey);
        own.forEach(enqueue);
      },
      () => {},
    );
  });
  clouds.onProject((cloud) =>
    cloud.cache.servers.subscribe(({ added, changed, removed, isStale }) => {
      if (isStale && cloud.credentialKey !== undefined) credentialController.enqueue(cloud.credentialKey);
      const uids = new Set([...added, ...changed, ...removed].map((server) => serverOwner(server)?.machineUid));
      const touched = cache.machines.list().filter((machine) => uids.has(identityOf(machine)));
      for (const machine of touched) machineController.enqueue(keyOf(machine));
      const clusterUids = new Set(added.map((server) => serverOwner(server)?.clusterUid));
      const grown = cache.clusters.list().filter((cluster) => clusterUids.has(identityOf(cluster)));
      for (const cluster of grown) sweepController.enqueue(keyOf(cluster));
    }),
  );
  retryMended({ cache, clouds, owner });
  // A server that no list had shown while its machine was being deleted.
  cache.machines.addHandler({ onDelete: (machine) => sweepController.enqueue(clusterKeyOf(machine)) });
  runtime.onChange((clusterUid: string) => {
    const cluster = cache.clusters.list().find((each) => identityOf(each) === clusterUid);
    if (cluster) clusterController.enqueue(keyOf(cluster));
  });

  const offer = { ...common, concurrency: 1 };
  const planController = new Controller({
    ...offer,
    name: 'plan',
    reconcile: offerReconciler(cache.plans, planProblems, clock),
  });
  const releaseController = new Controller({
    ...offer,
    name: 'kubernetes-release',
    reconcile: offerReconciler(cache.releases, releaseProblems, clock),
  });
  planController.watch(cache.plans);
  releaseController.watch(cache.releases);

  manager
    .add(planController, releaseController)
    .add(clusterController, poolController, machineController, templateController, sweepController)
    .add(credentialController);
  const forget = (clusterUid: string) => clusterReconciler.forget(clusterUid);
  owner?.register(clusterReleaser({ cache, clouds, tenants, credentials, runtime, expectations, forget }));
  return { informers, cache, clouds, manager };
}

function ownerKey(object: NodePool | Machine | undefined): string | undefined {
  return object && clusterKeyOf(object);
}

function machinesOfPool(informer: Informer<Machine>, pool: NodePool): readonly Machine[] {
  return informer
    .list()
    .filter(
      ({ metadata, spec }) =>
        metadata.namespace === pool.metadata.namespace && spec.nodePoolName === pool.metadata.name,
    );
}

function isPauseChanged(old: Cluster, cluster: Cluster): boolean {
  return isPaused(old) !== isPaused(cluster);
}

/** What pools and machines look at of their cluster: not its counts, which follow from them. */
function isClusterRelevant(old: Cluster, cluster: Cluster): boolean {
  const view = ({ metadata, status, spec }: Cluster) =>
    JSON.stringify([
      metadata.deletionTimestamp,
      isPaused({ metadata }),
      spec.image,
      status?.version,
      status?.network,
      status?.endpoint,
      status?.conditions
        ?.filter(({ type }) => type === 'NetworkReady' || type === 'ControlPlaneReady')
        .map((c) => c.status),
    ]);
  return view(old) !== view(cluster);
}
