import type { ZodType } from 'zod';
import { ListBounds } from './list-bounds.ts';
import { readFittingPage } from './pages.ts';
import type { ApiCall, ServiceApi } from './service-api.ts';

interface CountedCall<W, T> extends ApiCall {
  readonly schema: ZodType<W>;
  readonly items: (wire: W) => readonly T[];
  readonly idOf: (item: T) => string;
  readonly isLast: (wire: W, limit: number) => boolean;
  readonly pageSize: number;
}

/**
 * All items of a list that supports offsets but no markers, without duplicates. Makes one call per page, and reads
 * smaller pages if items are large. Deletions during the listing may hide other items. Throws an OpenStackError for a
 * list that does not end.
 */
export async function* countedPages<W, T>(
  api: ServiceApi,
  template: string,
  { schema, items, idOf, isLast, pageSize, query, ...rest }: CountedCall<W, T>,
): AsyncGenerator<T, void> {
  const bounds = new ListBounds(api.service, template);
  const known = new Set<string>();
  let limit = pageSize;
  let offset = 0;
  for (;;) {
    const page = await readFittingPage(limit, (size) =>
      api.get(schema, template, { ...rest, query: { ...query, limit: size, offset } }),
    );
    limit = page.limit;
    bounds.next(offset);
    const listed = items(page.wire);
    const added = listed.filter((item) => !known.has(idOf(item)));
    for (const item of added) known.add(idOf(item));
    bounds.count(listed.length, added.length);
    yield* added;
    if (isLast(page.wire, limit)) return;
    offset += listed.length;
  }
}
