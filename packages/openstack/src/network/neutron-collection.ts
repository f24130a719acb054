import { type ZodType, z } from 'zod';
import { pages } from '../pages.ts';
import type { CallOptions, QueryValue, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import { Link } from '../types/link.ts';

/** Filters that all of Neutron's lists accept. */
export interface NeutronFilter {
  readonly id?: readonly string[];
  readonly name?: string;
  readonly description?: string;
  readonly project_id?: string;
  /** All must match; needs the standard-attr-tag extension, which every cloud has had since Pike. */
  readonly tags?: readonly string[];
  /** At least one must match. */
  readonly tagsAny?: readonly string[];
}

export interface ListOptions extends CallOptions {
  readonly pageSize?: number;
}

export interface UpdateOptions extends CallOptions {
  /** Writes only if the object's `revision_number` matches, otherwise `conflict`. */
  readonly ifRevision?: number;
}

const Tags = z.object({ tags: list(z.string()) });

interface CollectionNames {
  /** `floatingips`, as in the path and the list's body; a dash in the path is an underscore in the body. */
  readonly plural: string;
  /** `floatingip`, as in the body. */
  readonly singular: string;
}

/**
 * The operations that Neutron offers for every kind of resource.
 * https://docs.openstack.org/api-ref/network/v2/
 */
export class NeutronCollection<T, Create extends object, Update extends object, Filter extends object> {
  protected readonly api: ServiceApi;
  readonly #singular: string;
  readonly #listKey: string;
  readonly #listPath: string;
  protected readonly itemPath: string;
  readonly #item: ZodType<Record<string, T>>;
  readonly #page: ZodType<Record<string, unknown>>;
  readonly #items: ZodType<T[]>;

  constructor(api: ServiceApi, names: CollectionNames, schema: ZodType<T>) {
    this.api = api;
    this.#singular = names.singular;
    this.#listKey = names.plural.replaceAll('-', '_');
    this.#listPath = `/${names.plural}`;
    this.itemPath = `/${names.plural}/{${names.singular}_id}`;
    this.#item = z.object({ [names.singular]: schema });
    this.#items = list(schema);
    this.#page = z.object({
      [this.#listKey]: this.#items,
      [`${this.#listKey}_links`]: list(Link).optional(),
    });
  }

  /** `GET /{plural}`: resources of the session's project, and shared ones from other projects. */
  list(filter: NeutronFilter & Filter = {} as NeutronFilter & Filter, options: ListOptions = {}): AsyncGenerator<T> {
    const { tags, tagsAny, ...rest } = filter;
    return pages(this.api, this.#listPath, {
      ...options,
      query: {
        ...(rest as Readonly<Record<string, QueryValue>>),
        tags: tags?.join(','),
        'tags-any': tagsAny?.join(','),
      },
      schema: this.#page,
      page: (wire) => ({
        items: wire[this.#listKey] as T[],
        next: (wire[`${this.#listKey}_links`] as Link[] | undefined)?.find((link) => link.rel === 'next')?.href,
      }),
    });
  }

  /** `GET /{plural}/{id}`. */
  async get(id: string, options: CallOptions = {}): Promise<T> {
    return this.unwrap(await this.api.get(this.#item, this.itemPath, { ...options, params: this.params(id) }));
  }

  /** `POST /{plural}`. */
  async create(item: Create, options: CallOptions = {}): Promise<T> {
    const call = { ...options, body: { [this.#singular]: item } };
    return this.unwrap(await this.api.post(this.#item, this.#listPath, call));
  }

  /** `POST /{plural}` in bulk: all or none are created. */
  async createMany(items: readonly Create[], options: CallOptions = {}): Promise<readonly T[]> {
    const schema = z.object({ [this.#listKey]: this.#items });
    const response = await this.api.post(schema, this.#listPath, { ...options, body: { [this.#listKey]: items } });
    return response[this.#listKey] as T[];
  }

  /** `PUT /{plural}/{id}`: sets these attributes and keeps the others. */
  async update(id: string, changes: Update, options: UpdateOptions = {}): Promise<T> {
    const { ifRevision, ...rest } = options;
    const response = await this.api.put(this.#item, this.itemPath, {
      ...rest,
      params: this.params(id),
      body: { [this.#singular]: changes },
      idempotent: ifRevision === undefined,
      ...(ifRevision !== undefined && { headers: { 'if-match': `revision_number=${ifRevision}` } }),
    });
    return this.unwrap(response);
  }

  /** `DELETE /{plural}/{id}`. */
  async delete(id: string, options: CallOptions = {}): Promise<void> {
    await this.api.send('DELETE', this.itemPath, { ...options, params: this.params(id) });
  }

  /** `PUT /{plural}/{id}/tags`, replaces all tags. */
  async setTags(id: string, tags: readonly string[], options: CallOptions = {}): Promise<readonly string[]> {
    const call = { ...options, params: this.params(id), body: { tags }, idempotent: true };
    return (await this.api.put(Tags, `${this.itemPath}/tags`, call)).tags;
  }

  /** `PUT /{plural}/{id}/tags/{tag}`, adds a tag; tags with a slash don't work. */
  async addTag(id: string, tag: string, options: CallOptions = {}): Promise<void> {
    const call = { ...options, params: { ...this.params(id), tag }, idempotent: true };
    await this.api.send('PUT', `${this.itemPath}/tags/{tag}`, call);
  }

  /** `DELETE /{plural}/{id}/tags/{tag}`. */
  async removeTag(id: string, tag: string, options: CallOptions = {}): Promise<void> {
    await this.api.send('DELETE', `${this.itemPath}/tags/{tag}`, { ...options, params: { ...this.params(id), tag } });
  }

  protected params(id: string): Record<string, string> {
    return { [`${this.#singular}_id`]: id };
  }

  protected unwrap(wire: Record<string, T>): T {
    return wire[this.#singular] as T;
  }
}
