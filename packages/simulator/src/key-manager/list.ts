import type { ApiRequest, ApiResponse } from '../http/api.ts';
import { ok } from '../http/api.ts';

const DEFAULT_LIMIT = 10;
const MAX_LIMIT = 100;

/**
 * A page of `rows`, with links to the previous and next page. `path` is the path of the collection below the version.
 */
export function page<R>(
  { query, serviceUrl }: ApiRequest,
  { name, path = name, rows, view }: { name: string; path?: string; rows: readonly R[]; view: (row: R) => object },
): ApiResponse {
  const offset = Math.max(0, integer(query.get('offset')) ?? 0);
  const limit = Math.min(MAX_LIMIT, Math.max(1, integer(query.get('limit')) ?? DEFAULT_LIMIT));
  const response = rows.slice(offset, offset + limit);
  const link = (at: number): string => `${serviceUrl}/v1/${path}?limit=${limit}&offset=${at}`;
  return ok({
    [name]: response.map(view),
    ...(response.length > 0 && offset > 0 && { previous: link(Math.max(0, offset - limit)) }),
    ...(response.length > 0 && rows.length > offset + limit && { next: link(offset + limit) }),
    total: rows.length,
  });
}

/** Undefined if absent, zero or not a number: Barbican then uses its default page size. */
function integer(text: string | null): number | undefined {
  const trimmed = text?.trim() ?? '';
  return /^[+-]?\d{1,15}$/.test(trimmed) ? Number(trimmed) || undefined : undefined;
}

/** MariaDB's LIKE, as used for names: `%` matches any text and `_` matches any character; case-insensitive. */
export function matchesLikePattern(text: string | null, pattern: string): boolean {
  if (text === null) return false;
  const [a, b] = [text.toLowerCase(), pattern.toLowerCase()];
  let [i, j, star, from] = [0, 0, -1, 0];
  while (i < a.length) {
    if (b[j] === '%') {
      star = j++;
      from = i;
    } else if (j < b.length && (b[j] === '_' || b[j] === a[i])) {
      i += 1;
      j += 1;
    } else if (star >= 0) {
      j = star + 1;
      i = ++from;
    } else {
      return false;
    }
  }
  while (b[j] === '%') j += 1;
  return j === b.length;
}
