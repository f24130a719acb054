import type { ApiRequest } from '../http/api.ts';
import { badRequest, refusalError } from './problem.ts';

type View = Readonly<Record<string, unknown>>;

const RESERVED_PARAMETERS = new Set(['fields', 'limit', 'marker', 'page_reverse', 'sort_key', 'sort_dir']);
const TAG_FILTERS = ['tags', 'tags-any', 'not-tags', 'not-tags-any'] as const;

/**
 * Filters, sorts and pages a list as the query requests, and wraps it as `{networks: [...], networks_links: [...]}`.
 */
export function listResponse(
  request: ApiRequest,
  plural: string,
  views: readonly View[],
  knownFilters: ReadonlySet<string>,
  missing: (id: string) => Error,
): Record<string, unknown> {
  const filtered = views.filter(filterOf(request.query, knownFilters));
  const sorted = sortViews(request.query, filtered);
  const { page, links } = paginate(request, sorted, missing);
  const fields = request.query.getAll('fields');
  return {
    [plural]: fields.length === 0 ? page : page.map((view) => pick(view, fields)),
    ...(links.length === 0 ? {} : { [`${plural}_links`]: links }),
  };
}

export function pick(view: View, fields: readonly string[]): View {
  return Object.fromEntries(fields.filter((field) => field in view).map((field) => [field, view[field]]));
}

function filterOf(query: URLSearchParams, known: ReadonlySet<string>): (view: View) => boolean {
  const unknown: string[] = [];
  const tests: ((view: View) => boolean)[] = [];
  for (const name of new Set(query.keys())) {
    if (RESERVED_PARAMETERS.has(name)) continue;
    const values = query.getAll(name);
    if (isTagFilter(name))
      tests.push(
        tagPredicate(
          name,
          values.flatMap((value) => value.split(',')),
        ),
      );
    else if (!known.has(name)) unknown.push(name);
    else tests.push((view) => values.some((value) => matches(view[name], value)));
  }
  if (unknown.length > 0) {
    throw badRequest(`[${unknown.map((name) => `'${name}'`).join(', ')}] is invalid attribute for filtering`);
  }
  return (view) => tests.every((test) => test(view));
}

function isTagFilter(name: string): name is (typeof TAG_FILTERS)[number] {
  return (TAG_FILTERS as readonly string[]).includes(name);
}

function tagPredicate(name: (typeof TAG_FILTERS)[number], expected: readonly string[]): (view: View) => boolean {
  const tagsOf = (view: View): readonly string[] => (Array.isArray(view['tags']) ? (view['tags'] as string[]) : []);
  switch (name) {
    case 'tags':
      return (view) => expected.every((tag) => tagsOf(view).includes(tag));
    case 'tags-any':
      return (view) => expected.some((tag) => tagsOf(view).includes(tag));
    case 'not-tags':
      return (view) => !expected.every((tag) => tagsOf(view).includes(tag));
    case 'not-tags-any':
      return (view) => !expected.some((tag) => tagsOf(view).includes(tag));
  }
}

function matches(field: unknown, value: string): boolean {
  if (typeof field === 'boolean') return (field ? ['true', '1'] : ['false', '0']).includes(value.toLowerCase());
  if (field === null || field === undefined) return value === '' || value === 'None';
  if (Array.isArray(field)) return field.some((item) => itemMatches(item, value));
  return asText(field) === value;
}

/**
 * Whether an item matches a filter such as `fixed_ips=subnet_id=...` or `fixed_ips=ip_address_substr=...`; items that
 * are not objects are compared by equality.
 */
function itemMatches(item: unknown, value: string): boolean {
  if (typeof item !== 'object' || item === null) return String(item) === value;
  const separator = value.indexOf('=');
  const key = value.slice(0, separator);
  const expected = value.slice(separator + 1);
  const fields = item as View;
  if (key.endsWith('_substr')) return String(fields[key.slice(0, -'_substr'.length)]).includes(expected);
  return String(fields[key]) === expected;
}

function sortViews(query: URLSearchParams, views: readonly View[]): View[] {
  const keys = query.getAll('sort_key');
  const directions = query.getAll('sort_dir');
  const sorted = [...views];
  if (keys.length === 0) return sorted;
  return sorted.sort((a, b) => {
    for (const [i, key] of keys.entries()) {
      const order = compare(a[key], b[key]);
      if (order !== 0) return directions[i] === 'desc' ? -order : order;
    }
    return 0;
  });
}

function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? `${value}` : '';
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const left = asText(a);
  const right = asText(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

interface PageLink {
  readonly rel: 'next' | 'previous';
  readonly href: string;
}

function paginate(
  request: ApiRequest,
  views: readonly View[],
  missing: (id: string) => Error,
): { page: readonly View[]; links: PageLink[] } {
  const { query } = request;
  const limitText = query.get('limit');
  const marker = query.get('marker');
  if (limitText === null && marker === null) return { page: views, links: [] };
  const limit = limitText === null ? views.length : Number(limitText);
  if (!Number.isInteger(limit) || limit < 0)
    throw refusalError(
      'BadRequest',
      `Bad limit request: Limit must be an integer 0 or greater and not '${limitText}'.`,
    );
  const isReverse = query.get('page_reverse')?.toLowerCase() === 'true';
  const at = marker === null ? -1 : views.findIndex((view) => view['id'] === marker);
  if (marker !== null && at === -1) throw missing(marker);
  const size = limit === 0 ? views.length : limit;
  const end = isReverse ? (marker === null ? views.length : at) : Math.min(at + 1 + size, views.length);
  const start = isReverse ? Math.max(end - size, 0) : at + 1;
  const page = views.slice(start, end);
  const links: PageLink[] = [];
  const link = (rel: PageLink['rel'], id: unknown): void => {
    const parameters = new URLSearchParams(query);
    parameters.set('marker', String(id));
    parameters.delete('page_reverse');
    if (rel === 'previous') parameters.set('page_reverse', 'True');
    links.push({ rel, href: `${request.origin}${request.path}?${parameters.toString()}` });
  };
  if (limit > 0 && end < views.length) link('next', page.at(-1)?.['id']);
  if (limit > 0 && start > 0) link('previous', page[0]?.['id']);
  return { page, links };
}
