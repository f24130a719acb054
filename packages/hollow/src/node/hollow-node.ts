import type { Clock } from '@fairway/base/clock';
import { fullJitterMs } from '@fairway/base/full-jitter';
import type { Logger } from '@fairway/base/log';
import { HttpsTransport, type HttpsTransportOptions } from '@fairway/kube/client/https-transport';
import { KubeClient } from '@fairway/kube/client/kube-client';
import type { Transport } from '@fairway/kube/client/transport';
import type { Node } from '@fairway/kube/kinds/generated/types';
import { Nodes } from '@fairway/kube/kinds/resources';
import { isApiError } from '@fairway/kube/object/api-error';
import { UserDataError } from './cloud-init.ts';
import { registerDriver, topologyLabels } from './csi-node.ts';
import { type NodeBootstrap, parseUserData } from './node-bootstrap.ts';
import { NodeIdentity } from './node-identity.ts';
import { nodeToRegister } from './node-object.ts';
import type { NodeDisks } from './node-state.ts';
import { RunningNode } from './running-node.ts';
import type { ServerInfo } from './server-info.ts';

export interface HollowNodeOptions {
  readonly server: ServerInfo;
  /** As returned by Nova's API or by the metadata service. */
  readonly userData: string | Uint8Array;
  readonly disks: NodeDisks;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Logger;
  /** Replaces HTTPS in tests. */
  readonly createTransport?: (options: HttpsTransportOptions) => Transport;
  /** Receives the lines that cloud-init and kubelet would write to the server's console. */
  readonly console?: (line: string) => void;
}

/** `booting` until the node is registered; `failed` for unusable user data. */
export type NodePhase = 'off' | 'booting' | 'failed' | 'running';

const USER_AGENT = 'kubelet/hollow';
const RETRY_BASE_MS = 1000;
const RETRY_CAP_MS = 60_000;

/**
 * A Kubernetes node without a machine: it does what cloud-init and kubelet do with a server's user data, against any
 * control plane.
 *
 * Guarantees: it reaches the API server only with the credentials in the user data; it retries until an outage is over;
 * `stop` leaves no timer or connection behind. Caveats: programs, probes and logs do not exist; see
 * `container-behavior.ts` for what containers do.
 */
export class HollowNode {
  readonly #options: Omit<HollowNodeOptions, 'userData'>;
  readonly #log: Logger;
  /** The user data, kept only until it has been read: it is larger than the rest of a node's state. */
  #installation: { readonly userData: string | Uint8Array } | { readonly bootstrap: NodeBootstrap };
  #phase: NodePhase = 'off';
  #stopping: AbortController | undefined;
  #done: Promise<void> = Promise.resolve();
  #running: RunningNode | undefined;
  #lastMessage = '';

  constructor({ userData, ...options }: HollowNodeOptions) {
    this.#options = options;
    this.#installation = { userData };
    this.#log = options.log.child({ node: options.server.name, server: options.server.id });
  }

  get phase(): NodePhase {
    return this.#phase;
  }

