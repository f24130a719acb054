import type { ZodType } from 'zod';
import type { ApiCall, ServiceApi } from './service-api.ts';

export const DEFAULT_PAGE_SIZE = 1000;

export interface Page<T> {
  readonly items: readonly T[];
  /** Where the next page is; undefined on the last. */
  readonly next: string | null | undefined;
}

export interface PagedCall<W, T> extends ApiCall {
  readonly schema: ZodType<W>;
  readonly page: (wire: W) => Page<T>;
  readonly pageSize?: number | undefined;
  /** Id of the item that the list begins after. */
  readonly marker?: string | undefined;
}

/** All items of a list, page by page, with one call per page. The service may return smaller pages than requested. */
export async function* pages<W, T>(api: ServiceApi, template: string, call: PagedCall<W, T>): AsyncGenerator<T, void> {
  const { schema, page, pageSize = DEFAULT_PAGE_SIZE, query, marker: first, ...rest } = call;
  let marker = first;
  for (;;) {
    const wire = await api.get(schema, template, { ...rest, query: { ...query, limit: pageSize, marker } });
    const { items, next } = page(wire);
    yield* items;
    // Only the link's marker is used: its host and scheme may be internal ones behind a proxy.
    const nextMarker = next == null ? undefined : markerOf(next);
    if (nextMarker === undefined || nextMarker === marker || items.length === 0) return;
    marker = nextMarker;
  }
}

function markerOf(href: string): string | undefined {
  return new URL(href, 'http://relative/').searchParams.get('marker') ?? undefined;
}
