import { clusters } from '@fairway/api/kinds/cluster';
import { kubernetesReleases } from '@fairway/api/kinds/kubernetes-release';
import { plans } from '@fairway/api/kinds/plan';
import { createCloudProvider } from '@fairway/cloud-provider/start';
import { ClusterCredentials } from '@fairway/controllers/cluster/credentials';
import { CloudInitBootstrapper } from '@fairway/controllers/machine/bootstrapper';
import { createControllers } from '@fairway/controllers/start';
import { TenantClusters } from '@fairway/controllers/tenant/tenant-clusters';
import { createGateway } from '@fairway/gateway/server/gateway';
import type { Clock } from '@fairway/kube/clock';
import { ControllerMetrics } from '@fairway/kube/controller/metrics';
import type { Logger } from '@fairway/kube/log';
import { SqliteDatabase } from '@fairway/kube/store/sqlite-database';
import { OpenStackMetrics } from '@fairway/openstack/http/metrics';
import { Registry } from 'prom-client';
import { readCloudsYaml } from './clouds.ts';
import { type ControlPlanes, type ControlPlanesOptions, simulatedControlPlanes } from './control-planes.ts';
import { secretsEncryption } from './encryption.ts';
import { type Home, identifyProcess, lockHome } from './home.ts';
import { managementRunnables } from './management.ts';
import { metricsRoute } from './metrics-route.ts';
import { adminKubeconfig, CERTIFICATE_RENEWAL_MS, loadServerPki, serverTls } from './server-pki.ts';
import { startSimulatedCloud } from './simulated-cloud.ts';
import { tenantClouds } from './tenant-clouds.ts';
import { connectTenant } from './tenant-connection.ts';

export interface UpOptions {
  readonly home: Home;
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  /** Entry of clouds.yaml; undefined for the simulated cloud. */
  readonly cloud: string | undefined;
  /** How the simulated cloud takes its time. */
  readonly latency: 'none' | 'realistic';
  /** Operator's image of nodes, by id or name. */
  readonly defaultImage: string | undefined;
  readonly version: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  /** See ProjectCloud; shorter where a test kills and restarts against a cloud that answers at once. */
  readonly settleMs?: number | undefined;
  /** How control planes run; simulated unless said otherwise. */
  readonly controlPlanes?: (options: ControlPlanesOptions) => ControlPlanes;
  /** Told about each step of the start. */
  readonly onStep?: (step: string) => void;
}

export interface RunningFairway {
  /** `https://127.0.0.1:8443`. */
  readonly url: string;
  readonly cloudName: string;
  /** Ends everything in order; resolves when nothing of it runs any more. */
  stop(): Promise<void>;
}

/** Runs a whole Fairway in this process: API, controllers, control planes, and without `cloud` a simulated OpenStack with hollow nodes. */
export async function up(options: UpOptions): Promise<RunningFairway> {
  const { home, host, clock, random, log, onStep = () => {} } = options;
  home.create();
  const closing: (() => Promise<void> | void)[] = [
    lockHome(home, identifyProcess(process.pid) ?? { pid: process.pid, started: '' }, identifyProcess),
  ];
  const stop = async () => {
    for (const close of closing.splice(0).reverse()) await close();
  };
  try {
    onStep('opening the database');
    const codec = secretsEncryption(home, clock);
    const database = SqliteDatabase.open(home.database, { codec });
    closing.push(() => database.close());
    const pki = await loadServerPki(home, clock);
    const registry = new Registry();
    const metrics = new OpenStackMetrics(registry);

    const isSimulated = options.cloud === undefined;
    onStep(isSimulated ? 'starting the simulated cloud' : `reading clouds.yaml for ${options.cloud}`);
    const simulated = isSimulated
      ? await startSimulatedCloud({ home, clock, random, log, latency: options.latency })
      : undefined;
    if (simulated) closing.push(() => simulated.close());
    const cloudName = options.cloud ?? 'simulator';
    const cloudsYaml = readCloudsYaml(simulated ? home.cloudsYaml : undefined);

    const controlPlanes = (options.controlPlanes ?? simulatedControlPlanes)({ home, codec, clock, random, log });
    closing.push(() => controlPlanes.close());

    onStep('starting the API server');
    const { clouds, close: closeClouds } = tenantClouds({
      cloudsYaml,
      defaultCloud: cloudName,
      opening: { clock, random, log, metrics, settleMs: options.settleMs },
      reader: () => gateway.server.reader,
      client: () => gateway.client,
    });
    closing.push(closeClouds);
    const gateway = createGateway({
      store: database.store('fairway'),
      clock,
      random,
      log,
      version: options.version,
      issuer: 'https://fairway.local',
      authority: pki.authority,
      serviceAccountKeys: pki.serviceAccountKeys,
      clouds,
      credentials: () => credentials,
    });
    const credentials = new ClusterCredentials(gateway.client, clock);
    gateway.server.addRoute(metricsRoute(registry));
    // It ends its watches and then its listener, which alone would wait for them.
    closing.push(() => gateway.server.close());
    await gateway.start();
    const clusterUids = new Set(gateway.server.reader.list(clusters).map(({ metadata }) => metadata.uid));
    await controlPlanes.stopAllBut((uid) => clusterUids.has(uid));

    onStep('starting the controllers');
    const tenants = new TenantClusters({
      connect: (cluster) => connectTenant(cluster, credentials, clock),
      clock,
      random,
      log,
    });
    closing.push(() => tenants.close());
    const reader = gateway.server.reader;
    const bootstrapper = new CloudInitBootstrapper({
      credentials,
      tenants,
      plans: { get: (name) => reader.get(plans, '', name) },
      releases: { list: () => reader.list(kubernetesReleases) },
      clock,
    });
    const controllerMetrics = new ControllerMetrics(registry, () => clock.now());
    const shared = { clouds, tenants, bootstrapper, clock, random, log, metrics: controllerMetrics };
    const controllers = createControllers({
      ...shared,
      client: gateway.client,
      runtime: controlPlanes.runtime,
      credentials,
      defaultImage: options.defaultImage,
    });
    controllers.manager.add(
      ...createCloudProvider({ ...shared, cache: controllers.cache }),
      ...managementRunnables({
        client: gateway.client,
        informers: controllers.informers,
        authority: pki.authority,
        clock,
        random,
        log,
      }),
    );
    const abort = new AbortController();
    const running = new Promise<void>((resolve, reject) => {
      closing.push(async () => {
        abort.abort();
        await ended;
      });
      const ended = controllers.manager.run(abort.signal, resolve);
      ended.catch(reject);
    });
    await running;

    const tls = await serverTls(pki, host, clock);
    const listener = await gateway.server.listen({ host, port: options.port, tls });
    home.write(home.kubeconfig, await adminKubeconfig(pki, listener.url, clock));
    closing.push(
      every(CERTIFICATE_RENEWAL_MS, clock, async () => {
        listener.setTls(await serverTls(pki, host, clock));
        home.write(home.kubeconfig, await adminKubeconfig(pki, listener.url, clock));
      }),
    );
    simulated?.startNodes();
    return { url: listener.url, cloudName, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs `task` each time so long after the last one ended; a failure is as good as a success until then. Returns how to stop. */
function every(periodMs: number, clock: Clock, task: () => Promise<void>): () => void {
  let timer = clock.after(periodMs, run);
  function run(): void {
    void task()
      .catch(() => undefined)
      .then(() => {
        timer = clock.after(periodMs, run);
      });
  }
  return () => timer.cancel();
}
