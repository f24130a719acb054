import type { CloudCatalogue } from '@fairway/api/admission/cloud-catalogue';
import type { Clock } from '@fairway/base/clock';
import type { Logger } from '@fairway/base/log';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Router } from '@fairway/openstack/types/network';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';

/** Maximum age of the cloud's lists when they are used to validate a request. */
const MAX_AGE_MS = 60_000;
/** How long a request waits for a cloud that does not answer, before it is validated without it. */
const PATIENCE_MS = 5_000;

/** What a project's cloud offers, for admission: from the shared lists, no older than a minute. */
export class CloudOffer {
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #zones = new WeakMap<ProjectCloud, { readonly names: readonly string[]; readonly atMs: number }>();

  constructor(clock: Clock, log: Logger) {
    this.#clock = clock;
    this.#log = log;
  }

  /** A list that times out is left out, and the controllers validate what depends on it. */
  async catalogueOf(cloud: ProjectCloud, as: 'lately' | 'now' = 'lately'): Promise<CloudCatalogue> {
    const { cache } = cloud;
    const sinceMs = this.#clock.now() - (as === 'now' ? 0 : MAX_AGE_MS);
    const [flavors, images, networks, subnets, routers, zones] = await Promise.all([
      this.#items(cache.flavors, sinceMs),
      this.#items(cache.images, sinceMs),
      this.#items(cache.networks, sinceMs),
      this.#items(cache.subnets, sinceMs),
      this.#items<Router>(cache.routers, sinceMs),
      this.#zonesOf(cloud, sinceMs),
    ]);
    return {
      ...(cloud.region !== '' && { regions: [cloud.region] }),
      ...(zones && { zones }),
      ...(flavors && {
        flavors: flavors.map(({ id, name, vcpus, ram, disk }) => ({ id, name, vcpus, memoryMiB: ram, diskGiB: disk })),
      }),
      ...(images && {
        images: images.map(({ id, name, min_disk, min_ram }) => ({
          id,
          name: name ?? '',
          minDiskGiB: min_disk,
          minMemoryMiB: min_ram,
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
        subnets: subnets.map(({ id, name, network_id, cidr, ip_version }) => ({
          id,
          name,
          networkID: network_id,
          cidr,
          ipVersion: ip_version,
        })),
      }),
      ...(routers && { routers: routers.map(({ id, name }) => ({ id, name, subnetIDs: [] })) }),
    };
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

  async #zonesOf(cloud: ProjectCloud, sinceMs: number): Promise<readonly string[] | undefined> {
    const known = this.#zones.get(cloud);
    const nowMs = this.#clock.now();
    if (known && known.atMs > sinceMs) return known.names;
    try {
      const zones = await this.#withPatience((signal) => cloud.client.compute.availabilityZones({ signal }));
      const names = zones.filter(({ zoneState }) => zoneState.available).map(({ zoneName }) => zoneName);
      this.#zones.set(cloud, { names, atMs: nowMs });
      return names;
    } catch (error) {
      this.#log.warn({ err: error, resource: 'zones' }, 'admission continues without the cloud’s catalogue');
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
