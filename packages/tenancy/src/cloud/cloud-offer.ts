import type { CatalogueQuotas, CloudCatalogue } from '@fairway/api/admission/cloud-catalogue';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import { ROUTER_INTERFACE_OWNERS } from '@fairway/openstack/network/routers';
import type { Router } from '@fairway/openstack/types/network';
import type { ProjectCloud } from './project-cloud.ts';
import { type QuotaSource, quotaSources } from './project-quotas.ts';

/** Of the cloud's lists when they are used to validate a request. */
const MAX_AGE_MS = 60_000;
/** How long a request waits for a cloud that does not answer, before it is validated without it. */
const PATIENCE_MS = 5_000;

/** How old an answer may be; 0: it is asked for again. */
interface CatalogueAge {
  readonly maxAgeMs?: number;
  readonly quotasMaxAgeMs?: number;
}

/** What is not part of the shared lists, with when it was asked for. */
type Answers<T> = WeakMap<ProjectCloud, { readonly answer: T; readonly atMs: number }>;
type Question<T> = (cloud: ProjectCloud, signal: AbortSignal) => Promise<T>;

/** What a project's cloud offers, for admission and CloudProfiles: from the shared lists. */
export class CloudOffer {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #zones: Answers<readonly string[]> = new WeakMap();
  readonly #attached: Answers<ReadonlyMap<string, readonly string[]>> = new WeakMap();
  readonly #volumes: Answers<boolean> = new WeakMap();
  readonly #volumeTypes: Answers<NonNullable<CloudCatalogue['volumeTypes']>> = new WeakMap();
  readonly #quotas = new Map<QuotaSource, Answers<CatalogueQuotas>>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A list that times out is left out, and the controllers validate what depends on it. Lists and quotas are at most a minute old by default. */
  async catalogueOf(
    cloud: ProjectCloud,
    { maxAgeMs = MAX_AGE_MS, quotasMaxAgeMs = MAX_AGE_MS }: CatalogueAge = {},
  ): Promise<CloudCatalogue> {
    const { cache } = cloud;
    const sinceMs = this.#clock.now() - maxAgeMs;
    const hasVolumes = await this.#known(this.#volumes, cloud, sinceMs, hasVolumeService);
    const [flavors, images, networks, subnets, routers, zones, attached, volumeTypes, quotas] = await Promise.all([
      this.#items(cache.flavors, sinceMs),
      this.#items(cache.images, sinceMs),
      this.#items(cache.networks, sinceMs),
      this.#items(cache.subnets, sinceMs),
      this.#items<Router>(cache.routers, sinceMs),
      this.#known(this.#zones, cloud, sinceMs, zonesOf),
      this.#known(this.#attached, cloud, sinceMs, attachedSubnets),
      hasVolumes ? this.#known(this.#volumeTypes, cloud, sinceMs, volumeTypesOf) : undefined,
      this.#quotasOf(cloud, this.#clock.now() - quotasMaxAgeMs, hasVolumes ?? false),
    ]);
    return {
      ...(cloud.region !== '' && { regions: [cloud.region] }),
      ...(zones && { zones }),
      ...(flavors && {
        flavors: flavors.map(({ id, name, vcpus, ram, disk }) => ({ id, name, vcpus, memoryMiB: ram, diskGiB: disk })),
      }),
      ...(images && {
        images: images.map((image) => ({
          id: image.id,
          name: image.name ?? '',
          minDiskGiB: image.min_disk,
          minMemoryMiB: image.min_ram,
          isActive: image.status === 'active' && !image.os_hidden,
          ...osOf(image),
        })),
      }),
      ...(networks && {
        networks: networks.map((network) => ({
          id: network.id,
          name: network.name,
          isExternal: network['router:external'],
        })),
      }),
      ...(subnets && {
        subnets: subnets.map((subnet) => ({
          id: subnet.id,
          name: subnet.name,
          networkID: subnet.network_id,
          cidr: subnet.cidr,
          ipVersion: subnet.ip_version,
          gatewayIP: subnet.gateway_ip ?? null,
          allocationPools: subnet.allocation_pools,
        })),
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
    };
  }

  /** Of the services that answer; undefined if none does. */
  async #quotasOf(cloud: ProjectCloud, sinceMs: number, hasVolumes: boolean): Promise<CatalogueQuotas | undefined> {
    const known = await Promise.all(
      quotaSources(hasVolumes).map((source) => {
        const answers = this.#quotas.get(source) ?? new WeakMap();
        this.#quotas.set(source, answers);
        return this.#known(answers, cloud, sinceMs, source);
      }),
    );
    const answered = known.filter((quotas) => quotas !== undefined);
    return answered.length === 0 ? undefined : Object.assign({}, ...answered);
  }

  async #items<T extends { readonly id: string }>(cache: ResourceCache<T>, sinceMs: number): Promise<T[] | undefined> {
    try {
      const { items } = await this.#withPatience((signal) => cache.refreshAfter(sinceMs, signal));
      return [...items.values()];
    } catch (error) {
      this.#log.warn({ err: error, resource: cache.name }, 'admission continues without the cloud’s catalogue');
      return undefined;
    }
  }

  async #known<T>(answers: Answers<T>, cloud: ProjectCloud, sinceMs: number, ask: Question<T>): Promise<T | undefined> {
    const known = answers.get(cloud);
    const nowMs = this.#clock.now();
    if (known && known.atMs > sinceMs) return known.answer;
    try {
      const answer = await this.#withPatience((signal) => ask(cloud, signal));
      answers.set(cloud, { answer, atMs: nowMs });
      return answer;
    } catch (error) {
      this.#log.warn({ err: error, resource: ask.name }, 'admission continues without the cloud’s catalogue');
      return undefined;
    }
  }

  async #withPatience<R>(ask: (signal: AbortSignal) => Promise<R>): Promise<R> {
    const abort = new AbortController();
    const timer = this.#clock.after(PATIENCE_MS, () => {
      abort.abort(new DOMException(`the cloud did not answer within ${PATIENCE_MS} ms`, 'TimeoutError'));
    });
    try {
      return await ask(abort.signal);
    } finally {
      timer.cancel();
    }
  }
}

async function zonesOf(cloud: ProjectCloud, signal: AbortSignal): Promise<readonly string[]> {
  const zones = await cloud.client.compute.availabilityZones({ signal });
  return zones.filter(({ zoneState }) => zoneState.available).map(({ zoneName }) => zoneName);
}

/** The subnets of each router, by its id. */
async function attachedSubnets(cloud: ProjectCloud, signal: AbortSignal): Promise<ReadonlyMap<string, string[]>> {
  const attached = new Map<string, string[]>();
  const ports = cloud.client.network.ports.list({ device_owner: ROUTER_INTERFACE_OWNERS }, { signal });
  for await (const { device_id: id, fixed_ips } of ports) {
    attached.set(id, [...(attached.get(id) ?? []), ...fixed_ips.map(({ subnet_id }) => subnet_id)]);
  }
  return attached;
}

async function hasVolumeService({ client }: ProjectCloud): Promise<boolean> {
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

/** Ubuntu's, Debian's and others' images say in properties what they are. */
function osOf(image: Readonly<Record<string, unknown>>): { readonly os?: string } {
  const words = [image['os_distro'], image['os_version']].filter((word) => typeof word === 'string' && word !== '');
  return words.length === 0 ? {} : { os: words.join(' ') };
}
