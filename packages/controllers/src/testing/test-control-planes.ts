import type { UnenforcedFields } from '@fairway/api/admission/unenforced-fields';
import type { UserInfo } from '@fairway/apiserver/auth/user';
import { builtinDefinitions } from '@fairway/apiserver/kinds/definitions';
import { ApiServer } from '@fairway/apiserver/server/api-server';
import { MemoryStore } from '@fairway/apiserver/store/memory-store';
import type { Clock } from '@fairway/base/clock';
import {
  type ControlPlaneRuntime,
  type ControlPlaneSpec,
  type ControlPlaneSpread,
  type ControlPlaneState,
  type ControlPlaneUsage,
  ONE_COPY,
} from '@fairway/control-plane/runtime';
import { HOLLOW_RESOURCES } from '@fairway/hollow/control-plane/resources';
import { KubeClient } from '@fairway/kube/client/kube-client';
import { Namespaces } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import type { KubeObject } from '@fairway/kube/object/meta';
import { tenantNodes } from '@fairway/tenancy/connection/node';
import { LONG_WATCH_SECONDS } from './long-watches.ts';

export const TENANT_ADMIN: UserInfo = { username: 'fairway', groups: ['system:masters', 'system:authenticated'] };

/** The system information that a kubelet reports. */
export const NODE_INFO = {
  architecture: 'amd64',
  containerRuntimeVersion: 'containerd://2.1.4',
  kernelVersion: '6.8',
  kubeProxyVersion: '',
  machineID: 'm',
  operatingSystem: 'linux',
  osImage: 'Ubuntu 24.04',
  systemUUID: 's',
};

/** The allocatable resources of a machine with two CPUs and 8 GiB. */
const ALLOCATABLE = { cpu: '1840m', memory: '6Gi', pods: '110' };

/** Control planes that are only API servers in memory: without certificates, sockets, controllers or start-up time. */
export class TestControlPlanes implements ControlPlaneRuntime {
  readonly name = 'test';
  /** The number of copies of each API server; tests may change it. */
  spread: ControlPlaneSpread = ONE_COPY;
  reachesNodes = false;
  readonly reviewsTokens = true;
  readonly #servers = new Map<string, ApiServer>();
  readonly #listeners = new Set<(clusterUid: string) => void>();
  readonly #clock: Clock;
  #bootIDs = 0;
  /** The specs passed to each call to `ensure`. */
  readonly requestedSpecs: ControlPlaneSpec[] = [];
  /** Each call to `wipe`. */
  readonly wipeCalls: string[] = [];
  /** How long API servers take from their first `ensure` until they serve requests, in ms. */
  startMs = 0;
  readonly #starting = new Set<string>();
  /** The error that `ensure` throws while it is set. */
  failure: Error | undefined;

  /** The versions with available binaries; undefined for any. */
  availableVersions: readonly string[] | undefined;
  /** Additional parts of their reported state; see `reportState`. */
  #stateOverrides: Partial<ControlPlaneState> = {};
  /** Hibernated control planes, with their data. */
  readonly #hibernated = new Set<string>();
  /** Versions that do not start, so that the cluster is left without an API server. */
  readonly broken = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  unenforcedFields(): Promise<UnenforcedFields> {
    return Promise.resolve({});
  }

