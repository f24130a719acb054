import type { Clock } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import { Attempts, type RetryDecision } from '@fairway/kube/controller/attempts';
import type { Tenure } from '@fairway/kube/controller/key-owner';
import type { ProjectCache } from '@fairway/openstack/cache/project-cache';
import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import { type CloudLoadBalancers, DEFAULT_LOAD_BALANCERS } from '@fairway/openstack/config/load-balancer-settings';
import { DEFAULT_NODE_ADDRESSES, type NodeAddressSettings } from '@fairway/openstack/config/node-address-settings';
import { isOpenStackError, type OpenStackErrorKind } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { Volume, VolumeSnapshot } from '@fairway/openstack/types/block-storage';
import type { ServerGroup } from '@fairway/openstack/types/compute';
import type { KeySecret } from '@fairway/openstack/types/key-manager';
import type { HealthMonitor, Listener, LoadBalancer, Pool } from '@fairway/openstack/types/load-balancer';
import type { FloatingIp, Network, Port, Router, Subnet } from '@fairway/openstack/types/network';
import type { SecurityGroup } from '@fairway/openstack/types/security-group';
import type { Server } from '@fairway/openstack/types/server';
import type { Share } from '@fairway/openstack/types/shared-file-system';
import { type InheritedUncertainty, Ledger } from './ledger.ts';
import { QuotaLookup } from './quota-lookup.ts';
import { RouterAttachments } from './router-attachments.ts';

/** The ID of a server that appears only in the ledger. */
export interface ServerRef {
  readonly id: string;
}

/** How long a request without a response may still take effect. */
export const DEFAULT_SETTLE_MS = 10_000;

/** The purpose for which a server was rebuilt, according to its metadata. */
export interface Rebuild {
  readonly id: string;
}

interface Ledgers {
  readonly servers: Ledger<ServerRef>;
  readonly rebuilds: Ledger<Rebuild>;
  readonly serverGroups: Ledger<ServerGroup>;
  readonly networks: Ledger<Network>;
  readonly subnets: Ledger<Subnet>;
  readonly routers: Ledger<Router>;
  readonly ports: Ledger<Port>;
  readonly securityGroups: Ledger<SecurityGroup>;
  readonly floatingIps: Ledger<FloatingIp>;
  readonly loadBalancers: Ledger<LoadBalancer>;
  readonly listeners: Ledger<Listener>;
  readonly pools: Ledger<Pool>;
  readonly healthMonitors: Ledger<HealthMonitor>;
  readonly keySecrets: Ledger<KeySecret>;
  readonly volumes: Ledger<Volume>;
  readonly volumeSnapshots: Ledger<VolumeSnapshot>;
  readonly shares: Ledger<Share>;
}

function newLedgers(settleMs: number, inheritedUncertainty: InheritedUncertainty | undefined): Ledgers {
  const ledger = <T extends { readonly id: string }>() => new Ledger<T>(settleMs, inheritedUncertainty);
  return {
    servers: ledger(),
    rebuilds: ledger(),
    serverGroups: ledger(),
    networks: ledger(),
    subnets: ledger(),
    routers: ledger(),
    ports: ledger(),
    securityGroups: ledger(),
    floatingIps: ledger(),
    loadBalancers: ledger(),
    listeners: ledger(),
    pools: ledger(),
    healthMonitors: ledger(),
    keySecrets: ledger(),
    volumes: ledger(),
    volumeSnapshots: ledger(),
    shares: ledger(),
  };
}

const NO_LISTS: Snapshot<Server> = { items: new Map(), listedAtMs: undefined };

export interface ProjectCloudOptions {
  readonly name: string;
  readonly region: string;
  readonly credentialKey?: string | undefined;
  readonly client: OpenStackClient;
  readonly cache: ProjectCache;
  /** By default, all addresses are used. */
  readonly nodeAddresses?: NodeAddressSettings;
  /** Whether all nodes boot with a config drive, because the cloud has no metadata service that nodes can reach. */
  readonly configDrive?: boolean;
  /** By default, those of cloud-provider-openstack. */
  readonly loadBalancers?: CloudLoadBalancers;
  readonly clock: Clock;
  readonly settleMs?: number;
  /** Uniform in [0, 1); for jitter. */
  readonly random?: () => number;
  readonly log?: Logger;
  /** This process's tenure; by default, it begins when the process starts. */
  readonly tenure?: Tenure;
}

