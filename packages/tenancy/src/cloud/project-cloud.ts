import type { Clock } from '@fairway/base/clock';
import { type Logger, silentLogger } from '@fairway/base/log';
import { Attempts, type AttemptVerdict } from '@fairway/kube/controller/attempts';
import type { Tenure } from '@fairway/kube/controller/key-owner';
import type { ProjectCache } from '@fairway/openstack/cache/project-cache';
import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import { isOpenStackError, type OpenStackErrorKind } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { ServerGroup } from '@fairway/openstack/types/compute';
import type { FloatingIp, Network, Router, Subnet } from '@fairway/openstack/types/network';
import type { SecurityGroup } from '@fairway/openstack/types/security-group';
import type { Server } from '@fairway/openstack/types/server';
import { type Inheritance, Ledger } from './ledger.ts';
import { RouterAttachments } from './router-attachments.ts';

/** A server as far as the ledger knows one that no list has shown: its id. */
export interface ServerRef {
  readonly id: string;
}

/** How long a cloud may still be at work on a request that got no answer. */
export const DEFAULT_SETTLE_MS = 10_000;

interface Ledgers {
  readonly servers: Ledger<ServerRef>;
  readonly serverGroups: Ledger<ServerGroup>;
  readonly networks: Ledger<Network>;
  readonly subnets: Ledger<Subnet>;
  readonly routers: Ledger<Router>;
  readonly securityGroups: Ledger<SecurityGroup>;
  readonly floatingIps: Ledger<FloatingIp>;
}

function newLedgers(settleMs: number, inheritance: Inheritance | undefined): Ledgers {
  const ledger = <T extends { readonly id: string }>() => new Ledger<T>(settleMs, inheritance);
  return {
    servers: ledger(),
    serverGroups: ledger(),
    networks: ledger(),
    subnets: ledger(),
    routers: ledger(),
    securityGroups: ledger(),
    floatingIps: ledger(),
  };
}

const NOTHING_LISTED: Snapshot<Server> = { items: new Map(), listedAtMs: undefined };

export interface ProjectCloudOptions {
  readonly name: string;
  readonly region: string;
  readonly credentialKey?: string | undefined;
  readonly client: OpenStackClient;
  readonly cache: ProjectCache;
  readonly clock: Clock;
  readonly settleMs?: number;
  /** Uniform in [0, 1); for pauses. */
  readonly random?: () => number;
  readonly log?: Logger;
  /** For how long it is this process's to act in; since its start by default. */
  readonly tenure?: Tenure;
}

/** One project of one cloud, as all clusters in it share it: the client, what has been observed, what was asked for since. */
export class ProjectCloud {
  /** Name of the entry in clouds.yaml. */
  readonly name: string;
  readonly region: string;
  /** `namespace/name` of the CloudCredential that it is reached with; undefined for the operator's own login. */
  readonly credentialKey: string | undefined;
  readonly client: OpenStackClient;
  readonly cache: ProjectCache;
  readonly ledgers: Ledgers;
  readonly attachments = new RouterAttachments();
  /** Calls that fail, and when they are tried again: those of all clusters in the project, whosever they are. */
  readonly attempts: Attempts;
  /** Lists that began earlier may miss what a process that was killed or fenced off had asked for: they prove no absence. */
  readonly trustedFromMs: number;
  /** Lists that began earlier show the work of others as it was, and nothing is built upon them. */
  readonly listedFromMs: number;
  readonly #options: ProjectCloudOptions;
  readonly #clock: Clock;
  readonly #new = new Set<string>();

