import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Clock } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import { blockStorageService } from './block-storage/service.ts';
import { VolumeLifecycle } from './block-storage/volume-lifecycle.ts';
import { bootstrapVolumeTypes } from './block-storage/volume-types.ts';
import { renderCloudsYaml } from './clouds-yaml.ts';
import { Consoles } from './compute/consoles.ts';
import { type ActiveListener, type DownListener, ServerLifecycle } from './compute/server-lifecycle.ts';
import { ServerVolumes } from './compute/server-volumes.ts';
import { computeService } from './compute/service.ts';
import type { CloudConfig } from './config.ts';
import { controlService, type QuotaService, setQuota } from './control/service.ts';
import { DEFAULT_CONFIG } from './default-config.ts';
import type { Service } from './http/api.ts';
import { Calls } from './http/calls.ts';
import { Faults } from './http/faults.ts';
import { FrontEnd, type FrontEndRequest, type FrontEndResponse } from './http/front-end.ts';
import { bootstrapIdentity } from './identity/bootstrap.ts';
import type { AnnouncedService } from './identity/records.ts';
import { identityService } from './identity/service.ts';
import { ProviderKey } from './identity-provider/provider-key.ts';
import { identityProviderService } from './identity-provider/service.ts';
import { createIds } from './ids.ts';
import { imageService } from './image/service.ts';
import { keyManagerService } from './key-manager/service.ts';
import { bootstrapLoadBalancerFlavors } from './load-balancer/bootstrap.ts';
import { LoadBalancerLifecycle } from './load-balancer/load-balancer-lifecycle.ts';
import { loadBalancerService } from './load-balancer/service.ts';
import { bootstrapNetwork } from './network/bootstrap.ts';
import { networkService } from './network/service.ts';
import { placementService } from './placement/service.ts';
import type { ServiceName } from './service-list.ts';
import { sharedFileSystemService } from './shared-file-system/service.ts';
import { ShareLifecycle } from './shared-file-system/share-lifecycle.ts';
import { bootstrapShareTypes } from './shared-file-system/share-types.ts';
import { Database, type Snapshot } from './state/database.ts';
import { openStateFile } from './state/state-file.ts';
import { declareIndexes, declareTables, type World } from './world.ts';

export interface CloudOptions {
  readonly clock: Clock;
  /** A uniformly distributed number in [0, 1). */
  readonly random: () => number;
  /** Overrides of DEFAULT_CONFIG. */
  readonly config?: Partial<CloudConfig>;
  readonly log?: Logger;
}

export interface ListenOptions {
  /** The listen address; loopback by default. */
  readonly host: string;
  /** 0 selects a free port. */
  readonly port: number;
  readonly tls?: { readonly cert: string; readonly key: string; readonly caFile?: string };
}

export interface Cloud {
  /** Serves all services on one port. Returns the origin, e.g. `http://127.0.0.1:5000`. */
  listen(options: ListenOptions): Promise<string>;
  /** Handles a request without a socket. Resolves with undefined if the connection would be dropped. */
  handleRequest(request: FrontEndRequest): Promise<FrontEndResponse | undefined>;
  /** Stops serving and releases connections and timers; the state file is consistent at any time. */
  close(): Promise<void>;
  /** The text of a clouds.yaml for the address that the cloud listens on. */
  cloudsYaml(): string;
  /** Adds an external service to the catalog until the cloud is closed, like `openstack endpoint create`. */
  announce(service: AnnouncedService): void;
  /**
   * Trusts a dashboard at this address for single sign-on until the cloud is closed, like `trusted_dashboard` in
   * keystone.conf.
   */
  trustDashboard(url: string): void;
  readonly faults: Faults;
  readonly calls: Calls;
  /**
   * Changes the quotas of a project, specified by ID or name; the keys are the services' own resource names. If several
   * services have a resource with this name, the first service is used unless `service` is specified: `gigabytes` means
   * the volume quota.
   */
  setQuota(project: string, limits: Readonly<Record<string, number>>, service?: QuotaService): void;
  /** Appends to the serial console of a server, as its guest would. */
  writeConsole(serverId: string, text: string): void;
  /**
   * Calls `listener` for every running server, and then for each server that starts. The listener acts as the
   * hypervisor.
   */
  onServerActive(listener: ActiveListener): () => void;
  /** Calls `listener` when a server is deleted or its guest stops, including before a reboot. */
  onServerDown(listener: DownListener): () => void;
  /** Whether the guest of a server has panicked since it booted, which only a hypervisor can observe. */
  hasPanicked(serverId: string): boolean;
  snapshot(): Snapshot;
  restore(snapshot: Snapshot): void;
}

/** Longer than clients keep idle connections open, so they never reuse a connection that is being closed. */
const KEEP_ALIVE_MS = 75_000;

