import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ServerFilter } from '../compute/servers.ts';
import type { Budget } from '../http/budget.ts';
import type { ImageFilter } from '../image/images.ts';
import type { NeutronFilter } from '../network/neutron-collection.ts';
import type { OpenStackClient } from '../openstack-client.ts';
import type { Flavor, ServerGroup } from '../types/compute.ts';
import type { Image } from '../types/image.ts';
import type { FloatingIp, Network, Port, Router, Subnet } from '../types/network.ts';
import type { SecurityGroup } from '../types/security-group.ts';
import type { Server } from '../types/server.ts';
import type { ListGroups } from './list-group.ts';
import type { PollIntervals } from './poll-schedule.ts';
import { ResourceCache, type ResourceCacheOptions } from './resource-cache.ts';
import type { Identified } from './snapshot.ts';

/** What of the project is listed; all of it when left out. */
export interface CacheFilters {
  readonly servers?: ServerFilter;
  readonly networks?: NeutronFilter;
  readonly subnets?: NeutronFilter;
  readonly routers?: NeutronFilter;
  readonly ports?: NeutronFilter;
  readonly securityGroups?: NeutronFilter;
  readonly floatingIps?: NeutronFilter;
  readonly images?: ImageFilter;
}

export interface ProjectCacheOptions {
  readonly client: OpenStackClient;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly budget?: Budget;
  /** Shares lists with the caches of other credentials for the same project; they must have the same filters. */
  readonly groups?: ListGroups;
  readonly filters?: CacheFilters;
  /** For every kind, over its own. */
  readonly intervals?: Partial<PollIntervals>;
  readonly logger?: Logger;
}

/** Servers fail on their own and people delete them; the rest changes when Fairway changes it. */
const STABLE_MS = 300_000;
/** Changed by the operator, a few times a year. */
const CATALOGUE_MS = 900_000;

/**
 * What one project has, kind by kind, for all of its clusters together. A kind that nobody needs costs nothing; with all
 * subscribed and nothing expected, a project costs about 2.6 lists a minute, however many clusters it has.
 */
export class ProjectCache {
  readonly servers: ResourceCache<Server>;
  readonly serverGroups: ResourceCache<ServerGroup>;
  readonly networks: ResourceCache<Network>;
  readonly subnets: ResourceCache<Subnet>;
  readonly routers: ResourceCache<Router>;
  readonly ports: ResourceCache<Port>;
  readonly securityGroups: ResourceCache<SecurityGroup>;
  readonly floatingIps: ResourceCache<FloatingIp>;
  readonly flavors: ResourceCache<Flavor>;
  readonly images: ResourceCache<Image>;
  readonly #all: readonly { stop(): void; retryNow(): void }[];

  constructor(options: ProjectCacheOptions) {
    const { compute, network, images } = options.client;
    const { filters = {} } = options;
    this.servers = cache(options, 'servers', {}, (call) => compute.servers.list(filters.servers, call));
    this.serverGroups = stable(options, 'serverGroups', (call) => compute.serverGroups.list(call));
    this.networks = stable(options, 'networks', (call) => network.networks.list(filters.networks, call));
    this.subnets = stable(options, 'subnets', (call) => network.subnets.list(filters.subnets, call));
    this.routers = stable(options, 'routers', (call) => network.routers.list(filters.routers, call));
    this.ports = stable(options, 'ports', (call) => network.ports.list(filters.ports, call));
    this.securityGroups = stable(options, 'securityGroups', (call) =>
      network.securityGroups.list(filters.securityGroups, call),
    );
    this.floatingIps = stable(options, 'floatingIps', (call) => network.floatingIps.list(filters.floatingIps, call));
    const catalogue = { slowMs: CATALOGUE_MS };
    this.flavors = cache(options, 'flavors', catalogue, (call) => compute.flavors.list(call));
    this.images = cache(options, 'images', catalogue, (call) => images.list(filters.images, call));
    this.#all = [
      this.servers,
      this.serverGroups,
      this.networks,
      this.subnets,
      this.routers,
      this.ports,
      this.securityGroups,
      this.floatingIps,
      this.flavors,
      this.images,
    ];
  }

  /** Ends the pauses after failures: what caused them has been mended. */
  retryNow(): void {
    for (const each of this.#all) each.retryNow();
  }

  /** Ends all lists; who waits for one is told so. */
  stop(): void {
    for (const each of this.#all) each.stop();
  }
}

type List<T extends Identified> = ResourceCacheOptions<T>['list'];

function stable<T extends Identified>(options: ProjectCacheOptions, name: string, list: List<T>): ResourceCache<T> {
  return cache(options, name, { slowMs: STABLE_MS }, list);
}

function cache<T extends Identified>(
  { client, clock, random, budget, groups, logger, intervals }: ProjectCacheOptions,
  name: string,
  own: Partial<PollIntervals>,
  list: List<T>,
): ResourceCache<T> {
  return new ResourceCache({
    name,
    list,
    clock,
    random,
    intervals: { ...intervals, ...own },
    group: groups && (async () => groups.of<T>(await client.session.projectId(), name)),
    ...(budget !== undefined && { isBudgetShort: () => budget.waiting > 0 }),
    ...(logger !== undefined && { logger }),
  });
}
