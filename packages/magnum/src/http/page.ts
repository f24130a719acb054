import type { Call, Reply } from './call.ts';
import { invalidInput } from './magnum-error.ts';

/** Maximum page size: Magnum's `[api] max_limit`. */
export const MAX_LIMIT = 1000;

export interface PageItem {
  /** The value that identifies the item as a marker. */
  readonly marker: string;
  /** Sort value of `sort_key=id`: the creation time. */
  readonly created: string;
  /** The listed item, which can be sorted by its attributes. */
  readonly view: Readonly<Record<string, unknown>>;
}

export interface PageQuery {
  readonly limit: number;
  readonly marker: string | undefined;
  readonly sortKey: string;
  readonly isDescending: boolean;
  /** Additional parameters of the call, repeated in links to other pages. */
  readonly extraParameters: readonly (readonly [string, string])[];
}

const PAGE_PARAMETERS = ['limit', 'marker', 'sort_key', 'sort_dir'] as const;

/** The parsed paging parameters. Throws 400 for invalid ones, and for parameters that the call does not accept. */
export function pageOf(query: URLSearchParams, extraParameters: readonly string[] = []): PageQuery {
  const allowedNames: readonly string[] = [...PAGE_PARAMETERS, ...extraParameters];
  for (const name of query.keys()) {
    if (!allowedNames.includes(name)) throw invalidInput(`Unknown argument: "${name.slice(0, 80)}"`);
  }
  const limit = query.get('limit');
  if (limit !== null && !/^-?[0-9]{1,9}$/.test(limit))
    throw invalidInput(`Invalid input for field/attribute limit. Value: '${limit.slice(0, 20)}'`);
  if (limit !== null && Number(limit) <= 0) throw invalidInput('Limit must be positive');
  const direction = query.get('sort_dir') ?? 'asc';
  if (direction !== 'asc' && direction !== 'desc') {
    throw invalidInput(`Invalid sort direction: ${direction.slice(0, 20)}. Acceptable values are 'asc' or 'desc'`);
  }
  return {
    limit: Math.min(limit === null ? MAX_LIMIT : Number(limit), MAX_LIMIT),
    marker: query.get('marker') ?? undefined,
    sortKey: query.get('sort_key') ?? 'id',
    isDescending: direction === 'desc',
    extraParameters: [...query].filter(([name]) => extraParameters.includes(name)),
  };
}

/** A page, and the marker of the next page if more items may follow. Throws 400 for an unknown sort key or marker. */
export function paginate<T extends PageItem>(
  all: readonly T[],
  query: PageQuery,
): { readonly page: readonly T[]; readonly next: string | undefined } {
  const { limit, marker, sortKey, isDescending } = query;
  const [first] = all;
  if (first && sortKey !== 'id' && !Object.hasOwn(first.view, sortKey)) {
    throw invalidInput(`The sort_key value "${sortKey.slice(0, 80)}" is an invalid field for sorting`);
  }
  const sign = isDescending ? -1 : 1;
  const sorted = all.toSorted(
    (a, b) => sign * (compare(keyOf(a, sortKey), keyOf(b, sortKey)) || compare(a.marker, b.marker)),
  );
  const at = marker === undefined ? -1 : sorted.findIndex((item) => item.marker === marker);
  if (marker !== undefined && at < 0) throw invalidInput(`The marker ${marker.slice(0, 80)} could not be found.`);
  const page = sorted.slice(at + 1, at + 1 + limit);
  return { page, next: page.length === limit ? page.at(-1)?.marker : undefined };
}

function keyOf(item: PageItem, sortKey: string): string | number {
  if (sortKey === 'id') return item.created;
  const value = item.view[sortKey];
  return typeof value === 'number' ? value : typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function compare(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [String(a), String(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The response with one page of a collection and the link to the next. `path` is below `/v1`. */
export function pageReply<T extends PageItem>(
  call: Pick<Call, 'url'>,
  { name, path = name }: { readonly name: string; readonly path?: string },
  all: readonly T[],
  query: PageQuery,
  format: (view: T['view']) => unknown = (view) => view,
): Reply {
  const { page, next } = paginate(all, query);
  const nextLink = next !== undefined && { next: nextUrl(`${call.url}/v1/${path}`, query, next) };
  return { status: 200, body: { [name]: page.map(({ view }) => format(view)), ...nextLink } };
}

/** The URL of the next page. */
export function nextUrl(
  collectionUrl: string,
  { limit, sortKey, isDescending, extraParameters }: PageQuery,
  marker: string,
): string {
  const sort = `sort_key=${encodeURIComponent(sortKey)}&sort_dir=${isDescending ? 'desc' : 'asc'}`;
  const extraQuery = extraParameters.map(([name, value]) => `${name}=${encodeURIComponent(value)}&`).join('');
  return `${collectionUrl}?${extraQuery}${sort}&limit=${limit}&marker=${encodeURIComponent(marker)}`;
}