/** One project of one cloud, shared by all clusters in it: the client, the cache, and the ledger of pending requests. */
export class ProjectCloud {
  /** Name of the entry in clouds.yaml. */
  readonly name: string;
  readonly region: string;
  /** `namespace/name` of the CloudCredential; undefined for the operator's own login. */
  readonly credentialKey: string | undefined;
  readonly client: OpenStackClient;
  readonly cache: ProjectCache;
  /** The rules that select a node's addresses from its server's. */
  readonly nodeAddresses: NodeAddressSettings;
  /** Whether all nodes boot with a config drive. */
  readonly configDrive: boolean;
  /** The default settings for load balancers. */
  readonly loadBalancers: CloudLoadBalancers;
  readonly ledgers: Ledgers;
  readonly attachments: RouterAttachments;
  /** Backoff for failing calls, shared by all clusters in the project. */
  readonly attempts: Attempts;
  /**
   * Lists that began before this may miss pending requests of a killed or fenced process, so they don't prove absence.
   */
  readonly trustedFromMs: number;
  /** Lists that began before this are not used. */
  readonly listedFromMs: number;
  readonly #options: ProjectCloudOptions;
  readonly #clock: Clock;
  readonly #quotas: QuotaLookup;
  readonly #newIdentities = new Set<string>();

