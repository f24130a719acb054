import { type ApiRequest, type ApiResponse, ok } from '../http/api.ts';
import { isAdmin } from '../identity/access.ts';
import { badRequest, invalidInput, notFound } from './problem.ts';
import { volumesUrl } from './volume-view.ts';

const MAX_LIMIT = 1000;
const MAX_OFFSET = 2 ** 31 - 1;

/** Since this microversion, unknown filters are rejected instead of ignored. */
const STRICT_FILTER_MICROVERSION = 31;
const COUNT_MICROVERSION = 45;

/** The source of a Cinder list. */
export interface Listing<R> {
  /** Name of the list in the body: `volumes`. */
  readonly name: string;
  /** Path of the list below the version: `volumes/detail`. */
  readonly path: string;
  /** Rows of all projects, oldest first. */
  readonly rows: readonly R[];
  readonly projectOf: (row: R) => string;
  readonly idOf: (row: R) => string;
  /** Functions that return the text of a field, for fields that can be filtered. Metadata is an object. */
  readonly filters: Readonly<Record<string, (row: R) => string | Readonly<Record<string, string>>>>;
  readonly sortKeys: Readonly<Record<string, (row: R) => string | number>>;
  readonly view: (row: R) => object;
}

/** One page of a list: filtered, sorted, and with a link to the next page if the page is full. */
export function page<R>(request: ApiRequest, listing: Listing<R>): ApiResponse {
  const { query, access, microversion } = request;
  refuseUnknownFilters(request, listing);
  const limit = limitOf(query.get('limit'));
  const offset = offsetOf(query.get('offset'));
  const isForAllProjects = isAdmin(access) && ['1', 'true', 'True'].includes(query.get('all_tenants') ?? '');
  const projectId = isForAllProjects ? query.get('project_id') : access.projectId;
  const ownRows = listing.rows.filter((row) => projectId === null || listing.projectOf(row) === projectId);
  const matching = ownRows.filter((row) => matches(request, listing, row));
  const sorted = sort(request, listing, matching);
  const marker = query.get('marker');
  const at = marker === null ? -1 : sorted.findIndex((row) => listing.idOf(row) === marker);
  if (marker !== null && at === -1) throw notFound(`Volume ${marker} could not be found.`);
  const rows = sorted.slice(at + 1 + offset, at + 1 + offset + limit);
  const last = rows.at(-1);
  const includesCount = microversion >= COUNT_MICROVERSION && isTrue(query.get('with_count'));
  return ok({
    [listing.name]: rows.map(listing.view),
    ...(last !== undefined && rows.length >= limit
      ? { [`${listing.name}_links`]: [{ rel: 'next', href: nextUrl(request, listing.path, listing.idOf(last)) }] }
      : {}),
    ...(includesCount ? { count: matching.length } : {}),
  });
}

function isTrue(text: string | null): boolean {
  return ['1', 'true', 'on', 'yes', 't', 'y'].includes(text?.toLowerCase() ?? '');
}

function nextUrl(request: ApiRequest, path: string, marker: string): string {
  const query = new URLSearchParams(request.query);
  query.set('marker', marker);
  return `${volumesUrl(request)}/${path}?${query.toString()}`;
}

function limitOf(text: string | null): number {
  if (text === null) return MAX_LIMIT;
  if (!/^[+-]?\d+$/.test(text)) throw badRequest('limit param must be an integer');
  if (Number(text) < 0) throw badRequest('limit param must be positive');
  return Math.min(Number(text), MAX_LIMIT);
}

function offsetOf(text: string | null): number {
  const offset = Number(text ?? 0);
  if (!Number.isInteger(offset)) throw badRequest('offset must be an integer');
  if (offset < 0) throw badRequest('offset must be >= 0');
  if (offset > MAX_OFFSET) throw badRequest(`offset must be <= ${MAX_OFFSET}`);
  return offset;
}

const NON_FILTER_PARAMETERS: ReadonlySet<string> = new Set([
  'limit',
  'marker',
  'offset',
  'sort',
  'sort_key',
  'sort_dir',
  'all_tenants',
  'project_id',
  'with_count',
]);

function refuseUnknownFilters<R>({ query, microversion, access }: ApiRequest, { filters }: Listing<R>): void {
  if (microversion < STRICT_FILTER_MICROVERSION || isAdmin(access)) return;
  const unknown = [...query.keys()].filter((key) => !NON_FILTER_PARAMETERS.has(key) && filters[key] === undefined);
  if (unknown.length > 0) throw badRequest(`Invalid filters ${unknown.join(',')} are found in query options.`);
}

function matches<R>({ query }: ApiRequest, { filters }: Listing<R>, row: R): boolean {
  return [...query].every(([key, expected]) => {
    if (NON_FILTER_PARAMETERS.has(key)) return true;
    const fieldOf = filters[key];
    if (fieldOf === undefined) return true;
    const field = fieldOf(row);
    if (typeof field !== 'string') return includesAll(field, pythonDict(expected));
    return (
      field === expected ||
      (field === 'true' && isTrue(expected)) ||
      (field === 'false' && /^(0|false)$/i.test(expected))
    );
  });
}

function includesAll(field: Readonly<Record<string, string>>, expected: Readonly<Record<string, string>>): boolean {
  return Object.entries(expected).every(([key, value]) => field[key] === value);
}

/** Clients send metadata in Python syntax: `{'key': 'value'}`. */
function pythonDict(text: string): Record<string, string> {
  const items = text.matchAll(/['"]([^'"]*)['"]\s*:\s*['"]([^'"]*)['"]/g);
  return Object.fromEntries([...items].map(([, key = '', value = '']) => [key, value]));
}

function sort<R>({ query }: ApiRequest, { sortKeys }: Listing<R>, rows: readonly R[]): R[] {
  const orders = ordersOf(query);
  for (const { key, direction } of orders) {
    if (sortKeys[key] === undefined) throw invalidInput('Invalid sort key');
    if (direction !== 'asc' && direction !== 'desc') {
      throw invalidInput(
        `Unknown sort direction, must be one of: asc-nullsfirst, asc-nullslast, desc-nullsfirst, desc-nullslast`,
      );
    }
  }
  // Newest first, even if creation times are equal.
  return rows.toReversed().sort((a, b) => {
    for (const { key, direction } of orders) {
      const [left, right] = [sortKeys[key]?.(a) ?? '', sortKeys[key]?.(b) ?? ''];
      if (left !== right) return (left < right ? -1 : 1) * (direction === 'asc' ? 1 : -1);
    }
    return 0;
  });
}

function ordersOf(query: URLSearchParams): { readonly key: string; readonly direction: string }[] {
  const sorted = query.get('sort');
  if (sorted === null) {
    return [{ key: query.get('sort_key') ?? 'created_at', direction: query.get('sort_dir') ?? 'desc' }];
  }
  if (query.has('sort_key') || query.has('sort_dir')) {
    throw badRequest(
      "The 'sort_key' and 'sort_dir' parameters are deprecated and cannot be used with the 'sort' parameter.",
    );
  }
  return sorted.split(',').map((part) => {
    const [key = '', direction = ''] = part.trim().split(':');
    return { key: key.trim(), direction: direction.trim() || 'desc' };
  });
}
