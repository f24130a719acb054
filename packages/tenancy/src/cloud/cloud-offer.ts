import type { CatalogueQuotas, CloudCatalogue } from '@fairway/api/admission/cloud-catalogue';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { ROUTER_INTERFACE_OWNERS } from '@fairway/openstack/network/routers';
import type { Router } from '@fairway/openstack/types/network';
import { catalogueImage } from './catalogue-image.ts';
import { catalogueNetwork, catalogueSubnet } from './catalogue-network.ts';
import type { ProjectCloud } from './project-cloud.ts';
import { quotaSources } from './project-quotas.ts';
import { securityGroupFacts } from './security-group-facts.ts';

/** Maximum age of the cloud's lists when they are used for validation. */
const MAX_AGE_MS = 60_000;
/** How long a request waits for an unresponsive cloud before it is validated without it. */
const RESPONSE_TIMEOUT_MS = 5_000;

/** Maximum age of the result; 0 always reads again. */
interface CatalogueOptions {
  readonly maxAgeMs?: number;
  readonly quotasMaxAgeMs?: number;
  /** Includes security groups with their rules, which few pools use; omitted by default. */
  readonly securityGroups?: boolean;
}

/** Data that is not in the shared lists, with the time of the request. */
type CachedResults<T> = WeakMap<ProjectCloud, { readonly result: T; readonly atMs: number }>;
type Query<T> = (cloud: ProjectCloud, signal: AbortSignal) => Promise<T>;

/** A project's quotas, with the time of the request. Undefined if none of the services responded. */
export interface KnownQuotas {
  readonly quotas: CatalogueQuotas | undefined;
  readonly atMs: number;
}

/** What a project's cloud offers, from the shared lists, for admission and CloudProfiles. */
export class CloudOffer {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #defaultImage: string | undefined;
  readonly #zones: CachedResults<readonly string[]> = new WeakMap();
  readonly #attachedSubnets: CachedResults<ReadonlyMap<string, readonly string[]>> = new WeakMap();
  readonly #volumes: CachedResults<boolean> = new WeakMap();
  readonly #volumeTypes: CachedResults<NonNullable<CloudCatalogue['volumeTypes']>> = new WeakMap();
  /**
   * Includes requests in progress and failures, so that an unresponsive cloud is not queried more often than any other.
   */
  readonly #quotas: CachedResults<Promise<CatalogueQuotas | undefined>> = new WeakMap();

  /** `defaultImage` is the operator's default image, by ID or name. */
  constructor(clock: Clock, log: Logger, defaultImage?: string) {
    this.#defaultImage = defaultImage;
    this.#clock = clock;
    this.#log = log;
  }