  constructor(options: ProjectCloudOptions, attempts = newAttempts(options)) {
    this.attempts = attempts;
    this.#options = options;
    const settleMs = options.settleMs ?? DEFAULT_SETTLE_MS;
    this.name = options.name;
    this.region = options.region;
    this.credentialKey = options.credentialKey;
    this.client = options.client;
    this.cache = options.cache;
    this.attachments = new RouterAttachments(options.cache.routerInterfaces);
    this.configDrive = options.configDrive ?? false;
    this.nodeAddresses = options.nodeAddresses ?? DEFAULT_NODE_ADDRESSES;
    this.loadBalancers = options.loadBalancers ?? DEFAULT_LOAD_BALANCERS;
    this.#clock = options.clock;
    this.#quotas = new QuotaLookup(options.client, options.clock);
    const { tenure } = options;
    const isNew = (owner: string) => [...this.#newIdentities].some((identity) => owner.includes(identity));
    this.ledgers = newLedgers(settleMs, tenure?.isInherited ? { untilMs: tenure.sinceMs, isNew } : undefined);
    this.listedFromMs = tenure?.sinceMs ?? Number.NEGATIVE_INFINITY;
    const settledAtMs = tenure?.isInherited === false ? 0 : settleMs;
    this.trustedFromMs = (tenure?.sinceMs ?? options.clock.now()) + settledAtMs;
  }

  /** The same project, with only the state of the given tenure. */
  during(tenure: Tenure): ProjectCloud {
    return new ProjectCloud({ ...this.#options, tenure }, this.attempts);
  }

  /**
   * Records that the Cluster, NodePool or Machine with this identity has just been created here: no other process can
   * have sent requests for it.
   */
  recordNew(identity: string): void {
    if (this.now() < this.trustedFromMs) this.#newIdentities.add(identity);
  }

  /** The servers as last listed; undefined before the first conclusive list. */
  listedServers(): Snapshot<Server> {
    const snapshot = this.cache.servers.snapshot();
    return (snapshot.listedAtMs ?? Number.NEGATIVE_INFINITY) > this.listedFromMs ? snapshot : NO_LISTS;
  }

  now(): number {
    return this.#clock.now();
  }

  /** Ends the backoff for failing calls, because their cause has been fixed. */
  retryNow(): void {
    this.cache.retryNow();
    this.attempts.retryNow();
  }

  /**
   * The earliest start of a conclusive list: at most `maxAgeMs` ago, after the settle time of all requests with
   * an unknown outcome, from this run and a previous one, and after the start of the tenure.
   */
  reliableFromMs<T extends { readonly id: string }>(ledger: Ledger<T>, maxAgeMs: number): number {
    const nowMs = this.now();
    const startMs = this.trustedFromMs <= nowMs ? this.trustedFromMs : Number.NEGATIVE_INFINITY;
    return Math.max(nowMs - maxAgeMs, ledger.lastResolvedMs(nowMs), startMs, this.listedFromMs);
  }

  /**
   * Like `reliableFromMs`, but late enough to include everything that this process has created itself. For callers that
   * read only the list, without the ledger's records.
   */
  completeFromMs<T extends { readonly id: string }>(ledger: Ledger<T>, maxAgeMs: number): number {
    return Math.max(this.reliableFromMs(ledger, maxAgeMs), ledger.lastWrittenMs);
  }

  /**
   * Creates a resource and records the outcome; if there is no response, the outcome is recorded as unknown and the
   * error is thrown. A failed create backs off, together with others in its `group` and, for a shared cause, in the
   * whole project. During the backoff, a BackoffError is thrown without a call.
   */
  make<T extends { readonly id: string }>(
    ledger: Ledger<T>,
    owner: string,
    create: () => Promise<T>,
    group = owner,
  ): Promise<T> {
    // A failure of one item affects its group: machines in a pool are created with the same parameters.
    return this.attempts.withBackoff({ kind: `create ${this.#nameOf(ledger)}`, item: group }, async () => {
      try {
        const createdResource = await create();
        ledger.recordWritten(owner, createdResource, this.now());
        return createdResource;
      } catch (error) {
        if (isOpenStackError(error) && error.outcome === 'unknown') ledger.recordUnknown(owner, this.now());
        throw await this.#quotas.failureMessage(error, 1);
      }
    });
  }

  /** Performs a call that creates `count` resources without a ledger. Rejects like `make`, without backoff. */
  async withQuotas<T>(count: number, create: () => Promise<T>): Promise<T> {
    try {
      return await create();
    } catch (error) {
      throw await this.#quotas.failureMessage(error, count);
    }
  }

  /** Deletes a resource that may no longer exist, and records it; a failed deletion backs off like a create. */
  async remove<T extends { readonly id: string }>(
    ledger: Ledger<T>,
    id: string,
    remove: () => Promise<unknown>,
  ): Promise<void> {
    await this.attempts.withBackoff({ kind: `delete ${this.#nameOf(ledger)}`, item: id, group: 'all' }, async () => {
      try {
        await remove();
      } catch (error) {
        if (!isOpenStackError(error, 'notFound')) throw error;
      }
    });
    ledger.recordDeleted(id, this.now());
  }

  #nameOf(ledger: object): string {
    return Object.entries(this.ledgers).find(([, each]) => each === ledger)?.[0] ?? 'resources';
  }
}

function newAttempts({ clock, name, random = Math.random, log = silentLogger }: ProjectCloudOptions): Attempts {
  return new Attempts({ clock, random, classify: classifyCall, log: log.child({ cloud: name }) });
}

/** Failures that affect the whole project. */
const SHARED_CALL: ReadonlySet<OpenStackErrorKind> = new Set([
  'quotaExceeded',
  'rateLimited',
  'unauthorized',
  'forbidden',
  'unavailable',
  'timeout',
  'network',
]);

function classifyCall(error: unknown): RetryDecision | undefined {
  if (!isOpenStackError(error)) return undefined;
  const { kind, retryAfterMs } = error;
  return { cause: kind, isShared: SHARED_CALL.has(kind), minimumMs: retryAfterMs };
}

/** The cloud, project and credential of a namespace's clusters. */
export interface Clouds {
  /**
   * Given the name of a CloudCredential, its project; undefined if the credential does not exist, or the operator has
   * not configured its cloud. Without a name, the cloud that the operator assigned to the namespace, if any.
   */
  forNamespace(namespace: string, credentialName?: string): ProjectCloud | undefined;

  /** Stops the caches of a deleted CloudCredential (`namespace/name`). */
  forgetCredential(credentialKey: string): void;
}
