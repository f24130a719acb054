import { z } from 'zod';
import { pages } from '../pages.ts';
import type { CallOptions, ServiceApi } from '../service-api.ts';
import { list } from '../types/collections.ts';
import { Image } from '../types/image.ts';

export interface ImageFilter {
  readonly name?: string;
  readonly status?: string;
  readonly visibility?: 'public' | 'private' | 'shared' | 'community' | 'all';
  readonly owner?: string;
  /** All must match. */
  readonly tags?: readonly string[];
  /** A property of the image, `os_distro: ubuntu`. */
  readonly properties?: Readonly<Record<string, string>>;
}

const ImagePage = z.object({ images: list(Image), next: z.string().optional() });

/** https://docs.openstack.org/api-ref/image/v2/ */
export class Images {
  readonly #api: ServiceApi;

  constructor(api: ServiceApi) {
    this.#api = api;
  }

  /** `GET /images`, newest first. */
  list(filter: ImageFilter = {}, options: CallOptions & { readonly pageSize?: number } = {}): AsyncGenerator<Image> {
    const { tags, properties, ...rest } = filter;
    return pages(this.#api, '/images', {
      ...options,
      query: { ...properties, ...rest, tag: tags },
      schema: ImagePage,
      page: (wire) => ({ items: wire.images, next: wire.next }),
    });
  }

  /** Id of the session's project. */
  projectId(): Promise<string> {
    return this.#api.projectId();
  }

  /** Whether Glance lists every project's images for the session. */
  isAdministrator(): Promise<boolean> {
    return this.#api.isAdministrator();
  }

  /** `GET /images/{image_id}`. */
  async get(id: string, options: CallOptions = {}): Promise<Image> {
    return this.#api.get(Image, '/images/{image_id}', { ...options, params: { image_id: id } });
  }
}
