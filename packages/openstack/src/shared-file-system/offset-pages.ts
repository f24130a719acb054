import type { ZodType } from 'zod';
import { DEFAULT_PAGE_SIZE } from '../pages.ts';
import type { ApiCall, ServiceApi } from '../service-api.ts';

interface OffsetPagedCall<W, T> extends ApiCall {
  readonly schema: ZodType<W>;
  readonly items: (wire: W) => readonly T[];
  readonly pageSize?: number | undefined;
}

const MOST_ATTEMPTS = 3;

/**
 * All items of a list that has offsets and no markers: Manila's links name one that it does not read. Items that go between two pages move the others
 * up, so each page begins with the last item of the one before; where it does not, the list is made again. The query has to sort new ones last.
 */
export async function* offsetPages<W, T extends { readonly id: string }>(
  api: ServiceApi,
  template: string,
  call: OffsetPagedCall<W, T>,
): AsyncGenerator<T, void> {
  let found: readonly T[] | undefined;
  for (let attempt = 1; found === undefined; attempt += 1) {
    found = await listOnce(api, template, call, attempt === MOST_ATTEMPTS);
  }
  yield* found;
}

/** Undefined where pages have shifted, unless the last of many tries is to count all the same. */
async function listOnce<W, T extends { readonly id: string }>(
  api: ServiceApi,
  template: string,
  call: OffsetPagedCall<W, T>,
  isLast: boolean,
): Promise<readonly T[] | undefined> {
  const { schema, items, pageSize = DEFAULT_PAGE_SIZE, query, ...rest } = call;
  const found = new Map<string, T>();
  let last: T | undefined;
  for (let offset = 0; ; offset += pageSize - 1) {
    const page = items(await api.get(schema, template, { ...rest, query: { ...query, limit: pageSize, offset } }));
    if (last && page[0]?.id !== last.id && !isLast) return undefined;
    for (const item of page) found.set(item.id, item);
    last = page.at(-1);
    if (last === undefined || page.length < pageSize) return [...found.values()];
  }
}
