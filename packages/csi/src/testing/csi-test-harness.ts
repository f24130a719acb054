import { silentLogger } from '@fairway/base/log';
import { seededRandom } from '@fairway/base/testing/seeded-random';
import { VolumeBuilds } from '@fairway/cloud-provider/volumes/volume-builds';
import { SteppingClock } from '@fairway/controllers/testing/stepping-clock';
import { ProjectCache } from '@fairway/openstack/cache/project-cache';
import { Cloud as CloudConnection } from '@fairway/openstack/cloud';
import { CloudsYaml } from '@fairway/openstack/config/clouds-yaml';
import { UndiciTransport } from '@fairway/openstack/http/undici-transport';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Volume } from '@fairway/openstack/types/block-storage';
import { type Cloud, createCloud } from '@fairway/simulator/cloud';
import type { CloudConfig } from '@fairway/simulator/config';
import { NO_LATENCY } from '@fairway/simulator/http/latency';
import { CACHE_FILTERS } from '@fairway/tenancy/cloud/ownership';
import { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { status } from '@grpc/grpc-js';
import { CallError } from '../calls/call-error.ts';
import { CallTime, newPaces } from '../calls/call-time.ts';
import { toCallError } from '../calls/failure.ts';
import { Operations } from '../calls/operations.ts';
import { controllerHandlers, type Handler } from '../controller-service.ts';
import { AccessMode } from '../protocol/messages.ts';

export const GIB = 2 ** 30;
/** A few seconds for each change of a volume. */
const LIFECYCLE_MS = {
  ...NO_LATENCY.lifecycle,
  createVolume: 4_000,
  deleteVolume: 2_000,
  attachVolume: 3_000,
  detachVolume: 3_000,
  extendVolume: 2_000,
  createSnapshot: 3_000,
  deleteSnapshot: 2_000,
};

interface DriverProcess {
  readonly project: ProjectCloud;
  readonly handlers: Readonly<Record<string, Handler>>;
  readonly paces: ReturnType<typeof newPaces>;
}

/** A controller on a simulated cloud, with a clock that advances while a call waits. */
export class CsiTestHarness implements AsyncDisposable {
  readonly clock: SteppingClock;
  readonly cloud: Cloud;
  readonly clusterUid: string;
  readonly #connection: CloudConnection;
  #process: DriverProcess;

  private constructor(clock: SteppingClock, cloud: Cloud, connection: CloudConnection, clusterUid: string) {
    this.clock = clock;
    this.cloud = cloud;
    this.clusterUid = clusterUid;
    this.#connection = connection;
    this.#process = this.#startProcess(clusterUid);
  }

  static async start(config: Partial<CloudConfig> = {}, clusterUid = 'own'): Promise<CsiTestHarness> {
    const clock = new SteppingClock();
    const latency = { ...NO_LATENCY, lifecycle: LIFECYCLE_MS };
    const options = { clock: clock.serverClock, random: seededRandom(63), config: { latency, ...config } };
    const cloud = createCloud(options);
    await cloud.listen({ host: '127.0.0.1', port: 0 });
    const yaml = cloud.cloudsYaml();
    const clouds = new CloudsYaml({
      env: { OS_CLIENT_CONFIG_FILE: '/clouds.yaml' },
      cwd: '/',
      home: '/',
      readFile: (path) => (path === '/clouds.yaml' ? yaml : undefined),
    });
    const transport = new UndiciTransport({ tls: { verify: true }, connections: 32, connectTimeoutMs: 10_000 });
    const connection = new CloudConnection({
      config: clouds.get('simulator'),
      clock,
      random: seededRandom(63),
      readFile: () => '',
      transport: clock.watching(transport),
    });
    const harness = new CsiTestHarness(clock, cloud, connection, clusterUid);
    // By then, the cloud has received all requests that a previous process sent.
    await clock.pass(11_000);
    return harness;
  }

  /** Starts another process for the same cluster. */
  secondProcess(): CsiTestHarness {
    return new CsiTestHarness(this.clock, this.cloud, this.#connection, this.clusterUid);
  }

  /** Replaces the process as if it had been killed: the new one has no state. */
  restart(clusterUid = this.clusterUid): void {
    this.#process = this.#startProcess(clusterUid);
  }

  #startProcess(clusterUid: string): DriverProcess {
    const { clock } = this;
    const client = this.#connection.client();
    const parts = { clock, random: seededRandom(63), log: silentLogger };
    const cache = new ProjectCache({ client, ...parts, filters: CACHE_FILTERS });
    const cloud = new ProjectCloud({ name: 'simulator', region: 'RegionOne', client, cache, ...parts });
    const common = { cloud, clusterUid, clock, work: new AbortController().signal };
    const storage = { ...common, operations: new Operations(), builds: new VolumeBuilds(parts) };
    return { project: cloud, handlers: controllerHandlers(storage), paces: newPaces() };
  }

  get client(): OpenStackClient {
    return this.#process.project.client;
  }

  /** Starts a call, with a deadline of three minutes by default. */
  begin<T>(method: string, request: object, timeoutMs = 180_000): Promise<T> {
    const { clock } = this;
    const { handlers, paces } = this.#process;
    const deadline = new AbortController();
    clock.after(timeoutMs, () => deadline.abort(new CallError(status.DEADLINE_EXCEEDED, 'over')));
    const time = new CallTime(clock, paces, deadline.signal);
    return (async () => {
      try {
        return (await handlers[method]?.(request as never, time)) as T;
      } catch (error) {
        throw toCallError(error, clock.now()) ?? error;
      }
    })();
  }

  call<T>(method: string, request: object, timeoutMs?: number): Promise<T> {
    return this.clock.during(this.begin<T>(method, request, timeoutMs));
  }

  /** Returns the error from a call: `NOT_FOUND: there is no such volume`. */
  async refusal(method: string, request: object, timeoutMs?: number): Promise<string> {
    try {
      await this.call(method, request, timeoutMs);
      return 'OK';
    } catch (error) {
      if (error instanceof CallError) return `${status[error.code]}: ${error.message}`;
      throw error;
    }
  }

  async createVolume(name: string, overrides: object = {}): Promise<string> {
    const { volume } = await this.call<{ volume: { volume_id: string } }>(
      'CreateVolume',
      volumeRequest(name, overrides),
    );
    return volume.volume_id;
  }

  volumes(): Promise<readonly Volume[]> {
    return this.clock.during(Array.fromAsync(this.client.blockStorage.volumes.list()));
  }

  /** Creates a server that can attach volumes. */
  async createServer(tags: string[] = []): Promise<string> {
    const { compute, images } = this.client;
    const { id } = await this.clock.during(
      (async () => {
        const [flavors, all] = [await Array.fromAsync(compute.flavors.list()), await Array.fromAsync(images.list())];
        return compute.servers.create({
          name: 'node',
          flavorRef: flavors[0]?.id ?? '',
          imageRef: all[0]?.id ?? '',
          networks: 'none',
          tags,
        });
      })(),
    );
    await this.clock.pass(5_000);
    return id;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#process.project.cache.stop();
    await this.#connection.close();
    await this.cloud.close();
  }
}

/** A request in the format that gRPC passes to a handler. */
export function volumeRequest(name: string, overrides: object = {}): object {
  return {
    name,
    capacity_range: { required_bytes: GIB, limit_bytes: 0 },
    volume_capabilities: [capability()],
    parameters: {},
    secrets: {},
    volume_content_source: null,
    accessibility_requirements: null,
    mutable_parameters: {},
    ...overrides,
  };
}

export function capability(mode: number = AccessMode.singleNodeWriter, isBlock = false): object {
  return { ...(isBlock ? { block: {} } : { mount: { fs_type: '' } }), access_mode: { mode } };
}

export function publishRequest(volume: string, node: string): object {
  return { volume_id: volume, node_id: node, volume_capability: capability(), readonly: false, secrets: {} };
}

export function snapshotRequest(name: string, volume: string, parameters: object = {}): object {
  return { name, source_volume_id: volume, parameters, secrets: {} };
}
