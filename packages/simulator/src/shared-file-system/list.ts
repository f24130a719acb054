import type { ApiRequest } from '../http/api.ts';
import { pythonRepr } from '../http/parse-body.ts';
import { badRequest, invalidInput, unexpectedError } from './problem.ts';

const MAX_ITEMS = 1000;

/** The page of a list that is selected by `limit` and `offset`. */
export function sliceRows<R>({ query }: ApiRequest, rows: readonly R[]): readonly R[] {
  const { limit, offset } = pageOf(query);
  return rows.slice(offset, offset + limit);
}

function pageOf(query: URLSearchParams): { readonly limit: number; readonly offset: number } {
  const offset = integer(query, 'offset') ?? 0;
  const limit = integer(query, 'limit') ?? MAX_ITEMS;
  if (limit < 0) throw badRequest('limit param must be positive');
  if (offset < 0) throw badRequest('offset param must be positive');
  return { limit: Math.min(limit, MAX_ITEMS), offset };
}

function integer(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\s*[+-]?\d{1,15}\s*$/.test(text)) throw badRequest(`${name} param must be an integer`);
  return Number(text);
}

/** The link to the next page, if this one is full. It always points to the collection, regardless of the path. */
export function nextLink(request: ApiRequest, path: string, response: readonly { readonly id: string }[]): object[] {
  const limit = Number(request.query.get('limit') ?? 0);
  const last = response.at(-1);
  if (limit === 0 || response.length !== limit || last === undefined) return [];
  const query = new URLSearchParams(request.query);
  query.set('marker', last.id);
  return [{ rel: 'next', href: `${request.serviceUrl}/v2/${path}?${query.toString()}` }];
}

export type SortKeys<R> = Readonly<Record<string, (row: R) => string | number | boolean | null>>;

/** The rows in the requested order, newest first by default; IDs break ties. */
export function sorted<R extends { readonly id: string }>(
  { query }: ApiRequest,
  rows: readonly R[],
  keys: SortKeys<R>,
): R[] {
  const key = query.get('sort_key') ?? 'created_at';
  const direction = (query.get('sort_dir') ?? 'desc').toLowerCase();
  if (direction !== 'asc' && direction !== 'desc') {
    throw invalidInput(
      `Wrong sorting data provided: sort key is '${key}' and sort direction is '${query.get('sort_dir') ?? ''}'.`,
    );
  }
  const value = Object.hasOwn(keys, key) ? keys[key] : undefined;
  if (value === undefined) throw invalidInput(`Wrong sorting key provided - '${key}'.`);
  const sign = direction === 'asc' ? 1 : -1;
  return rows.toSorted((a, b) => sign * (compare(value(a), value(b)) || compare(a.id, b.id)));
}

function compare(a: string | number | boolean | null, b: string | number | boolean | null): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? -1 : 1;
  return a < b ? -1 : 1;
}

/** A dictionary of strings in Python syntax: `{'a': 'b'}`. */
export function pythonDict(text: string): Readonly<Record<string, string>> {
  const item = /\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")\s*/y;
  const body = /^\s*\{(.*)\}\s*$/s.exec(text)?.[1];
  if (body === undefined) throw unexpectedError();
  const entries: Record<string, string> = {};
  let at = 0;
  const read = (): string => {
    item.lastIndex = at;
    const match = item.exec(body);
    if (match === null) throw unexpectedError();
    at = item.lastIndex;
    return (match[1] ?? match[2] ?? '').replaceAll(/\\(.)/g, '$1');
  };
  while (body.slice(at).trim() !== '') {
    const key = read();
    if (body[at] !== ':') throw unexpectedError();
    at += 1;
    entries[key] = read();
    if (at < body.length && body[at] !== ',') throw unexpectedError();
    at += 1;
  }
  return entries;
}

/** Whether `labels` contains all requested entries. */
export function includesMetadata(
  labels: Readonly<Record<string, string>>,
  expected: Readonly<Record<string, string>>,
): boolean {
  return Object.entries(expected).every(([key, value]) => Object.hasOwn(labels, key) && labels[key] === value);
}

/** A JSON value in messages: strings without quotes, other values in Python syntax. */
export function plain(value: unknown): string {
  return typeof value === 'string' ? value : pythonRepr(value);
}

const TRUE_TEXTS = ['1', 't', 'true', 'on', 'y', 'yes'];
const FALSE_TEXTS = ['0', 'f', 'false', 'off', 'n', 'no'];

/** Parses a flag as OpenStack does; rejects other values. */
export function flag(value: unknown): boolean {
  const text = plain(value).trim().toLowerCase();
  if (TRUE_TEXTS.includes(text)) return true;
  if (FALSE_TEXTS.includes(text)) return false;
  const accepted = [...FALSE_TEXTS, ...TRUE_TEXTS].sort().map((each) => `'${each}'`);
  throw badRequest(`Unrecognized value '${plain(value)}', acceptable values are: ${accepted.join(', ')}`);
}
