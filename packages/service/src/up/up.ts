import type { NamespaceLimits } from '@fairway/api/domain/namespace-limits';
import type { OrphanPolicy } from '@fairway/api/domain/orphan-policy';
import type { QuotaDefaults } from '@fairway/api/domain/project-quota';
import type { ServerLimits } from '@fairway/apiserver/server/limits';
import { SqliteDatabase } from '@fairway/apiserver/store/sqlite-database';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { NodeSettings } from '@fairway/control-plane/bootstrap/node-settings';
import type { ProjectNamespaces } from '@fairway/identity/project-namespaces';
import type { KeystoneSettings } from '@fairway/identity/settings';
import { CATALOG_TYPE } from '@fairway/magnum/http/microversion';
import { type AuditSettings, DEFAULT_AUDIT } from '../audit/audit-settings.ts';
import { openAudit } from '../audit/open-audit.ts';
import { addBackupMetrics } from '../backup/backup-metrics.ts';
import { type BackupSettings, ScheduledBackups } from '../backup/scheduled-backups.ts';
import { openEmbeddedEngine } from '../fairway/embedded-engine.ts';
import { startFairway } from '../fairway/fairway.ts';
import { logFor } from '../log-levels.ts';
import type { MetricsPushSettings } from '../otlp/metrics-settings.ts';
import { pushMetricsIfConfigured } from '../otlp/push-metrics-if-configured.ts';
import type { ListenAddress } from '../serve/listen-address.ts';
import type { CertificateFiles } from '../serve/own-certificate.ts';
import type { AdvertisedAddress } from '../serve/server-address.ts';
import { openTracingIfConfigured } from '../tracing/open-tracing-if-configured.ts';
import type { TracingSettings } from '../tracing/tracing-settings.ts';
import { FAIRWAY_VERSION } from '../version.ts';
import { type ApiListener, listenForClients } from './api-listener.ts';
import { readCloudsYaml } from './clouds.ts';
import { type ControlPlanes, type ControlPlanesOptions, simulatedControlPlanes } from './control-planes.ts';
import { secretsEncryption } from './encryption.ts';
import { openExternalAutoscaler, rejectWhileStarting } from './external-autoscaler.ts';
import { namespaceOfUser, userOfEntry } from './first-project.ts';
import { type Home, identifyProcess, lockHome } from './home.ts';
import { openMagnumListener } from './magnum-listener.ts';
import { loadServerPki } from './server-pki.ts';
import { startSimulatedCloud } from './simulated-cloud.ts';
import { withSimulatedSingleSignOn } from './simulated-single-sign-on.ts';
import { beginStart } from './start-attempt.ts';

export interface UpOptions {
  readonly home: Home;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  /** The address at which clients reach the API, if different from the listen address. */
  readonly advertised?: AdvertisedAddress | undefined;
  /** Additional names and addresses of the API's certificate. */
  readonly subjectAltNames?: readonly string[] | undefined;
  /** The operator's own certificate. */
  readonly certificate?: CertificateFiles | undefined;
  /** The clouds.yaml entry; undefined for the simulated cloud. */
  readonly cloud: string | undefined;
  /** The clouds.yaml; by default, the OpenStack clients' standard locations are searched. */
  readonly cloudsFile?: string | undefined;
  /** Latencies of the simulated cloud. */
  readonly latency: 'none' | 'realistic';
  /** The operator's node image, by ID or name. */
  readonly defaultImage: string | undefined;
  /** The operator's settings for all nodes. */
  readonly nodeSettings?: NodeSettings | undefined;
  readonly version: string;
  /** `audit.log` in the home, 100 MB and 10 backups by default. */
  readonly audit?: Partial<AuditSettings> | undefined;
  /** Limits for the API's clients; the defaults apply to omitted limits. */
  readonly limits?: Partial<ServerLimits & NamespaceLimits> | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** See ProjectCloud; shorter in tests that kill and restart Fairway against a cloud that responds immediately. */
  readonly settleMs?: number | undefined;
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
  /** Keystone users; none by default. */
  readonly keystone?: KeystoneSettings | undefined;
  /** How control planes run; simulated by default. */
  readonly controlPlanes?: (options: ControlPlanesOptions) => ControlPlanes;
  /** Scheduled backups of Fairway's own objects; none by default. */
  readonly backups?: BackupSettings | undefined;
  /** Listen address for clusters' own autoscalers; not served by default. */
  readonly externalAutoscalerListen?: ListenAddress | undefined;
  /** Listen address of Magnum's API, for Keystone users; not served by default. */
  readonly magnumListen?: ListenAddress | undefined;
  /** Whether the console is served; enabled by default. */
  readonly console?: boolean | undefined;
  /** See ConsoleOptions. */
  readonly consoleDocumentation?: string | undefined;
  /** Destination of traces; none are recorded by default. */
  readonly tracing?: TracingSettings | undefined;
  /** Destination of pushed metrics; none by default. */
  readonly metricsPush?: MetricsPushSettings | undefined;
  /** Called at each step of startup. */
  readonly onStep?: (step: string) => void;
}