  constructor(options: ProjectCloudOptions, attempts = newAttempts(options)) {
    this.attempts = attempts;
    this.#options = options;
    const settleMs = options.settleMs ?? DEFAULT_SETTLE_MS;
    this.name = options.name;
    this.region = options.region;
    this.credentialKey = options.credentialKey;
    this.client = options.client;
    this.cache = options.cache;
    this.#clock = options.clock;
    const { tenure } = options;
    const isNew = (owner: string) => [...this.#new].some((identity) => owner.includes(identity));
    this.ledgers = newLedgers(settleMs, tenure?.isInherited ? { untilMs: tenure.sinceMs, isNew } : undefined);
    this.listedFromMs = tenure?.sinceMs ?? Number.NEGATIVE_INFINITY;
    const settledMs = tenure?.isInherited === false ? 0 : settleMs;
    this.trustedFromMs = (tenure?.sinceMs ?? options.clock.now()) + settledMs;
  }

  /** The same project, with nothing known of it but what is learnt during the tenure. */
  during(tenure: Tenure): ProjectCloud {
    return new ProjectCloud({ ...this.#options, tenure }, this.attempts);
  }

  /** Says that the Cluster, NodePool or Machine of this identity came into being here and now: nobody else can have asked for anything for it. */
  noteNew(identity: string): void {
    if (this.now() < this.trustedFromMs) this.#new.add(identity);
  }

  /** The servers as last listed; none before a list that may be built upon. */
  listedServers(): Snapshot<Server> {
    const snapshot = this.cache.servers.snapshot();
    return (snapshot.listedAtMs ?? Number.NEGATIVE_INFINITY) > this.listedFromMs ? snapshot : NOTHING_LISTED;
  }

  now(): number {
    return this.#clock.now();
  }

  /** What made calls fail has been fixed: their pauses end. */
  retryNow(): void {
    this.cache.retryNow();
    this.attempts.retryNow();
  }

  /**
   * How late a list must have begun to be built upon: not longer than `maxAgeMs` ago, and after everything that the cloud may have been at work
   * on unknown to us has had its time, of this run of the process and of one that was killed before it. Nor before the tenure began.
   */
  reliableFromMs<T extends { readonly id: string }>(ledger: Ledger<T>, maxAgeMs: number): number {
    const nowMs = this.now();
    const startMs = this.trustedFromMs <= nowMs ? this.trustedFromMs : Number.NEGATIVE_INFINITY;
    return Math.max(nowMs - maxAgeMs, ledger.doubtEndedMs(nowMs), startMs, this.listedFromMs);
  }

  /**
   * Makes a resource and notes the outcome; a create without an answer is noted as unknown and thrown. One that failed rests, together with
   * others of its `group` and, if all would fail alike, those of the whole project: then a BackoffError is thrown and nothing is called.
   */
  make<T extends { readonly id: string }>(
    ledger: Ledger<T>,
    owner: string,
    create: () => Promise<T>,
    group = owner,
  ): Promise<T> {
    // What is only about one is about its group: machines of a pool are asked for alike.
    return this.attempts.make({ kind: `create ${this.#nameOf(ledger)}`, item: group }, async () => {
      try {
        const made = await create();
        ledger.recordMade(owner, made, this.now());
        return made;
      } catch (error) {
        if (isOpenStackError(error) && error.outcome === 'unknown') ledger.recordUnknown(owner, this.now());
        throw error;
      }
    });
  }

  /** Deletes a resource that may be gone already, and notes it; a deletion that failed rests as a create does. */
  async remove<T extends { readonly id: string }>(
    ledger: Ledger<T>,
    id: string,
    remove: () => Promise<unknown>,
  ): Promise<void> {
    await this.attempts.make({ kind: `delete ${this.#nameOf(ledger)}`, item: id, group: 'all' }, async () => {
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
  return new Attempts({ clock, random, judge: judgeCall, log: log.child({ cloud: name }) });
}

/** Failures that the next one in the project would meet, too. */
const SHARED: ReadonlySet<OpenStackErrorKind> = new Set([
  'quotaExceeded',
  'rateLimited',
  'unauthorized',
  'forbidden',
  'unavailable',
  'timeout',
  'network',
]);

function judgeCall(error: unknown): AttemptVerdict | undefined {
  if (!isOpenStackError(error)) return undefined;
  const { kind, retryAfterMs } = error;
  return { cause: kind, isShared: SHARED.has(kind), minimumMs: retryAfterMs };
}

/** Which cloud, project and credential a namespace's clusters live in. */
export interface Clouds {
  /**
   * With the name of a CloudCredential the project as that credential has it; undefined when there is none of that name, or the operator knows its cloud not.
   * Without one, what the operator has given the namespace, if anything.
   */
  forNamespace(namespace: string, credentialName?: string): ProjectCloud | undefined;

  /** Ends what is observed with a CloudCredential (`namespace/name`) that is gone: else it would be tried forever. */
  forgetCredential(credentialKey: string): void;
}
