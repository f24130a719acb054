import type { Clock } from '@fairway/kube/clock';
import type { ProjectCache } from '@fairway/openstack/cache/project-cache';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { OpenStackClient } from '@fairway/openstack/openstack-client';
import type { ServerGroup } from '@fairway/openstack/types/compute';
import type { FloatingIp, Network, Router, Subnet } from '@fairway/openstack/types/network';
import type { SecurityGroup } from '@fairway/openstack/types/security-group';
import { Ledger } from './ledger.ts';
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

function newLedgers(settleMs: number): Ledgers {
  return {
    servers: new Ledger(settleMs),
    serverGroups: new Ledger(settleMs),
    networks: new Ledger(settleMs),
    subnets: new Ledger(settleMs),
    routers: new Ledger(settleMs),
    securityGroups: new Ledger(settleMs),
    floatingIps: new Ledger(settleMs),
  };
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
  /** Lists that began earlier may miss what a run of this process that was killed had asked for: they prove no absence. */
  readonly trustedFromMs: number;
  readonly #clock: Clock;

  constructor(options: {
    readonly name: string;
    readonly region: string;
    readonly credentialKey?: string | undefined;
    readonly client: OpenStackClient;
    readonly cache: ProjectCache;
    readonly clock: Clock;
    readonly settleMs?: number;
  }) {
    const settleMs = options.settleMs ?? DEFAULT_SETTLE_MS;
    this.name = options.name;
    this.region = options.region;
    this.credentialKey = options.credentialKey;
    this.client = options.client;
    this.cache = options.cache;
    this.#clock = options.clock;
    this.ledgers = newLedgers(settleMs);
    this.trustedFromMs = options.clock.now() + settleMs;
  }

  now(): number {
    return this.#clock.now();
  }

  /**
   * How late a list must have begun to be built upon: not longer than `maxAgeMs` ago, and after everything that the cloud may have been at work
   * on unknown to us has had its time, of this run of the process and of one that was killed before it.
   */
  reliableFromMs<T extends { readonly id: string }>(ledger: Ledger<T>, maxAgeMs: number): number {
    const nowMs = this.now();
    const startMs = this.trustedFromMs <= nowMs ? this.trustedFromMs : Number.NEGATIVE_INFINITY;
    return Math.max(nowMs - maxAgeMs, ledger.doubtEndedMs(nowMs), startMs);
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
}

/** Clouds that tell when a project is used for the first time. */
export interface WatchedClouds extends Clouds {
  onProject(listener: (cloud: ProjectCloud) => void): void;
}
