import { DEFAULT_NAMESPACE_LIMITS, type NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import type { OrphanPolicy } from '@fairway/api/domain/orphan-policy';
import type { QuotaDefaults } from '@fairway/api/domain/project-quota';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { TraceExchange } from '@fairway/base/tracing';
import type { NodeSettings } from '@fairway/control-plane/bootstrap/node-settings';
import type { AnnounceWrite } from '@fairway/gateway/management/announced-write';
import type { ManagementGateway } from '@fairway/gateway/management/management-gateway';
import type { KeystoneSettings } from '@fairway/identity/settings';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { ShardMember } from '@fairway/kube/controller/sharding';
import { isApiError } from '@fairway/kube/object/api-error';
import { CATALOG_TYPE } from '@fairway/magnum/http/microversion';
import { type AuditSettings, DEFAULT_AUDIT } from '../audit/audit-settings.ts';
import type { Engine } from '../fairway/engine.ts';
import { type Fairway, startFairway } from '../fairway/fairway.ts';
import { openManagementEngine } from '../fairway/management-engine.ts';
import { definitions } from '../install/definitions.ts';
import { foreignDefinitions } from '../install/foreign-definitions.ts';
import { logFor } from '../log-levels.ts';
import type { MagnumEndpoint } from '../magnum/serve-magnum.ts';
import type { MetricsPushSettings } from '../otlp/metrics-settings.ts';
import { pushMetricsIfConfigured } from '../otlp/push-metrics-if-configured.ts';
import { openTracingIfConfigured } from '../tracing/open-tracing-if-configured.ts';
import type { TracingSettings } from '../tracing/tracing-settings.ts';
import { readCloudsYaml } from '../up/clouds.ts';
import type { ControlPlanes, ControlPlanesOptions } from '../up/control-planes.ts';
import { secretsEncryption } from '../up/encryption.ts';
import { type Home, identifyProcess, lockHome, shareHome } from '../up/home.ts';
import { startSimulatedCloud } from '../up/simulated-cloud.ts';
import { beginStart } from '../up/start-attempt.ts';
import { claimControlPlanes } from './control-plane-location.ts';
import { type GatewayEndpoint, openGateway } from './gateway.ts';
import type { ListenAddress } from './listen-address.ts';
import { openReplicaMagnum } from './magnum.ts';
import { listenForMetrics } from './metrics-listener.ts';
import { replicaIdentity, shareClusters } from './share.ts';

export interface ServeOptions {
  /** The home, where control planes that run here keep their state. */
  readonly home: Home;
  /** Client for the management cluster, with the identity of Fairway's controllers; closed on shutdown. */
  readonly client: KubeClient;
  /** The clouds.yaml entry; undefined for a simulated cloud in this process. */
  readonly cloud: string | undefined;
  /** The clouds.yaml; by default, the OpenStack clients' standard locations are searched. */
  readonly cloudsFile?: string | undefined;
  /** The gateway for tenants; none by default. */
  readonly gateway?: GatewayEndpoint | undefined;
  /** Address of Magnum's API, which requires the gateway and Keystone users; not served by default. */
  readonly magnum?: MagnumEndpoint | undefined;
  /**
   * Address at which metrics are served without authentication, in addition to the gateway's; not served by default.
   */
  readonly metricsListen?: ListenAddress | undefined;
  /** Audit log of the gateway; `audit.log` in the home, 100 MB and 10 backups by default. */
  readonly audit?: Partial<AuditSettings> | undefined;
  readonly defaultImage: string | undefined;
  readonly nodeSettings?: NodeSettings | undefined;
  /** Interval at which a project's servers are listed while no change is expected; a minute by default. */
  readonly observeMs?: number | undefined;
  /** Interval at which each CloudCredential is verified with Keystone; a minute by default. */
  readonly credentialCheckMs?: number | undefined;
  /** What happens to orphaned cloud resources; by default, they are deleted. */
  readonly orphans?: OrphanPolicy | undefined;
  /** Whether clusters contain their NodePools if their plan allows it; enabled by default. */
  readonly allowInCluster?: boolean | undefined;
  /** How long usage records outlive their clusters; 400 days by default. */
  readonly usageRetentionDays?: number | undefined;
  /** Limits of projects without a ProjectQuota; unlimited by default. */
  readonly quotaDefaults?: QuotaDefaults | undefined;
  /** Limits of tenants' namespaces; the defaults apply to omitted limits. */
  readonly namespaceLimits?: Partial<NamespaceLimits> | undefined;
  /** Keystone users; none by default. */
  readonly keystone?: KeystoneSettings | undefined;
  readonly controlPlanes: (options: ControlPlanesOptions) => ControlPlanes;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** Destination of traces; none are recorded by default. */
  readonly tracing?: TracingSettings | undefined;
  /** Destination of pushed metrics; none by default. */
  readonly metricsPush?: MetricsPushSettings | undefined;
  /** Aborts the start. */
  readonly signal?: AbortSignal;
  /** See ProjectCloud. */
  readonly settleMs?: number | undefined;
  /** Called with the names of the CRDs that differ from those of this release; usually there are none. */
  readonly onForeignKinds?: (names: readonly string[]) => void;
  /** Called at each step of startup. */
  readonly onStep?: (step: string) => void;
}

export interface RunningReplica {
  readonly cloudName: string;
  readonly gateway: ManagementGateway | undefined;
  /** URL of Magnum's API for clients, if it is served. */
  readonly magnumUrl: string | undefined;
  /** Address at which metrics are served without authentication. */
  readonly metricsPort: number | undefined;
  /** The replica's identity, used in Leases, metrics and the logs of clouds. */
  readonly identity: string;
  readonly fairway: Fairway<Engine>;
  /** Stops everything in order; resolves when it has stopped. */
  stop(): Promise<void>;
}

/** Runs Fairway in this process over a management cluster. */
export async function serve(options: ServeOptions): Promise<RunningReplica> {
  const { home, client, clock, random, log, signal, onStep = () => {}, onForeignKinds = () => {} } = options;
  const commonOptions = { clock, random, log };
  const identity = replicaIdentity(random);
  await using opening = new AsyncDisposableStack();
  opening.defer(() => client.close());
  const attempt = beginStart(home);
  opening.defer(() => attempt.removeFolders());
  home.create();
  const isSimulated = options.cloud === undefined;
  const lock = isSimulated ? lockHome : shareHome;
  opening.defer(lock(home, identifyProcess(process.pid) ?? { pid: process.pid, started: '' }, identifyProcess));
  opening.defer(() => attempt.clear());
  onStep(isSimulated ? 'starting the simulated cloud' : `reading clouds.yaml for ${options.cloud}`);
  const simulated = isSimulated
    ? await startSimulatedCloud({ home, ...commonOptions, log: logFor(log, 'simulator'), latency: 'none' })
    : undefined;
  if (simulated) opening.defer(() => simulated.close());
  const cloudName = options.cloud ?? 'simulator';

  const cloudsYaml = readCloudsYaml(simulated ? home.cloudsYaml : options.cloudsFile);
  const controlPlanes = options.controlPlanes({
    home,
    codec: () => secretsEncryption(home, clock),
    ...commonOptions,
    log: logFor(log, 'control-planes'),
  });
  opening.defer(() => controlPlanes.close());

  const tracing = await openTracingIfConfigured(options.tracing, {
    instance: identity,
    clock,
    random,
    log: logFor(log, 'tracing'),
  });
  opening.defer(() => tracing?.close());
  onStep('connecting to the management cluster');
  const openEngine = async () => {
    const engine = await openManagementEngine({
      client,
      ...commonOptions,
      log: logFor(log, 'api'),
      ...(signal && { signal }),
    });
    try {
      await claimControlPlanes(client, home);
    } catch (error) {
      await engine.close();
      throw error;
    }
    return engine;
  };
  let member: ShardMember | undefined;
  const fairway = await startFairway({
    openEngine,
    cloudsYaml,
    cloudName,
    controlPlanes,
    defaultImage: options.defaultImage,
    nodeSettings: options.nodeSettings,
    observeMs: options.observeMs,
    credentialCheckMs: options.credentialCheckMs,
    orphans: options.orphans,
    allowInCluster: options.allowInCluster,
    usageRetentionDays: options.usageRetentionDays,
    quotaDefaults: options.quotaDefaults,
    namespaceLimits: { ...DEFAULT_NAMESPACE_LIMITS, ...options.namespaceLimits },
    keystone: options.keystone,
    settleMs: options.settleMs,
    share: (parts) => {
      member = shareClusters({
        ...parts,
        identity,
        ...commonOptions,
        log: logFor(log, 'replicas'),
        traces: tracing?.tracer,
      });
      return member;
    },
    userAgent: `fairway (${identity})`,
    tracer: tracing?.tracer,
    onStep,
    ...commonOptions,
  });
  opening.defer(() => fairway.close());
  tracing?.addMetrics(fairway.registry);
  const pusher = await pushMetricsIfConfigured(options.metricsPush, {
    registry: fairway.registry,
    instance: identity,
    clock,
    log: logFor(log, 'metrics'),
  });
  opening.defer(() => pusher?.close());
  onForeignKinds(await foreignKinds(client));
  const metrics = options.metricsListen && (await listenForMetrics(options.metricsListen, fairway.registry, clock));
  opening.defer(() => metrics?.close());
  if (options.gateway) onStep('opening the gateway');
  const audit = { ...DEFAULT_AUDIT, path: home.auditLog, eventsFolder: home.auditEvents, ...options.audit };
  const gateway =
    options.gateway &&
    (await openGateway(options.gateway, fairway, {
      ...commonOptions,
      identity,
      audit,
      tracer: tracing?.tracer,
      announceWrite: tracing && announceWrites(tracing.tracer, () => member),
    }));
  if (gateway) opening.defer(() => gateway.close());
  const magnum =
    gateway &&
    options.magnum &&
    (await openReplicaMagnum(gateway, fairway, { ...options.magnum, cloudsYaml, cloudName, ...commonOptions }));
  opening.defer(() => magnum?.close());
  if (magnum) simulated?.cloud.announce({ type: CATALOG_TYPE, name: 'magnum', url: `${magnum.url}/v1` });
  simulated?.startNodes();
  attempt.succeed();
  const running = opening.move();
  return {
    cloudName,
    identity,
    gateway,
    magnumUrl: magnum?.url,
    metricsPort: metrics?.port,
    fairway,
    stop: () => running.disposeAsync(),
  };
}

/**
 * Announces a traced write to the other replicas before the write is made, because another replica may act on it. A
 * write that the user may not make is not announced: otherwise later reconciles would be in the user's trace.
 */
function announceWrites(traces: TraceExchange, member: () => ShardMember | undefined): AnnounceWrite {
  return async (object, cause, isAllowed) => {
    await member()?.gossip(async () => {
      if (!(await isAllowed())) return false;
      traces.announce(object, cause);
      return true;
    });
  };
}

/** An older release's installation did not grant permission to read the CRDs. */
async function foreignKinds(client: KubeClient): Promise<readonly string[]> {
  try {
    return await foreignDefinitions(client);
  } catch (error) {
    if (isApiError(error, 'Forbidden')) return definitions().map(({ metadata }) => metadata.name ?? '');
    throw error;
  }
}