  /**
   * A list that times out is omitted, and controllers validate the fields that depend on it. By default, lists and
   * quotas are at most a minute old.
   */
  async catalogueOf(
    cloud: ProjectCloud,
    {
      maxAgeMs = MAX_AGE_MS,
      quotasMaxAgeMs = MAX_AGE_MS,
      securityGroups: includesSecurityGroups = false,
    }: CatalogueOptions = {},
  ): Promise<CloudCatalogue> {
    const { cache } = cloud;
    const sinceMs = this.#clock.now() - maxAgeMs;
    const hasVolumes = await this.#known(this.#volumes, cloud, sinceMs, hasVolumeService);
    const [flavors, images, networks, subnets, routers, zones, attached, volumeTypes, quotas, groups] =
      await Promise.all([
        this.#items(cache.flavors, sinceMs),
        this.#items(cache.images, sinceMs),
        this.#items(cache.networks, sinceMs),
        this.#items(cache.subnets, sinceMs),
        this.#items<Router>(cache.routers, sinceMs),
        this.#known(this.#zones, cloud, sinceMs, zonesOf),
        this.#known(this.#attachedSubnets, cloud, sinceMs, attachedSubnets),
        hasVolumes ? this.#known(this.#volumeTypes, cloud, sinceMs, volumeTypesOf) : undefined,
        this.quotasOf(cloud, quotasMaxAgeMs).then((known) => known.quotas),
        includesSecurityGroups ? this.#securityGroupsOf(cloud, sinceMs) : undefined,
      ]);
    // The lists were read with the same token.
    const projectID = networks && (await this.#resultOf(projectOf, cloud));
    return {
      ...(cloud.region !== '' && { regions: [cloud.region] }),
      ...(zones && { zones }),
      ...(flavors && {
        flavors: flavors.map(({ id, name, vcpus, ram, disk }) => ({ id, name, vcpus, memoryMiB: ram, diskGiB: disk })),
      }),
      ...(images && {
        images: images.map(catalogueImage),
      }),
      ...(this.#defaultImage !== undefined && { defaultImage: this.#defaultImage }),
      ...(networks && {
        networks: networks.map((network) => catalogueNetwork(network, projectID)),
      }),
      ...(subnets && {
        subnets: subnets.map(catalogueSubnet),
      }),
      ...(routers && {
        routers: routers.map(({ id, name, external_gateway_info: gateway }) => ({
          id,
          name,
          externalNetworkID: gateway?.network_id ?? null,
          ...(attached && { subnetIDs: attached.get(id) ?? [] }),
        })),
      }),
      ...(hasVolumes !== undefined && { hasVolumes }),
      ...(volumeTypes && { volumeTypes }),
      ...(quotas && { quotas }),
      ...(groups && { securityGroups: groups }),
    };
  }

  /** The project's quotas, at most as old as given. Concurrent callers share one request. */
  async quotasOf(cloud: ProjectCloud, maxAgeMs = MAX_AGE_MS): Promise<KnownQuotas> {
    const nowMs = this.#clock.now();
    let known = this.#quotas.get(cloud);
    if (known === undefined || known.atMs <= nowMs - maxAgeMs) {
      known = { result: this.#queryQuotas(cloud), atMs: nowMs };
      this.#quotas.set(cloud, known);
    }
    return { quotas: await known.result, atMs: known.atMs };
  }

  /** Quotas from the services that respond; undefined if none does. */
  async #queryQuotas(cloud: ProjectCloud): Promise<CatalogueQuotas | undefined> {
    const hasVolumes = await this.#known(this.#volumes, cloud, this.#clock.now() - MAX_AGE_MS, hasVolumeService);
    const quotasBySource = await Promise.all(
      quotaSources(hasVolumes ?? false).map((source) => this.#resultOf(source, cloud)),
    );
    const receivedQuotas = quotasBySource.filter((quotas) => quotas !== undefined);
    return receivedQuotas.length === 0 ? undefined : Object.assign({}, ...receivedQuotas);
  }

  async #items<T extends { readonly id: string }>(cache: ResourceCache<T>, sinceMs: number): Promise<T[] | undefined> {
    try {
      const { items } = await this.#withTimeout((signal) => cache.refreshAfter(sinceMs, signal));
      return [...items.values()];
    } catch (error) {
      this.#log.warn({ err: error, resource: cache.name }, 'admission proceeds without the cloud’s catalogue');
      return undefined;
    }
  }

  async #securityGroupsOf(cloud: ProjectCloud, sinceMs: number): Promise<CloudCatalogue['securityGroups']> {
    const items = await this.#items(cloud.cache.securityGroups, sinceMs);
    return items && securityGroupFacts(items, await cloud.client.session.projectId());
  }

  async #known<T>(
    cached: CachedResults<T>,
    cloud: ProjectCloud,
    sinceMs: number,
    query: Query<T>,
  ): Promise<T | undefined> {
    const known = cached.get(cloud);
    const nowMs = this.#clock.now();
    if (known && known.atMs > sinceMs) return known.result;
    const result = await this.#resultOf(query, cloud);
    if (result !== undefined) cached.set(cloud, { result, atMs: nowMs });
    return result;
  }

  async #resultOf<T>(query: Query<T>, cloud: ProjectCloud): Promise<T | undefined> {
    try {
      return await this.#withTimeout((signal) => query(cloud, signal));
    } catch (error) {
      this.#log.warn({ err: error, resource: query.name }, 'admission proceeds without the cloud’s catalogue');
      return undefined;
    }
  }

  async #withTimeout<R>(query: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const abort = new AbortController();
    const timer = this.#clock.after(RESPONSE_TIMEOUT_MS, () => {
      abort.abort(new DOMException(`the cloud did not respond within ${RESPONSE_TIMEOUT_MS} ms`, 'TimeoutError'));
    });
    try {
      return await query(abort.signal);
    } finally {
      timer.cancel();
    }
  }
}

async function zonesOf(cloud: ProjectCloud, signal: AbortSignal): Promise<readonly string[]> {
  const zones = await cloud.client.compute.availabilityZones({ signal });
  return zones.filter(({ zoneState }) => zoneState.available).map(({ zoneName }) => zoneName);
}

function projectOf({ client }: ProjectCloud): Promise<string> {
  return client.session.projectId();
}

/** Subnets of each router, by router ID. */
async function attachedSubnets(cloud: ProjectCloud, signal: AbortSignal): Promise<ReadonlyMap<string, string[]>> {
  const attached = new Map<string, string[]>();
  const ports = cloud.client.network.ports.list({ device_owner: ROUTER_INTERFACE_OWNERS }, { signal });
  for await (const { device_id: id, fixed_ips } of ports) {
    attached.set(id, [...(attached.get(id) ?? []), ...fixed_ips.map(({ subnet_id }) => subnet_id)]);
  }
  return attached;
}

/** Whether the cloud's catalog has a volume service. Rejects with the login's error. */
export async function hasVolumeService({ client }: Pick<ProjectCloud, 'client'>): Promise<boolean> {
  try {
    await client.session.endpoint('block-storage');
    return true;
  } catch (error) {
    if (isOpenStackError(error, 'notFound')) return false;
    throw error;
  }
}

async function volumeTypesOf(
  { client }: ProjectCloud,
  signal: AbortSignal,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  return (await client.blockStorage.volumeTypes({ signal })).map(({ id, name }) => ({ id, name }));
}
