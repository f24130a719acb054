import { type ZodType, z } from 'zod';
import { pages } from '../pages.ts';
import type { CallOptions, QueryValue, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import { Link } from '../types/link.ts';

/** Filters that all of Octavia's lists accept. */
export interface OctaviaFilter {
  /** All must match. */
  readonly tags?: readonly string[];
  readonly name?: string;
  readonly loadbalancer_id?: string;
}

interface ListOptions extends CallOptions {
  readonly pageSize?: number;
}

interface CollectionNames {
  /** `listeners`, as in the path and the list's body. */
  readonly plural: string;
  readonly singular: string;
}

/**
 * The operations that Octavia offers for every kind of object. A change to an object in a tree fails with `conflict`
 * while its load balancer is pending. https://docs.openstack.org/api-ref/load-balancer/v2/
 */
export class OctaviaCollection<T, Create extends object, Update extends object> {
  protected readonly api: ServiceApi;
  protected readonly itemPath: string;
  readonly #singular: string;
  readonly #plural: string;
  readonly #path: string;
  readonly #item: ZodType<Record<string, T>>;
  readonly #page: ZodType<Record<string, unknown>>;

  constructor(api: ServiceApi, { plural, singular }: CollectionNames, schema: ZodType<T>) {
    this.api = api;
    this.#singular = singular;
    this.#plural = plural;
    this.#path = `/lbaas/${plural}`;
    this.itemPath = `/lbaas/${plural}/{id}`;
    this.#item = z.object({ [singular]: schema });
    this.#page = z.object({ [plural]: list(schema), [`${plural}_links`]: list(Link).optional() });
  }

  /** `GET /lbaas/{plural}` of the session's project, even for administrators. */
  async *list({ tags, ...filter }: OctaviaFilter = {}, options: ListOptions = {}): AsyncGenerator<T, void> {
    const query: Record<string, QueryValue> = { ...filter, project_id: await this.api.projectId() };
    if (tags !== undefined) query['tags'] = tags.join(',');
    yield* pages(this.api, this.#path, {
      ...options,
      query,
      schema: this.#page,
      page: (wire) => ({
        items: wire[this.#plural] as T[],
        next: (wire[`${this.#plural}_links`] as Link[] | undefined)?.find((link) => link.rel === 'next')?.href,
      }),
    });
  }

  /** `GET /lbaas/{plural}/{id}`. */
  async get(id: string, options: CallOptions = {}): Promise<T> {
    return this.#unwrap(await this.api.get(this.#item, this.itemPath, { ...options, params: { id } }));
  }

  /** `POST /lbaas/{plural}`. */
  async create(item: Create, options: CallOptions = {}): Promise<T> {
    const call = { ...options, body: { [this.#singular]: item } };
    return this.#unwrap(await this.api.post(this.#item, this.#path, call));
  }

  /** `PUT /lbaas/{plural}/{id}`: sets these attributes and keeps the others. */
  async update(id: string, changes: Update, options: CallOptions = {}): Promise<T> {
    const call = { ...options, params: { id }, body: { [this.#singular]: changes }, idempotent: true };
    return this.#unwrap(await this.api.put(this.#item, this.itemPath, call));
  }

  /** `DELETE /lbaas/{plural}/{id}`. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.api.send('DELETE', this.itemPath, { ...options, params: { id } });
  }

  #unwrap(wire: Record<string, T>): T {
    return wire[this.#singular] as T;
  }
}
