import type { ZodType } from 'zod';
import { ListBounds } from '../list-bounds.ts';
import { DEFAULT_PAGE_SIZE, readFittingPage } from '../pages.ts';
import type { ApiCall, ServiceApi } from '../service-api.ts';

interface OffsetPagedCall<W, T> extends ApiCall {
  readonly schema: ZodType<W>;
  readonly items: (wire: W) => readonly T[];
  readonly pageSize?: number | undefined;
}

const MAX_ATTEMPTS = 3;
/** The last item of the previous page, plus one. */
const MIN_PAGE_SIZE = 2;

/**
 * All items of a list with offsets: Manila's links contain a marker that Manila ignores. Items deleted between two
 * pages move the others up, so each page must begin with the last item of the previous page; otherwise the list is read
 * again. The query must sort new items last. Large items are read in smaller pages. Throws an OpenStackError for a list
 * that does not end.
 */
export async function* offsetPages<W, T extends { readonly id: string }>(
  api: ServiceApi,
  template: string,
  call: OffsetPagedCall<W, T>,
): AsyncGenerator<T, void> {
  let found: readonly T[] | undefined;
  for (let attempt = 1; found === undefined; attempt += 1) {
    found = await listOnce(api, template, call, attempt === MAX_ATTEMPTS);
  }
  yield* found;
}

/** Lists all items. Undefined if pages have shifted, except on the last attempt, whose result is always used. */
async function listOnce<W, T extends { readonly id: string }>(
  api: ServiceApi,
  template: string,
  call: OffsetPagedCall<W, T>,
  isLast: boolean,
): Promise<readonly T[] | undefined> {
  const { schema, items, pageSize = DEFAULT_PAGE_SIZE, query, ...rest } = call;
  const found = new Map<string, T>();
  const bounds = new ListBounds(api.service, template);
  let last: T | undefined;
  let limit = pageSize;
  for (let offset = 0; ; ) {
    const read = await readFittingPage(
      limit,
      (size) => api.get(schema, template, { ...rest, query: { ...query, limit: size, offset } }),
      MIN_PAGE_SIZE,
    );
    limit = read.limit;
    bounds.next(offset);
    const page = items(read.wire);
    if (last && page[0]?.id !== last.id && !isLast) return undefined;
    const known = found.size;
    for (const item of page) found.set(item.id, item);
    const isEnd = page.length < limit;
    // The last page may contain only the last item of the previous one.
    bounds.count(page.length, isEnd ? page.length : found.size - known);
    last = page.at(-1);
    if (last === undefined || isEnd) return [...found.values()];
    // A service that ignores the limit returns more.
    offset += page.length - 1;
  }
}
