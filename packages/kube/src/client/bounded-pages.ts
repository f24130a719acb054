import type { KubeObject } from '../object/meta.ts';
import type { ListOptions, ResourceClient } from './resource-client.ts';
import { AnswerTooLargeError, TransportError } from './transport.ts';

/** Maximum page size where tenants determine the size of objects: a page is parsed synchronously, in less than half a second. */
export const MAX_PAGE_CHARS = 16 * 1024 * 1024;
const PAGE_SIZE = 250;
/** Factor by which the limit shrinks after a page that was too large. */
const PAGE_DIVISOR = 8;
/** More than any cluster needs; a server could also return empty pages forever. */
const MAX_PAGES = 1_000;

/** The smaller limit to request after a failed list; undefined if the response was not too large, or already had a limit of one. */
export function smallerPage(pageSize: number, error: unknown): number | undefined {
  const cause = error instanceof TransportError ? error.cause : error;
  if (!(cause instanceof AnswerTooLargeError) || pageSize <= 1) return undefined;
  return Math.max(1, Math.floor(pageSize / PAGE_DIVISOR));
}

/**
 * The pages of a list in a tenant's cluster, where the tenant determines number and size of objects. Rejects like `list`, and with an
 * AnswerTooLargeError for an object or list that is too large.
 */
export async function* boundedPages<T extends KubeObject>(
  client: ResourceClient<T>,
  options: Omit<ListOptions, 'limit' | 'continue' | 'maxAnswerChars'>,
): AsyncGenerator<readonly T[], void> {
  let limit = PAGE_SIZE;
  let token: string | undefined;
  for (let pages = 0; pages < MAX_PAGES; pages++) {
    const next = { ...options, maxAnswerChars: MAX_PAGE_CHARS, ...(token !== undefined && { continue: token }) };
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
  throw new AnswerTooLargeError(`the list of ${client.type.plural} has more than ${MAX_PAGES} pages`);
}

/** Whether one of them is an object. */
export async function isAny<T extends KubeObject>(
  pages: AsyncIterable<readonly T[]>,
  isIt: (object: T) => boolean,
): Promise<boolean> {
  for await (const page of pages) if (page.some(isIt)) return true;
  return false;
}
