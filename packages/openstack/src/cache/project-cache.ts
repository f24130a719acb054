import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { Budget } from '../http/budget.ts';
import type { OpenStackClient } from '../openstack-client.ts';
import { hasClient, type Service } from '../service.ts';
import { type CachedKinds, SERVICES } from '../services.ts';
import type { CachedKind } from './cached-kind.ts';
import type { ListGroups } from './list-group.ts';
import type { CloudPaces } from './paces.ts';
import type { PollIntervals } from './poll-schedule.ts';
import { ResourceCache } from './resource-cache.ts';
import type { Identifiable } from './snapshot.ts';

/** List filters by kind; none by default. */
export type CacheFilters = {
  readonly [K in keyof CachedKinds]?: NonNullable<Parameters<CachedKinds[K]['list']>[1]>;
};

type ItemOf<K> = K extends { readonly list: (...args: never[]) => AsyncIterable<infer T extends Identifiable> }
  ? T
  : never;

/** A cache for each kind. */
export type Caches = { readonly [K in keyof CachedKinds]: ResourceCache<ItemOf<CachedKinds[K]>> };

export interface ProjectCacheOptions {
  readonly client: OpenStackClient;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly budget?: Budget;
  /** Shares lists with the caches of other credentials for the same project, which must have the same filters. */
  readonly groups?: ListGroups;
  /** Shared by the caches of one cloud; by default the project has its own. */
  readonly paces?: CloudPaces;
  readonly filters?: CacheFilters;
  /**
   * Overrides the defaults of every kind. A kind with an interval of its own keeps it, and does not slow down when
   * idle.
   */
  readonly intervals?: Partial<PollIntervals>;
  /** Defaults to all services that Fairway supports. */
  readonly services?: readonly Service[];
  readonly logger?: Logger;
}

/**
 * Overrides the defaults of every kind. A kind with its own interval keeps that interval, and does not slow down when
 * idle.
 */
class NamedCaches {
  readonly #all: readonly ResourceCache<Identifiable>[];

  constructor(caches: Readonly<Record<string, ResourceCache<Identifiable>>>) {
    this.#all = Object.values(caches);
    Object.assign(this, caches);
  }

  /** Age and state of the lists by kind, only for kinds that are read: see ResourceCache. */
  freshness(nowMs: number): readonly { readonly kind: string; readonly ageMs: number; readonly isFailing: boolean }[] {
    return this.#all.flatMap((cache) => {
      const freshness = cache.freshness(nowMs);
      return freshness === undefined ? [] : [{ kind: cache.name, ...freshness }];
    });
  }

  /** Resets the backoff after failures, because the cause has been fixed. */
  retryNow(): void {
    for (const each of this.#all) each.retryNow();
  }

  /** Stops all lists; waiters are rejected. */
  stop(): void {
    for (const each of this.#all) each.stop();
  }
}

const CachesByKind = NamedCaches as new (...caches: ConstructorParameters<typeof NamedCaches>) => NamedCaches & Caches;

/**
 * The cached resources of one project by kind, shared by all of its clusters. A kind without subscribers costs nothing.
 * With all subscribed and no change expected, a project costs about 2.6 lists a minute for any number of clusters, or
 * 0.8 less if its list of servers may idle.
 */
export class ProjectCache extends CachesByKind {
  constructor(options: ProjectCacheOptions) {
    super(cachesOf(options));
  }
}

/** The caches by kind. The list of services determines the client, filter and types of each kind. */
function cachesOf(options: ProjectCacheOptions): Readonly<Record<string, ResourceCache<Identifiable>>> {
  const { client, clock, random, budget, groups, paces, logger, intervals, services = SERVICES } = options;
  const clients = client as unknown as Readonly<Record<string, unknown>>;
  const filters = (options.filters ?? {}) as Readonly<Record<string, unknown>>;
  const entries = services.filter(hasClient).flatMap(({ clientName, cached }) =>
    Object.entries(cached).map(([name, kind]) => {
      const { list, slowMs } = kind as CachedKind<unknown, Identifiable, unknown>;
      const cache = new ResourceCache<Identifiable>({
        name,
        list: (call) => list(clients[clientName], filters[name], call),
        clock,
        random,
        intervals: { ...intervals, ...(slowMs !== undefined && { slowMs, idleMs: slowMs }) },
        group: groups && (async () => groups.of<Identifiable>(await client.session.projectId(), name)),
        paces: paces?.of(name),
        ...(budget !== undefined && { isBudgetExhausted: () => budget.waiting > 0 }),
        ...(logger !== undefined && { logger }),
      });
      return [name, cache] as const;
    }),
  );
  return Object.fromEntries(entries);
}