  auditLog(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  versions(): Promise<readonly string[] | undefined> {
    return Promise.resolve(this.availableVersions);
  }

  async ensure(spec: ControlPlaneSpec): Promise<ControlPlaneState> {
    this.requestedSpecs.push(spec);
    if (this.failure) throw this.failure;
    const { uid } = spec.cluster;
    this.#hibernated.delete(uid);
    if (!this.#servers.has(uid)) {
      await this.adopt(uid);
      if (this.startMs > 0) this.#startSlowly(uid);
    }
    if (this.#starting.has(uid)) {
      return {
        phase: 'Starting',
        endpoint: undefined,
        version: spec.version,
        ready: false,
        reason: 'Provisioning',
        message: 'kube-apiserver is starting',
        etcdUsageBytes: undefined,
      };
    }
    if (this.broken.has(spec.version)) {
      return {
        phase: 'Failed',
        endpoint: { host: '127.0.0.1', port: 6443 },
        version: spec.version,
        ready: false,
        reason: 'ControlPlaneFailed',
        message: 'kube-apiserver is not running',
        etcdUsageBytes: undefined,
      };
    }
    return {
      phase: 'Running',
      endpoint: { host: '127.0.0.1', port: 6443 },
      version: spec.version,
      ready: true,
      reason: 'AsExpected',
      message: '',
      etcdUsageBytes: undefined,
      ...this.#stateOverrides,
    };
  }

  #startSlowly(uid: string): void {
    this.#starting.add(uid);
    this.#clock.after(this.startMs, () => {
      this.#starting.delete(uid);
      this.#announce(uid);
    });
  }

  /** Makes all control planes report this state from now on, as a runtime does. */
  reportState(state: Partial<ControlPlaneState>): void {
    this.#stateOverrides = state;
    for (const uid of this.#servers.keys()) this.#announce(uid);
  }

  #announce(uid: string): void {
    for (const listener of this.#listeners) listener(uid);
  }

  /** Adds an existing control plane of the cluster. */
  async adopt(uid: string): Promise<void> {
    this.#servers.set(uid, this.#start());
    const kubeSystem = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kube-system' }, spec: {} };
    await this.client(uid).resource(Namespaces).create(kubeSystem);
  }

  hibernate(clusterUid: string): Promise<boolean> {
    if (this.failure) return Promise.reject(this.failure);
    const isHibernated = this.#hibernated.has(clusterUid) || !this.#servers.has(clusterUid);
    this.#hibernated.add(clusterUid);
    // Hibernation takes a moment, and reports when it is done.
    if (!isHibernated) queueMicrotask(() => this.#announce(clusterUid));
    return Promise.resolve(isHibernated);
  }

  isHibernated(clusterUid: string): boolean {
    return this.#hibernated.has(clusterUid);
  }

  async wipe(clusterUid: string): Promise<boolean> {
    if (this.failure) throw this.failure;
    this.wipeCalls.push(clusterUid);
    const server = this.#servers.get(clusterUid);
    this.#servers.delete(clusterUid);
    await server?.close();
    return true;
  }

  async remove(clusterUid: string): Promise<boolean> {
    const server = this.#servers.get(clusterUid);
    this.#servers.delete(clusterUid);
    await server?.close();
    return true;
  }

  release(): Promise<void> {
    return Promise.resolve();
  }

  list(): Promise<readonly string[]> {
    return Promise.resolve([...this.#servers.keys()]);
  }

  usage(): ControlPlaneUsage {
    return { managed: 0, running: 0, restarts: 0, memoryBytes: undefined };
  }

  onChange(listener: (clusterUid: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    for (const uid of this.#servers.keys()) await this.remove(uid);
  }

  server(clusterUid: string): ApiServer {
    const server = this.#servers.get(clusterUid);
    if (server === undefined) throw new Error(`there is no control plane of cluster ${clusterUid}`);
    if (this.#hibernated.has(clusterUid)) throw new Error(`the control plane of cluster ${clusterUid} is hibernated`);
    return server;
  }

  /** The tenant's API as this user. */
  client(clusterUid: string, user: UserInfo = TENANT_ADMIN): KubeClient {
    return new KubeClient(this.server(clusterUid).transport(user), { clock: this.#clock });
  }

  /** Makes a server's node Ready, as a kubelet that has just booted and the cloud provider would. */
  async join(clusterUid: string, name: string, version = '1.34.2'): Promise<void> {
    if (!this.#servers.has(clusterUid) || this.#hibernated.has(clusterUid)) return;
    const nodes = this.client(clusterUid).resource(tenantNodes);
    try {
      await nodes.create({ apiVersion: 'v1', kind: 'Node', metadata: { name } } satisfies KubeObject);
    } catch (error) {
      if (!isApiError(error, 'AlreadyExists')) throw error;
    }
    const status = {
      conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: '' }],
      nodeInfo: { ...NODE_INFO, kubeletVersion: `v${version}`, bootID: `boot-${++this.#bootIDs}` },
      allocatable: ALLOCATABLE,
    };
    await nodes.patch(name, { type: 'merge', value: { status } }, { subresource: 'status' });
  }

  #start(): ApiServer {
    return new ApiServer({
      store: new MemoryStore(),
      resources: HOLLOW_RESOURCES,
      definitions: builtinDefinitions(),
      clock: this.#clock,
      version: { gitVersion: 'v1.34.2', major: '1', minor: '34' },
      bookmarkMs: LONG_WATCH_SECONDS * 1_000,
    });
  }
}
