import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import { adoptingServices } from '@fairway/cloud-provider/standalone/adopted-servers';
import type { CloudConf } from '@fairway/cloud-provider/standalone/cloud-conf/cloud-conf';
import { type ControllerName, selectedControllers } from '@fairway/cloud-provider/standalone/controller-selection';
import { createStandalone } from '@fairway/cloud-provider/standalone/standalone';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import { LeaderLease, type LeaderTimes } from '@fairway/kube/controller/leader-lease';
import { Manager } from '@fairway/kube/controller/manager';
import { ControllerMetrics } from '@fairway/kube/controller/metrics';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { OpenStackMetrics } from '@fairway/openstack/http/metrics';
import { Registry } from 'prom-client';
import { addFairwayMetrics } from '../fairway/fairway-metrics.ts';
import { logFor } from '../log-levels.ts';
import type { ListenAddress } from '../serve/listen-address.ts';
import { listenForMetrics } from '../serve/metrics-listener.ts';
import { replicaIdentity } from '../serve/share.ts';
import { openConfiguredCloud, openProject } from '../up/clouds.ts';

/** Matches the cloud-controller-manager flags of the same names. */
export interface LeaderElection extends LeaderTimes {
  readonly name: string;
  readonly namespace: string;
}

export interface CloudProviderOptions {
  /** Client for the cluster; closed on shutdown. */
  readonly client: KubeClient;
  /** Another connection to the same cluster. */
  readonly connect: () => Transport;
  readonly conf: CloudConf;
  /** Used in names that users see. */
  readonly clusterName: string;
  /**
   * The cluster name used by openstack-cloud-controller-manager, whose load balancers are taken over; if undefined,
   * none are taken over.
   */
  readonly adoptedClusterName?: string | undefined;
  /** The pod CIDR. */
  readonly clusterCIDR: string | undefined;
  readonly controllers: readonly string[];
  /** Undefined if this process is the only instance. */
  readonly leaderElection: LeaderElection | undefined;
  /** Whether providerIDs of nodes contain the region. */
  readonly includesRegion: boolean;
  readonly metricsListen?: ListenAddress | undefined;
  /** See CloudOpening. */
  readonly observeMs?: number | undefined;
  readonly settleMs?: number | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Aborts startup and the wait for the Lease. */
  readonly signal: AbortSignal;
  readonly onStep?: (step: string) => void;
}

export interface RunningCloudProvider {
  readonly clusterUid: string;
  readonly controllers: ReadonlySet<ControllerName>;
  readonly metricsPort: number | undefined;
  /**
   * Resolves if another process has become the leader, which means that this process must exit. Never resolves without
   * leader election.
   */
  readonly lost: Promise<void>;
  /** Stops everything in order; resolves when it has stopped. */
  stop(): Promise<void>;
}

/**
 * Runs only the cloud provider, for one cluster; resolves when its controllers are running. Rejects with the signal's
 * reason.
 */
export async function runCloudProvider(options: CloudProviderOptions): Promise<RunningCloudProvider> {
  const { client, clock, conf, random, log, signal, onStep = () => {} } = options;
  const shared = { clock, random, log };
  const controllers = servedControllers(options);
  await using opening = new AsyncDisposableStack();
  opening.defer(() => client.close());
  const registry = new Registry();
  const metrics = options.metricsListen && (await listenForMetrics(options.metricsListen, registry, clock));
  opening.defer(() => metrics?.close());

  onStep('connecting to the cluster');
  const { metadata } = await client.resource(Namespaces).get('kube-system', { signal });
  const uid = metadata.uid ?? '';
  const identity = replicaIdentity(random);
  const lease = options.leaderElection && leaderLease(options, options.leaderElection, identity);
  if (lease) {
    onStep('waiting to become the leader');
    await lease.acquire(signal);
    opening.defer(() => lease.release());
  }

  onStep(`opening cloud ${conf.cloud.name}`);
  const { requestTimeoutMs: attemptMs } = conf;
  const cloudOpening = {
    ...shared,
    log: logFor(log, 'openstack'),
    metrics: new OpenStackMetrics(registry),
    userAgent: `fairway-cloud-provider (${identity})`,
    observeMs: options.observeMs,
    settleMs: options.settleMs,
    timeouts: attemptMs === undefined ? undefined : { attemptMs, totalMs: attemptMs * ATTEMPTS },
  };
  const cloud = openConfiguredCloud(conf.cloud, cloudOpening);
  opening.defer(() => cloud.close());
  const project = openProject(cloud, cloudOpening, undefined, adoptingServices(uid));
  opening.defer(() => project.cache.stop());
  addFairwayMetrics(registry, { opened: () => [project], clock });
  const standalone = createStandalone({
    cluster: {
      uid,
      name: options.clusterName,
      adoptedClusterName: options.adoptedClusterName,
      podCIDR: options.clusterCIDR,
      ...routeControllers(options, controllers),
    },
    project,
    connect: async () => options.connect(),
    controllers,
    includesRegion: options.includesRegion,
    owner: lease,
    metrics: new ControllerMetrics(registry, () => clock.now()),
    ...shared,
  });
  opening.defer(() => standalone.close());
  onStep('starting the controllers');
  const abort = new AbortController();
  const started = Promise.withResolvers<void>();
  const ended = new Manager({ log }).add(...standalone.runnables).run(abort.signal, started.resolve);
  ended.catch(started.reject);
  opening.defer(async () => {
    abort.abort();
    await ended.catch((error: unknown) => log.error({ err: error }, 'the controllers exited with an error'));
  });
  await started.promise;
  await standalone.connect(signal);
  const running = opening.move();
  return {
    clusterUid: uid,
    controllers,
    metricsPort: metrics?.port,
    lost: lease?.lost ?? new Promise(() => {}),
    stop: () => running.disposeAsync(),
  };
}

/** Timeout per call, within its total timeout. */
const ATTEMPTS = 3;

/** The requested controllers, except those that cloud.conf disables. */
function servedControllers({ controllers, conf }: CloudProviderOptions): ReadonlySet<ControllerName> {
  const selectedNames = selectedControllers(controllers);
  return conf.loadBalancerSettings.isEnabled
    ? selectedNames
    : new Set([...selectedNames].filter((name) => name !== 'service'));
}

/** Routes require the router, and the pod CIDR that distinguishes them from other routes. */
function routeControllers({ clusterCIDR, conf }: CloudProviderOptions, controllers: ReadonlySet<ControllerName>) {
  const needsRoutes = controllers.has('route') && clusterCIDR !== undefined;
  return { routerID: needsRoutes ? conf.routerID : undefined, loadBalancerSettings: conf.loadBalancerSettings };
}

function leaderLease(
  { client, clock, random, log }: CloudProviderOptions,
  { name, namespace, ...times }: LeaderElection,
  identity: string,
): LeaderLease {
  return new LeaderLease({
    client,
    name,
    namespace,
    identity,
    times,
    clock,
    monotonic: () => performance.now(),
    random,
    log: logFor(log, 'replicas'),
  });
}
