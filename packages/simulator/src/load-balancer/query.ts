import { ApiError, type ApiRequest } from '../http/api.ts';
import { type Access, isAdmin } from '../identity/access.ts';
import { badQuery, forbidden } from './problem.ts';

export type View = Readonly<Record<string, unknown>>;

const RESERVED_PARAMETERS = new Set([
  'limit',
  'marker',
  'sort',
  'sort_key',
  'sort_dir',
  'fields',
  'page_reverse',
  'project_id',
]);
const TAG_FILTERS = ['tags', 'tags-any', 'not-tags', 'not-tags-any'] as const;

/** The visible objects in a list. Administrators see the objects of all projects unless they filter by project. */
export function projectOf({ query, access }: ApiRequest): (view: { readonly project_id: string }) => boolean {
  const projectId = query.get('project_id') ?? (isAdmin(access) ? null : access.projectId);
  if (projectId !== null && !canSee(access, projectId)) throw forbidden();
  return (row) => projectId === null || row.project_id === projectId;
}

function canSee(access: Access, projectId: string): boolean {
  return isAdmin(access) || (access.roles.length > 0 && projectId === access.projectId);
}

/**
 * Filters, sorts and pages a list, and wraps it as `{pools: [...], pools_links: [...]}`. `hidden` contains, by ID,
 * additional fields for filtering that are not in the view.
 */
export function listResponse(
  request: ApiRequest,
  plural: string,
  views: readonly View[],
  filters: ReadonlySet<string>,
  hidden: ReadonlyMap<string, View> = new Map(),
): Record<string, unknown> {
  const { query } = request;
  const test = filterOf(query, filters);
  const filtered = views.filter((view) => test({ ...view, ...hidden.get(String(view['id'])) }));
  const keys = sortKeysOf(query, views[0] ?? {});
  const sorted = filtered.sort((a, b) => compareBy(keys, a, b));
  const { page, links } = paginate(request, sorted, views, keys);
  return { [plural]: page.map((view) => pick(view, query)), [`${plural}_links`]: links };
}

/** The requested fields of an object; all fields by default. */
export function pick(view: View, query: URLSearchParams): View {
  const fields = query.getAll('fields');
  if (fields.length === 0) return view;
  return Object.fromEntries(Object.entries(view).filter(([name]) => fields.includes(name)));
}

function filterOf(query: URLSearchParams, known: ReadonlySet<string>): (view: View) => boolean {
  const tests: ((view: View) => boolean)[] = [];
  for (const name of new Set(query.keys())) {
    if (RESERVED_PARAMETERS.has(name)) continue;
    const values = query.getAll(name);
    if (isTagFilter(name)) {
      const expected = values.flatMap((value) => value.split(','));
      tests.push((view) => matchesTags(name, expected, view['tags'] as readonly string[]));
      continue;
    }
    if (!known.has(name)) throw new ApiError(400, 'One or more arguments are either duplicate or invalid');
    tests.push((view) => values.some((value) => matches(view[name], value)));
  }
  return (view) => tests.every((test) => test(view));
}

function isTagFilter(name: string): name is (typeof TAG_FILTERS)[number] {
  return (TAG_FILTERS as readonly string[]).includes(name);
}

function matchesTags(
  filter: (typeof TAG_FILTERS)[number],
  expected: readonly string[],
  tags: readonly string[],
): boolean {
  const [includesAll, hasAny] = [
    expected.every((tag) => tags.includes(tag)),
    expected.some((tag) => tags.includes(tag)),
  ];
  switch (filter) {
    case 'tags':
      return includesAll;
    case 'tags-any':
      return hasAny;
    case 'not-tags':
      return !includesAll;
    case 'not-tags-any':
      return !hasAny;
  }
}

function matches(field: unknown, value: string): boolean {
  if (typeof field === 'boolean') return (field ? ['true', '1'] : ['false', '0']).includes(value.toLowerCase());
  return typeof field === 'string' || typeof field === 'number' ? `${field}` === value : false;
}

interface SortKey {
  readonly key: string;
  readonly direction: 'asc' | 'desc';
}

/**
 * Parses `sort=name:desc,id` or `sort_key=name,id&sort_dir=desc`. Creation time and ID are appended as the last keys if
 * the objects have them.
 */
function sortKeysOf(query: URLSearchParams, sample: View): SortKey[] {
  const sort = query.get('sort');
  const keys = query.get('sort_key')?.split(',') ?? [];
  const directions = query.get('sort_dir')?.split(',') ?? [];
  const expected =
    sort === null
      ? keys.map((key, i) => ({ key, direction: directionOf(directions[i] ?? 'asc') }))
      : sort.split(',').map((each) => {
          const [key = '', direction = 'asc'] = each.split(':');
          return { key, direction: directionOf(direction) };
        });
  const named = new Set(expected.map(({ key }) => key));
  const last = ['created_at', 'id'].filter((key) => key in sample && !named.has(key));
  return [...expected, ...last.map((key) => ({ key, direction: 'asc' as const }))];
}

function directionOf(text: string): SortKey['direction'] {
  const direction = text.toLowerCase();
  if (direction === 'asc' || direction === 'desc') return direction;
  throw badQuery(`Supplied sort direction '${direction}' is not valid.`);
}

function compareBy(keys: readonly SortKey[], a: View, b: View): number {
  for (const { key, direction } of keys) {
    if (!(key in a)) throw new ApiError(400, `Supplied sort key '${key}' is not valid.`);
    const order = compare(a[key], b[key]);
    if (order !== 0) return direction === 'desc' ? -order : order;
  }
  return 0;
}

function compare(a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [asText(a), asText(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function asText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? `${value}` : '';
}

interface PageLink {
  readonly rel: 'next' | 'previous';
  readonly href: string;
}

/** A full page links to a next page, which may be empty, as in Octavia. */
function paginate(
  request: ApiRequest,
  sorted: readonly View[],
  all: readonly View[],
  keys: readonly SortKey[],
): { readonly page: readonly View[]; readonly links: PageLink[] } {
  const { query } = request;
  const limit = limitOf(query.get('limit'));
  const marker = query.get('marker');
  const at = marker === null ? undefined : all.find((view) => view['id'] === marker);
  if (marker !== null && at === undefined)
    throw new ApiError(400, `Supplied pagination marker '${marker}' is not valid.`);
  const isReverse = query.get('page_reverse') === 'True';
  const beyond =
    at === undefined
      ? sorted
      : sorted.filter((view) => (isReverse ? compareBy(keys, view, at) < 0 : compareBy(keys, view, at) > 0));
  const page = beyond.slice(0, limit);
  const links: PageLink[] = [];
  const link = (rel: PageLink['rel'], id: unknown): void => {
    const parameters = [`limit=${limit}`];
    for (const name of ['sort', 'sort_key']) if (query.has(name)) parameters.push(`${name}=${query.get(name)}`);
    parameters.push(`marker=${String(id)}`);
    if (rel === 'previous') parameters.push('page_reverse=True');
    links.push({ rel, href: `${request.origin}${request.path}?${parameters.join('&')}` });
  };
  if (page.length > 0 && marker !== null) link('previous', page[0]?.['id']);
  if (page.length > 0 && page.length >= limit) link('next', page.at(-1)?.['id']);
  return { page, links };
}

function limitOf(text: string | null): number {
  if (text === null || text === 'infinite') return Number.MAX_SAFE_INTEGER;
  if (!/^-?\d+$/.test(text)) throw badQuery(`Supplied pagination limit '${text}' is not valid.`);
  return Number(text) < 1 ? Number.MAX_SAFE_INTEGER : Number(text);
}
