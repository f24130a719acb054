import type { ZodType } from 'zod';
import { ResponseTooLargeError } from './http/response-too-large-error.ts';
import { ListBounds } from './list-bounds.ts';
import type { ApiCall, ServiceApi } from './service-api.ts';

export const DEFAULT_PAGE_SIZE = 1000;

export interface Page<T> {
  readonly items: readonly T[];
  /** The next page; undefined for the last one. */
  readonly next: string | null | undefined;
}

export interface PagedCall<W, T> extends ApiCall {
  readonly schema: ZodType<W>;
  readonly page: (wire: W) => Page<T>;
  readonly pageSize?: number | undefined;
  /** Id of the item after which the list begins. */
  readonly marker?: string | undefined;
}

/** A page that was too large is read again in parts of this fraction. */
const PAGE_DIVISOR = 8;

/**
 * All items of a list, with one call per page and smaller pages if items are large. The service may return smaller
 * pages than requested. Throws an OpenStackError for a list that does not end.
 */
export async function* pages<W, T>(api: ServiceApi, template: string, call: PagedCall<W, T>): AsyncGenerator<T, void> {
  const { schema, page, query, marker: first, ...rest } = call;
  let limit = call.pageSize ?? DEFAULT_PAGE_SIZE;
  const bounds = new ListBounds(api.service, template);
  let marker = first;
  for (;;) {
    const read = await readFittingPage(limit, (size) =>
      api.get(schema, template, { ...rest, query: { ...query, limit: size, marker } }),
    );
    limit = read.limit;
    const { items, next } = page(read.wire);
    bounds.count(items.length);
    yield* items;
    // Only the link's marker is used: its host and scheme may be internal ones behind a proxy.
    const nextMarker = next == null ? undefined : markerOf(next);
    if (nextMarker === undefined || nextMarker === marker || items.length === 0) return;
    bounds.next(nextMarker);
    marker = nextMarker;
  }
}

/**
 * Reads a page of at most `limit` items; if the response is too large, of fewer, down to `least`. Resolves with the
 * page and the limit used. Rejects with any other error.
 */
export async function readFittingPage<W>(
  limit: number,
  read: (limit: number) => Promise<W>,
  minLimit = 1,
): Promise<{ readonly wire: W; readonly limit: number }> {
  let size = limit;
  for (;;) {
    try {
      return { wire: await read(size), limit: size };
    } catch (error) {
      if (!(error instanceof ResponseTooLargeError) || size <= minLimit) throw error;
      size = Math.max(minLimit, Math.floor(size / PAGE_DIVISOR));
    }
  }
}

function markerOf(href: string): string | undefined {
  return new URL(href, 'http://relative/').searchParams.get('marker') ?? undefined;
}