  /** Boots, or reboots after a stop. */
  start(): void {
    if (this.#stopping !== undefined) return;
    const stopping = new AbortController();
    this.#stopping = stopping;
    this.#phase = 'booting';
    this.#done = this.#boot(stopping.signal).catch((error: unknown) => {
      if (stopping.signal.aborted) return;
      this.#phase = 'failed';
      this.#console(`cloud-init: ${(error as Error).message}`);
      if (!(error instanceof UserDataError)) this.#log.error({ err: error }, 'hollow node has failed');
    });
  }

  /** Stops without reporting, like a machine that loses power. */
  async stop(): Promise<void> {
    this.#stopping?.abort(new Error('the node is off'));
    await this.#done;
    this.#running?.close();
    this.#running = undefined;
    this.#stopping = undefined;
    this.#phase = 'off';
  }

  /** Shuts down gracefully: reports that it is not ready, then stops. */
  async shutdown(): Promise<void> {
    await this.#running?.announceShutdown();
    await this.stop();
  }

  async #boot(signal: AbortSignal): Promise<void> {
    const { server, disks, clock, random } = this.#options;
    const bootstrap = this.#install();
    const nodeName = bootstrap.nodeName ?? server.name;
    const identity = await NodeIdentity.load({
      serverId: server.id,
      nodeName,
      bootstrap,
      disks,
      createTransport: this.#options.createTransport ?? ((options) => new HttpsTransport(options)),
      clock,
      random,
      log: this.#log,
    });
    this.#console(`cloud-init: ${nodeName} joins ${bootstrap.server}`);
    await this.#persist('get a certificate', signal, () => identity.ensureClient(signal));
    const client = new KubeClient(identity.connect(), { userAgent: USER_AGENT, clock });
    const closeOnAbort = () => client.close();
    signal.addEventListener('abort', closeOnAbort, { once: true });
    const version = await this.#persist('reach the API server', signal, () => kubeletVersion(client, bootstrap));
    const node = await this.#persist('register', signal, () =>
      register(client, nodeName, this.#options, bootstrap, signal),
    );
    await this.#persist('register its CSI driver', signal, () => registerDriver(client, node, server, signal));
    this.#running = new RunningNode({
      client,
      node,
      identity,
      bootstrap,
      server,
      version,
      clock,
      random,
      log: this.#log,
    });
    this.#running.start(signal);
    this.#phase = 'running';
    this.#console(`kubelet: node ${nodeName} is registered`);
    this.#log.info({ apiServer: bootstrap.server }, 'hollow node is registered');
  }

  #install(): NodeBootstrap {
    if ('bootstrap' in this.#installation) return this.#installation.bootstrap;
    const bootstrap = parseUserData(this.#installation.userData);
    this.#installation = { bootstrap };
    return bootstrap;
  }

  /** Retries with backoff until it succeeds; prints each distinct failure to the console once. */
  async #persist<T>(what: string, signal: AbortSignal, attempt: () => Promise<T>): Promise<T> {
    const { clock, random } = this.#options;
    for (let failures = 0; ; failures++) {
      try {
        return await attempt();
      } catch (error) {
        signal.throwIfAborted();
        const message = `kubelet: cannot ${what}: ${(error as Error).message}`;
        if (message !== this.#lastMessage) this.#console(message);
        this.#lastMessage = message;
        this.#log.debug({ err: error, failures }, 'hollow node cannot boot yet');
        await clock.sleep(100 + fullJitterMs(failures, RETRY_BASE_MS, RETRY_CAP_MS, random), signal);
      }
    }
  }

  #console(line: string): void {
    this.#options.console?.(line);
  }
}

/** The kubelet that the user data installs, or one of the control plane's own version from the image. */
async function kubeletVersion(client: KubeClient, { kubernetesVersion }: NodeBootstrap): Promise<string> {
  if (kubernetesVersion !== undefined) return kubernetesVersion;
  const { gitVersion } = await client.version();
  return /^v?(\d+\.\d+\.\d+)/.exec(gitVersion)?.[1] ?? gitVersion;
}

/** Creates the Node; if it already exists, updates its labels, as kubelet does. */
async function register(
  client: KubeClient,
  name: string,
  { server }: Pick<HollowNodeOptions, 'server'>,
  bootstrap: NodeBootstrap,
  signal: AbortSignal,
): Promise<Node> {
  const nodes = client.resource(Nodes);
  const { metadata, ...others } = nodeToRegister(name, bootstrap);
  const registration = {
    ...others,
    metadata: { ...metadata, labels: { ...metadata.labels, ...topologyLabels(server) } },
  };
  try {
    return await nodes.create(registration, { signal });
  } catch (error) {
    if (!isApiError(error, 'AlreadyExists')) throw error;
    const current = await nodes.get(name, { signal });
    const labels = { ...registration.metadata.labels };
    const isSame = Object.entries(labels).every(([key, value]) => current.metadata.labels?.[key] === value);
    return isSame ? current : nodes.patch(name, { type: 'merge', value: { metadata: { labels } } }, { signal });
  }
}
