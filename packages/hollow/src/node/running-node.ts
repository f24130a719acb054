import { createHash } from 'node:crypto';
import type { Clock, Timer } from '@fairway/base/clock';
import { fullJitterMs } from '@fairway/base/full-jitter';
import type { Logger } from '@fairway/base/log';
import { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import type { Node } from '@fairway/kube/kinds/generated/types';
import { Nodes } from '@fairway/kube/kinds/resources';
import { parseAmounts } from '@fairway/kube/object/pod-resources';
import type { NodeBootstrap } from './node-bootstrap.ts';
import type { NodeIdentity } from './node-identity.ts';
import { NodeLease } from './node-lease.ts';
import { nodeStatus } from './node-object.ts';
import { NodeVolumes } from './node-volumes.ts';
import { PodAddresses } from './pod-addresses.ts';
import { PodRunner } from './pod-runner.ts';
import type { ServerInfo } from './server-info.ts';

export interface RunningNodeOptions {
  readonly client: KubeClient;
  readonly node: Node;
  readonly identity: NodeIdentity;
  readonly bootstrap: NodeBootstrap;
  readonly server: ServerInfo;
  /** The kubelet version, without `v`. */
  readonly version: string;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
}

/** kubelet checks each pod's volumes about once a minute. */
const VOLUME_CHECK_INTERVAL_MS = 60_000;
/** kubelet renews its Lease four times within its duration. */
const RENEWALS_PER_LEASE = 4;
const RENEWAL_JITTER = 0.04;
const RENEWAL_RETRY_BASE_MS = 200;
const RENEWAL_RETRY_CAP_MS = 7000;
/** Nodes in one process renew at the same time, so their writes share a commit. */
const HEARTBEAT_INTERVAL_MS = 250;
const STATUS_INTERVAL_MS = 300_000;
const STATUS_RETRY_MS = 10_000;
/** How long a node waits for an allocated pod CIDR before it chooses one. */
const POD_CIDR_TIMEOUT_MS = 10_000;

const GENERATION_SINCE_MINOR = 34;
/** The first minor version whose kubelet resizes pods in place by default. */
const RESIZE_SINCE_MINOR = 33;

/** A registered node: heartbeats, status, pod network, serving certificate and pods, until it is stopped. */
export class RunningNode {
  readonly #options: RunningNodeOptions;
  readonly #lease: NodeLease;
  readonly #pods: PodRunner;
  readonly #volumes: NodeVolumes;
  readonly #addresses = Promise.withResolvers<PodAddresses>();
  readonly #timers = new Map<'lease' | 'status' | 'podCidr' | 'serving' | 'volumes', Timer>();
  #node: Node;
  #signal: AbortSignal = AbortSignal.abort();
  #isNetworkReady = false;
  #isShuttingDown = false;
  #hasRequestedServing = false;
  #isStatusDue = false;
  #isReporting = false;
  #renewalFailures = 0;
  #renewedMs = 0;
  /** Whether the node has been silent for so long that the control plane considers it lost or will soon. */
  #isPresumedLost = false;

  constructor(options: RunningNodeOptions) {
    const { client, node, bootstrap, clock, random, log } = options;
    this.#options = options;
    this.#node = node;
    this.#volumes = new NodeVolumes({
      client,
      nodeName: node.metadata.name ?? '',
      onChange: () => this.#reportStatus(),
    });
    this.#lease = new NodeLease(client, node, bootstrap.kubelet.nodeLeaseDurationSeconds);
    this.#pods = new PodRunner({
      client,
      nodeName: node.metadata.name ?? '',
      hostIp: bootstrap.flags.nodeIp?.split(',')[0] ?? options.server.addresses[0],
      addresses: () => this.#addresses.promise,
      reportsGeneration: isAtLeastMinor(options.version, GENERATION_SINCE_MINOR),
      resizes: isAtLeastMinor(options.version, RESIZE_SINCE_MINOR),
      allocatable: () => parseAmounts(this.#node.status?.allocatable),
      volumes: this.#volumes,
      clock,
      random,
      log,
    });
  }

  start(signal: AbortSignal): void {
    const { client, identity } = this.#options;
    this.#signal = signal;
    this.#renewedMs = this.#options.clock.now();
    signal.addEventListener('abort', () => this.#cancelTimers(), { once: true });
    identity.keepFresh(client, signal);
    this.#adopt(this.#node);
    void this.#renewLease();
    this.#reportStatus();
    this.#pods.start(signal);
    this.#growFileSystems();
    if (!this.#isSettled()) this.#followUntilSettled();
  }

  /** Reports that the node is not ready; failures are ignored. */
  async announceShutdown(): Promise<void> {
    this.#isShuttingDown = true;
    await this.#patchStatus().catch(() => undefined);
  }

  close(): void {
    this.#cancelTimers();
    this.#options.client.close();
  }

  /** Watches the Node object until controllers have set all required fields. */
  #followUntilSettled(): void {
    const { client, clock, random } = this.#options;
    const settled = new AbortController();
    const stop = () => settled.abort();
    // A remaining listener would keep the informer alive while the node runs.
    this.#signal.addEventListener('abort', stop, { once: true, signal: settled.signal });
    const take = (node: Node) => {
      this.#adopt(node);
      if (this.#isSettled()) stop();
    };
    const fieldSelector = `metadata.name=${this.#node.metadata.name}`;
    const informer = new Informer(client.resource(Nodes), { fieldSelector, clock, random });
    informer.addHandler({ onAdd: take, onUpdate: (_, node) => take(node) });
    informer.start(settled.signal);
    this.#after('podCidr', POD_CIDR_TIMEOUT_MS, () => {
      if (!this.#isNetworkReady) this.#joinPodNetwork(fallbackPodCidr(this.#options.server.id));
      if (this.#isSettled()) stop();
    });
  }

  #isSettled(): boolean {
    return this.#isNetworkReady && (this.#hasRequestedServing || !this.#options.bootstrap.kubelet.serverTLSBootstrap);
  }

  #adopt(node: Node): void {
    this.#node = node;
    const { podCIDR } = node.spec;
    if (podCIDR && !this.#isNetworkReady) this.#joinPodNetwork(podCIDR);
    const addresses = node.status?.addresses ?? [];
    if (this.#options.bootstrap.kubelet.serverTLSBootstrap && addresses.length > 0 && !this.#hasRequestedServing) {
      this.#hasRequestedServing = true;
      void this.#requestServingCertificate();
    }
  }

  #joinPodNetwork(cidr: string): void {
    try {
      this.#addresses.resolve(new PodAddresses(cidr));
    } catch (error) {
      const fallback = fallbackPodCidr(this.#options.server.id);
      this.#options.log.warn({ err: error, cidr, fallback }, 'node cannot use its pod CIDR');
      this.#addresses.resolve(new PodAddresses(fallback));
    }
    this.#isNetworkReady = true;
    this.#reportStatus();
  }

  async #requestServingCertificate(): Promise<void> {
    const { client, identity, log } = this.#options;
    const addresses = this.#node.status?.addresses ?? [];
    const addressesOfTypes = (...types: string[]) => [
      ...new Set(addresses.filter(({ type }) => types.includes(type)).map(({ address }) => address)),
    ];
    const names = {
      ipAddresses: addressesOfTypes('InternalIP', 'ExternalIP'),
      dnsNames: addressesOfTypes('Hostname', 'InternalDNS', 'ExternalDNS'),
    };
    try {
      await identity.ensureServing(client, names, this.#signal);
    } catch (error) {
      if (this.#signal.aborted) return;
      log.debug({ err: error }, 'node has no serving certificate yet');
      this.#after('serving', STATUS_RETRY_MS, () => void this.#requestServingCertificate());
    }
  }

  async #renewLease(): Promise<void> {
    const { clock, random, log, bootstrap } = this.#options;
    const leaseMs = bootstrap.kubelet.nodeLeaseDurationSeconds * 1000;
    const periodMs = leaseMs / RENEWALS_PER_LEASE;
    try {
      await this.#lease.renew(clock.now(), this.#signal);
      this.#renewalFailures = 0;
      const sinceRenewalMs = clock.now() - this.#renewedMs;
      this.#renewedMs = clock.now();
      if (sinceRenewalMs > leaseMs) {
        this.#isPresumedLost = true;
        this.#reportStatus();
      }
      const dueMs = clock.now() + periodMs * (1 + RENEWAL_JITTER * random());
      this.#after(
        'lease',
        Math.ceil(dueMs / HEARTBEAT_INTERVAL_MS) * HEARTBEAT_INTERVAL_MS - clock.now(),
        () => void this.#renewLease(),
      );
    } catch (error) {
      if (this.#signal.aborted) return;
      log.debug({ err: error }, 'node cannot renew its lease');
      const delayMs = fullJitterMs(this.#renewalFailures++, RENEWAL_RETRY_BASE_MS, RENEWAL_RETRY_CAP_MS, random);
      this.#after('lease', 100 + delayMs, () => void this.#renewLease());
    }
  }

  /** Reports the status now, and again if something changes in the meantime. */
  #reportStatus(): void {
    this.#isStatusDue = true;
    if (!this.#isReporting) void this.#reportUntilDone();
  }

  async #reportUntilDone(): Promise<void> {
    const { random, log } = this.#options;
    this.#isReporting = true;
    try {
      while (this.#isStatusDue && !this.#signal.aborted) {
        this.#isStatusDue = false;
        await this.#patchStatus();
      }
      const periodMs = this.#isPresumedLost ? STATUS_RETRY_MS : STATUS_INTERVAL_MS;
      this.#isPresumedLost = false;
      this.#after('status', periodMs * (1 + RENEWAL_JITTER * random()), () => this.#reportStatus());
    } catch (error) {
      log.debug({ err: error }, 'node cannot report its status');
      this.#after('status', STATUS_RETRY_MS * (0.5 + random()), () => this.#reportStatus());
    }
    this.#isReporting = false;
  }

  async #patchStatus(): Promise<void> {
    const { client, clock, server, bootstrap, version } = this.#options;
    const name = this.#node.metadata.name ?? '';
    const runtimeState = {
      nowMs: clock.now(),
      version,
      isNetworkReady: this.#isNetworkReady,
      isShuttingDown: this.#isShuttingDown,
      volumesInUse: this.#volumes.inUse,
    };
    const status = nodeStatus(name, server, bootstrap, runtimeState, this.#node.status);
    const patch = { type: 'strategic', value: { status } } as const;
    this.#adopt(await client.resource(Nodes).patch(name, patch, { subresource: 'status', signal: this.#signal }));
  }

  #growFileSystems(): void {
    this.#after('volumes', VOLUME_CHECK_INTERVAL_MS, () => {
      const { log } = this.#options;
      void this.#volumes
        .grow(this.#signal)
        .catch((error: unknown) => log.debug({ err: error }, 'node cannot grow file systems'))
        .then(() => this.#growFileSystems());
    });
  }

  #after(what: 'lease' | 'status' | 'podCidr' | 'serving' | 'volumes', delayMs: number, callback: () => void): void {
    this.#timers.get(what)?.cancel();
    if (this.#signal.aborted) return;
    const run = () => {
      this.#timers.delete(what);
      callback();
    };
    this.#timers.set(what, this.#options.clock.after(delayMs, run));
  }

  #cancelTimers(): void {
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
  }
}

/** A /24 of 100.64.0.0/10 derived from the server's id. */
function fallbackPodCidr(serverId: string): string {
  const index = createHash('sha256').update(serverId).digest().readUInt16BE(0) % (64 * 256);
  return `100.${64 + Math.floor(index / 256)}.${index % 256}.0/24`;
}

function isAtLeastMinor(version: string, minor: number): boolean {
  return Number(version.split('.')[1]) >= minor;
}
