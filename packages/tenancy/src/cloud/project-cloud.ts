import type { Clock } from '@fairway/base/clock';
import type { Tenure } from '@fairway/kube/controller/key-owner';
import type { ProjectCache } from '@fairway/openstack/cache/project-cache';
import type { Snapshot } from '@fairway/openstack/cache/snapshot';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
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
  /** For how long it is this process's to act in; since its start unless given. */
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
  /** Lists that began earlier may miss what a process that was killed or fenced off had asked for: they prove no absence. */
  readonly trustedFromMs: number;
  /** Lists that began earlier show the work of others as it was, and nothing is built upon them. */
  readonly listedFromMs: number;
  readonly #options: ProjectCloudOptions;
  readonly #clock: Clock;
  readonly #new = new Set<string>();

  constructor(options: ProjectCloudOptions) {
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
    return new ProjectCloud({ ...this.#options, tenure });
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

  /**
   * How late a list must have begun to be built upon: not longer than `maxAgeMs` ago, and after everything that the cloud may have been at work
   * on unknown to us has had its time, of this run of the process and of one that was killed before it. Nor before the tenure began.
   */
  reliableFromMs<T extends { readonly id: string }>(ledger: Ledger<T>, maxAgeMs: number): number {
    const nowMs = this.now();
    const startMs = this.trustedFromMs <= nowMs ? this.trustedFromMs : Number.NEGATIVE_INFINITY;
    return Math.max(nowMs - maxAgeMs, ledger.doubtEndedMs(nowMs), startMs, this.listedFromMs);
  }

  /** Makes a resource and notes what came of it; a create without an answer is noted as unknown and thrown. */
  async make<T extends { readonly id: string }>(
    ledger: Ledger<T>,
    owner: string,
    create: () => Promise<T>,
  ): Promise<T> {
    try {
      const made = await create();
      ledger.recordMade(owner, made, this.now());
      return made;
    } catch (error) {
      if (isOpenStackError(error) && error.outcome === 'unknown') ledger.recordUnknown(owner, this.now());
      throw error;
    }
  }

  /** Deletes a resource that may be gone already, and notes it. */
  async remove<T extends { readonly id: string }>(
    ledger: Ledger<T>,
    id: string,
    remove: () => Promise<unknown>,
  ): Promise<void> {
    try {
      await remove();
    } catch (error) {
      if (!isOpenStackError(error, 'notFound')) throw error;
    }
    ledger.recordDeleted(id, this.now());
  }
}

/** Which cloud, project and credential a namespace's clusters live in. */
export interface Clouds {
  /**
   * With the name of a CloudCredential the project as that credential has it; undefined when there is none of that name, or the operator knows its cloud not.
   * Without one, what the operator has given the namespace, if anything.
   */
  forNamespace(namespace: string, credentialName?: string): ProjectCloud | undefined;

  /** Ends what is observed with a CloudCredential (`namespace/name`) that is gone: else it would be tried for ever. */
  forgetCredential(credentialKey: string): void;
}
