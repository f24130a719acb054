import type { KubeObject } from '../object/meta.ts';
import type { ListOptions, ResourceClient } from './resource-client.ts';
import { ResponseTooLargeError, TransportError } from './transport.ts';

/**
 * Maximum page size where tenants determine the size of objects. A page is parsed synchronously, which must take less
 * than half a second.
 */
export const MAX_PAGE_CHARS = 16 * 1024 * 1024;
const PAGE_SIZE = 250;
/** Factor by which the limit shrinks after a page is too large. */
const PAGE_DIVISOR = 8;
/** More pages than any cluster needs; guards against a server that returns empty pages forever. */
const MAX_PAGES = 1_000;

/**
 * The smaller limit to request after a failed list; undefined if the response was not too large, or the limit was
 * already 1.
 */
export function smallerPage(pageSize: number, error: unknown): number | undefined {
  const cause = error instanceof TransportError ? error.cause : error;
  if (!(cause instanceof ResponseTooLargeError) || pageSize <= 1) return undefined;
  return Math.max(1, Math.floor(pageSize / PAGE_DIVISOR));
}

/**
 * The pages of a list in a tenant's cluster, where the tenant determines the number and size of objects. Rejects like
 * `list`, and with a ResponseTooLargeError for an object or list that is too large.
 */
export async function* boundedPages<T extends KubeObject>(
  client: ResourceClient<T>,
  options: Omit<ListOptions, 'limit' | 'continue' | 'maxResponseChars'>,
): AsyncGenerator<readonly T[], void> {
  let limit = PAGE_SIZE;
  let token: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const next = { ...options, maxResponseChars: MAX_PAGE_CHARS, ...(token !== undefined && { continue: token }) };
    const page = await client.list({ ...next, limit }).catch((error: unknown) => {
      const smaller = smallerPage(limit, error);
      if (smaller === undefined) throw error;
      limit = smaller;
      return undefined;
    });
    if (page === undefined) continue;
    yield page.items;
    token = page.metadata.continue || undefined;
    if (token === undefined) return;
  }
  throw new ResponseTooLargeError(`the list of ${client.type.plural} has more than ${MAX_PAGES} pages`);
}

/** Whether any object matches. */
export async function someMatch<T extends KubeObject>(
  pages: AsyncIterable<readonly T[]>,
  predicate: (object: T) => boolean,
): Promise<boolean> {
  for await (const page of pages) if (page.some(predicate)) return true;
  return false;
}
