import { z } from 'zod';
import { pages } from '../pages.ts';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list, record } from '../types/collections.ts';
import { Flavor } from '../types/compute.ts';
import { Link } from '../types/link.ts';

const FlavorEnvelope = z.object({ flavor: Flavor });
const FlavorPage = z.object({ flavors: list(Flavor), flavors_links: list(Link).optional() });
const ExtraSpecs = z.object({ extra_specs: record(z.string()) });

/** https://docs.openstack.org/api-ref/compute/#flavors */
export class Flavors {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** `GET /flavors/detail`: flavors that the project may use; with extra specs from 2.61. */
  list(options: CallOptions & { readonly pageSize?: number } = {}): AsyncGenerator<Flavor> {
    return pages(this.#api, '/flavors/detail', {
      ...options,
      schema: FlavorPage,
      page: (wire) => ({
        items: wire.flavors,
        next: wire.flavors_links?.find((link) => link.rel === 'next')?.href,
      }),
    });
  }

  /** `GET /flavors/{flavor_id}`. */
  async get(id: string, options: CallOptions = {}): Promise<Flavor> {
    const call = { ...options, params: { flavor_id: id } };
    return (await this.#api.get(FlavorEnvelope, '/flavors/{flavor_id}', call)).flavor;
  }

  /** `GET /flavors/{flavor_id}/os-extra_specs`, if the policy allows it. */
  async extraSpecs(id: string, options: CallOptions = {}): Promise<Readonly<Record<string, string>>> {
    const call = { ...options, params: { flavor_id: id } };
    return (await this.#api.get(ExtraSpecs, '/flavors/{flavor_id}/os-extra_specs', call)).extra_specs;
  }
}