export interface RunningFairway {
  /** URL for clients: `https://127.0.0.1:8443`. */
  readonly url: string;
  readonly cloudName: string;
  /** URL of Magnum's API for clients, if it is served. */
  readonly magnumUrl: string | undefined;
  /** URL of the console, if it is served. */
  readonly consoleUrl: string | undefined;
  /** Stops everything in order; resolves when it has stopped. */
  stop(): Promise<void>;
}

/**
 * Runs a complete Fairway in this process: API, controllers, control planes and, without `cloud`, a simulated OpenStack
 * with hollow nodes.
 */
export async function up(options: UpOptions): Promise<RunningFairway> {
  const { home, host, clock, random, log, onStep = () => {} } = options;
  const attempt = beginStart(home);
  await using opening = new AsyncDisposableStack();
  opening.defer(() => attempt.removeFolders());
  home.create();
  opening.defer(lockHome(home, identifyProcess(process.pid) ?? { pid: process.pid, started: '' }, identifyProcess));
  opening.defer(() => attempt.clear());
  onStep('opening the database');
  const codec = secretsEncryption(home, clock);
  const database = SqliteDatabase.open(home.database, { codec, release: FAIRWAY_VERSION });
  opening.defer(() => database.close());
  const pki = await loadServerPki(home, clock);

  const controlPlanes = (options.controlPlanes ?? simulatedControlPlanes)({
    home,
    codec: () => codec,
    clock,
    random,
    log: logFor(log, 'control-planes'),
  });
  opening.defer(() => controlPlanes.close());

  const isSimulated = options.cloud === undefined;
  onStep(isSimulated ? 'starting the simulated cloud' : `reading clouds.yaml for ${options.cloud}`);
  const simulated = isSimulated
    ? await startSimulatedCloud({
        home,
        clock,
        random,
        log: logFor(log, 'simulator'),
        latency: options.latency,
        connect: controlPlanes.connect,
      })
    : undefined;
  if (simulated) opening.defer(() => simulated.close());
  const cloudName = options.cloud ?? 'simulator';
  const cloudsYaml = readCloudsYaml(simulated ? home.cloudsYaml : options.cloudsFile);

  const tracing = await openTracingIfConfigured(options.tracing, { clock, random, log: logFor(log, 'tracing') });
  opening.defer(() => tracing?.close());
  onStep('starting the API server');
  const store = database.store('fairway');
  const { version, limits, defaultImage, nodeSettings, settleMs, observeMs, credentialCheckMs } = options;
  const commonOptions = { clock, random, log };
  const { advertised, subjectAltNames = [] } = options;
  // Users who sign in to the simulated cloud's first project find its cloud here, like a tenant with a credential.
  const firstUser = simulated && (await userOfEntry(cloudsYaml, cloudName, { clock, random, log }));
  let projects: Pick<ProjectNamespaces, 'of'> | undefined;
  let autoscalerConfigs = options.externalAutoscalerListen && rejectWhileStarting;
  let served: ApiListener | undefined;
  const fairway = await startFairway({
    openEngine: async (parts) => {
      const settings = { ...DEFAULT_AUDIT, path: home.auditLog, eventsFolder: home.auditEvents, ...options.audit };
      tracing?.addMetrics(parts.registry);
      const audit = await openAudit(settings, { registry: parts.registry, clock, random, log: logFor(log, 'audit') });
      opening.defer(() => audit.close());
      const engine = {
        store,
        pki,
        version,
        auditor: audit.auditor,
        auditEvents: audit.events,
        tracer: tracing?.tracer,
        limits,
        autoscalerConfigs: () => autoscalerConfigs,
        console: options.console ?? true,
        consoleDocumentation: options.consoleDocumentation,
        ...commonOptions,
        log: logFor(log, 'api'),
      };
      projects = parts.keystone?.namespaces;
      return openEmbeddedEngine(engine, parts);
    },
    cloudsYaml,
    cloudName,
    defaultProject: firstUser?.project?.id,
    controlPlanes,
    defaultImage,
    nodeSettings,
    settleMs,
    observeMs,
    credentialCheckMs,
    orphans: options.orphans,
    allowInCluster: options.allowInCluster,
    usageRetentionDays: options.usageRetentionDays,
    quotaDefaults: options.quotaDefaults,
    keystone:
      simulated && options.keystone ? withSimulatedSingleSignOn(options.keystone, cloudsYaml) : options.keystone,
    servesAutoscalers: options.externalAutoscalerListen !== undefined,
    tracer: tracing?.tracer,
    onStep,
    onOpen: async (engine) => {
      const namespace = firstUser && projects && (await namespaceOfUser(firstUser, projects, logFor(log, 'gateway')));
      served = await listenForClients(engine, {
        home,
        namespace,
        pki,
        listen: { host, port: options.port },
        advertised,
        subjectAltNames,
        certificate: options.certificate,
        clock,
        log: logFor(log, 'api'),
      });
      opening.defer(() => served?.close());
    },
    ...commonOptions,
  });
  opening.defer(() => fairway.close());

  if (served === undefined) throw new Error('the API has no listener');
  served.addMetrics(fairway.registry);
  const pusher = await pushMetricsIfConfigured(options.metricsPush, {
    registry: fairway.registry,
    clock,
    log: logFor(log, 'metrics'),
  });
  opening.defer(() => pusher?.close());
  const { url, names } = served;
  simulated?.cloud.trustDashboard(`${url}/console/sso`);
  const { externalAutoscalerListen } = options;
  if (externalAutoscalerListen) {
    const address = { listen: externalAutoscalerListen, advertised: advertised && { ...advertised, port: undefined } };
    const served = await openExternalAutoscaler(fairway, { ...names, ...address }, { clock, log: logFor(log, 'api') });
    opening.defer(() => served.close());
    autoscalerConfigs = served.issue;
  }
  const magnum =
    options.magnumListen &&
    (await openMagnumListener(fairway, {
      home,
      pki,
      names: {
        ...names,
        listen: options.magnumListen,
        advertisedAddress: advertised && { ...advertised, port: undefined },
      },
      certificate: options.certificate,
      cloudsYaml,
      cloudName,
      limits,
      ...commonOptions,
      log: logFor(log, 'api'),
    }));
  opening.defer(() => magnum?.close());
  if (magnum) simulated?.cloud.announce({ type: CATALOG_TYPE, name: 'magnum', url: `${magnum.url}/v1` });
  const { backups } = options;
  if (backups) {
    const { schedule, keep } = backups;
    const offHost = backups.offHost(clock);
    const { client } = fairway.engine;
    const scheduledBackups = new ScheduledBackups({
      offHost,
      schedule,
      keep,
      client,
      server: url,
      clock,
      log: logFor(log, 'backup'),
    });
    opening.defer(() => scheduledBackups.stop());
    addBackupMetrics(fairway.registry, scheduledBackups);
  }
  simulated?.startNodes();
  attempt.succeed();
  const running = opening.move();
  const consoleUrl = options.console === false ? undefined : `${url}/console/`;
  return { url, cloudName, magnumUrl: magnum?.url, consoleUrl, stop: () => running.disposeAsync() };
}