/**
 * Creates an in-process OpenStack cloud. The content of a state file takes precedence over configured users and
 * networks.
 */
export function createCloud(options: CloudOptions): Cloud {
  const config: CloudConfig = { ...DEFAULT_CONFIG, ...options.config };
  const database = new Database(config.stateFile === undefined ? undefined : openStateFile(config.stateFile));
  const tables = declareTables(database);
  const indexes = declareIndexes(tables);
  const isKnown = database.loadJournal();
  const startCount = Number(tables.secrets.get('starts')?.value ?? 0);
  const world: World = {
    clock: options.clock,
    random: options.random,
    ids: createIds(options.random, startCount),
    log: options.log ?? silentLogger,
    config,
    faults: new Faults(),
    consoles: new Consoles(),
    providerKey: new ProviderKey(),
    announced: new Map(),
    trustedDashboards: new Set(),
    database,
    tables,
    indexes,
  };
  database.transact(() => {
    tables.secrets.put({ id: 'starts', value: `${startCount + 1}` });
    bootstrapVolumeTypes(world);
    bootstrapShareTypes(world);
    bootstrapLoadBalancerFlavors(world);
    if (isKnown) return;
    bootstrapIdentity(world);
    bootstrapNetwork(world);
  });
  const volumeLifecycle = new VolumeLifecycle(world);
  const serverVolumes = new ServerVolumes(world, volumeLifecycle);
  const lifecycle = new ServerLifecycle(world, serverVolumes);
  const loadBalancerLifecycle = new LoadBalancerLifecycle(world);
  const shareLifecycle = new ShareLifecycle(world);
  const lifecycles = [volumeLifecycle, serverVolumes, lifecycle, loadBalancerLifecycle, shareLifecycle];
  for (const each of lifecycles) each.resume();
  const calls = new Calls();
  const services: Readonly<Record<ServiceName, Service>> = {
    identity: identityService(world),
    compute: computeService(world, lifecycle, serverVolumes),
    network: networkService(world),
    image: imageService(world),
    'load-balancer': loadBalancerService(world, loadBalancerLifecycle),
    placement: placementService(),
    'block-storage': blockStorageService(world, volumeLifecycle),
    'shared-file-system': sharedFileSystemService(world, shareLifecycle),
    'key-manager': keyManagerService(world),
  };
  const frontEnd = new FrontEnd(world, calls, [
    ...Object.values(services),
    identityProviderService(world),
    controlService(world, calls),
  ]);
  let server: HttpServer | undefined;
  let origin = '';
  let caFile: string | undefined;
  return {
    async listen({ host, port, tls }) {
      if (server !== undefined) throw new Error('the simulated cloud is already listening');
      server = tls === undefined ? createHttpServer() : createHttpsServer({ cert: tls.cert, key: tls.key });
      const listening = server;
      listening.keepAliveTimeout = KEEP_ALIVE_MS;
      listening.on('request', (incoming, outgoing) => {
        frontEnd.handle(incoming, outgoing).catch((error: unknown) => {
          world.log.debug({ err: error }, 'a request ended early');
          outgoing.destroy();
        });
      });
      await new Promise<void>((resolve, reject) => {
        listening.once('error', reject);
        listening.listen(port, host, resolve);
      });
      const { port: actualPort } = listening.address() as AddressInfo;
      const name = host.includes(':') ? `[${host}]` : host;
      origin = `${tls === undefined ? 'http' : 'https'}://${name}:${actualPort}`;
      caFile = tls?.caFile;
      return origin;
    },
    handleRequest: (request) => frontEnd.handleRequest(request),
    async close() {
      for (const each of lifecycles) each.close();
      const openServer = server;
      server = undefined;
      if (openServer !== undefined) {
        await new Promise<void>((resolve) => {
          openServer.close(() => resolve());
          openServer.closeAllConnections();
        });
      }
      database.close();
    },
    cloudsYaml: () => renderCloudsYaml(world, origin, caFile),
    announce: (service) => void world.announced.set(service.type, service),
    trustDashboard: (url) => void world.trustedDashboards.add(url),
    faults: world.faults,
    calls,
    setQuota: (project, limits, service) => database.transact(() => setQuota(world, project, limits, service)),
    writeConsole: (serverId, text) => world.consoles.write(serverId, text),
    onServerActive: (listener) => lifecycle.onActive(listener),
    onServerDown: (listener) => lifecycle.onDown(listener),
    hasPanicked: (serverId) => lifecycle.hasPanicked(serverId),
    snapshot: () => database.snapshot(),
    restore(snapshot) {
      database.restore(snapshot);
      for (const each of lifecycles) each.resume();
    },
  };
}
