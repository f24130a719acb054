import type { L7RuleFields } from '@fairway/openstack/types/l7-policy';
import { areShort, hostRules, orEvery, pathRules } from '../l7/l7-rules.ts';
import type { PathMatch } from '../l7/route.ts';
import { coversHost, sharesHosts } from './hostnames.ts';
import type { HttpMatch } from './schemas.ts';

export interface HeaderMatch {
  /** In small letters. */
  readonly name: string;
  readonly type: 'Exact' | 'Regex';
  readonly value: string;
}

/** Which requests to a host are meant. */
export interface RequestMatch {
  readonly host: string;
  readonly path: PathMatch;
  /** Each name once; by name. */
  readonly headers: readonly HeaderMatch[];
}

type MatchWithoutHost = Omit<RequestMatch, 'host'>;

/** Without what means something in a load balancer's own configuration. */
const PATH = /^\/[A-Za-z0-9._~!$&()*+,;=:@%/-]*$/;
/** A comma parts values of a header for HAProxy. */
const HEADER_VALUE = /^[A-Za-z0-9._~!$&()*+;=:@%/-]+$/;
const HEADER_NAME = /^[A-Za-z0-9_-]+$/;
const REGEX = /^[A-Za-z0-9._~/^$|()[\]*+?{},:;=@-]+$/;
/** Of a regular expression: what takes long where it does not match. */
const MAX_REPEATS = 4;

/** A match in words of Octavia, or why there are none. Pure. */
export function requestMatchOf({
  path,
  headers,
  queryParams,
  method,
}: HttpMatch): MatchWithoutHost | { problem: string } {
  if (method !== undefined) return { problem: 'Octavia matches no method' };
  if (queryParams.length > 0) return { problem: 'Octavia matches no queryParams' };
  const pathMatch = pathMatchOf(path);
  if ('problem' in pathMatch) return pathMatch;
  const found = new Map<string, HeaderMatch>();
  for (const { type, name, value } of headers) {
    if (!HEADER_NAME.test(name)) return { problem: 'the name of a header is of letters, digits, _ and -' };
    const key = name.toLowerCase();
    // Of several for one name the first counts.
    if (found.has(key)) continue;
    if (type !== 'Exact' && type !== 'RegularExpression') return { problem: `headers have no type ${shown(type)}` };
    if (type === 'Exact' && !HEADER_VALUE.test(value)) {
      return { problem: `the value of header ${shown(name)} is of letters, digits and ._~!$&()*+;=:@%/-` };
    }
    const problem = type === 'Exact' ? undefined : regexProblem(value);
    if (problem !== undefined) return { problem: `header ${shown(name)}: ${problem}` };
    found.set(key, { name: key, type: type === 'Exact' ? 'Exact' : 'Regex', value });
  }
  const match = { path: pathMatch, headers: [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  return areShort(rulesOfMatch({ ...match, host: '' }))
    ? match
    : { problem: 'a path or the value of a header has at most 200 characters' };
}

function pathMatchOf({ type, value }: HttpMatch['path']): PathMatch | { problem: string } {
  if (type === 'RegularExpression') {
    const problem = regexProblem(value);
    return problem === undefined ? { type: 'Regex', value } : { problem: `path: ${problem}` };
  }
  if (type !== 'Exact' && type !== 'PathPrefix') return { problem: `paths have no type ${shown(type)}` };
  if (!PATH.test(value)) return { problem: 'a path begins with / and is of letters, digits and ._~!$&()*+,;=:@%/-' };
  return type === 'Exact' ? { type, value } : { type: 'Prefix', value: value.replace(/\/+$/, '') || '/' };
}

function regexProblem(value: string): string | undefined {
  const allowed = 'a regular expression is of letters, digits and ._~/^$|()[]*+?{},:;=@-';
  if (!REGEX.test(value)) return allowed;
  if (value.includes('(?') || /\)[*+?{]/.test(value)) return 'a group is neither repeated nor special';
  if ((value.match(/[*+{]/g)?.length ?? 0) > MAX_REPEATS)
    return `a regular expression repeats at most ${MAX_REPEATS} times`;
  try {
    return new RegExp(value, 'u').source === '' ? 'it is empty' : undefined;
  } catch {
    return 'it is no regular expression';
  }
}

function shown(text: string): string {
  return `"${text.slice(0, 40)}"`;
}

/** What all have to hold. */
export function rulesOfMatch({ host, path, headers }: RequestMatch): readonly L7RuleFields[] {
  return orEvery([...hostRules(host, 'labels'), ...pathRules(path), ...headers.map(headerRule)]);
}

function headerRule({ name, type, value }: HeaderMatch): L7RuleFields {
  return type === 'Exact'
    ? { type: 'HEADER', key: name, compare_type: 'EQUAL_TO', value }
    : { type: 'HEADER', key: name, compare_type: 'REGEX', value: `^(${value})$` };
}

/** Those rules of `first` that a request which `second` matches may not hold to; undefined: no request is both. Pure. */
export function rulesBeyond(first: RequestMatch, second: RequestMatch): readonly L7RuleFields[] | undefined {
  if (!sharesHosts(first.host, second.host) || areApart(first.path, second.path)) return undefined;
  return [
    ...(coversHost(first.host, second.host) ? [] : hostRules(first.host, 'labels')),
    ...(coversPath(first.path, second.path) ? [] : pathRules(first.path)),
    ...first.headers.filter((header) => !second.headers.some((other) => isSameHeader(header, other))).map(headerRule),
  ];
}

function isSameHeader(a: HeaderMatch, b: HeaderMatch): boolean {
  return a.name === b.name && a.type === b.type && a.value === b.value;
}

function coversPath(general: PathMatch, special: PathMatch): boolean {
  if (general.type === special.type && general.value === special.value) return true;
  if (general.type !== 'Prefix') return false;
  if (general.value === '/') return true;
  if (special.type !== 'Exact' && special.type !== 'Prefix') return false;
  return special.value === general.value || special.value.startsWith(`${general.value}/`);
}

/** What a regular expression matches is not told beforehand. */
function areApart(a: PathMatch, b: PathMatch): boolean {
  if (a.type === 'Regex' || b.type === 'Regex') return false;
  return !coversPath(a, b) && !coversPath(b, a);
}

/** Within a host. Exact paths, regular expressions, prefixes from the longest on; then by the number of headers. https://gateway-api.sigs.k8s.io/reference/spec/#httprouterule */
export function byPathAndHeaders(a: RequestMatch, b: RequestMatch): number {
  const length = ({ path }: RequestMatch) => (path.type === 'Prefix' ? path.value.length : 0);
  return pathRank(a.path) - pathRank(b.path) || length(b) - length(a) || b.headers.length - a.headers.length;
}

function pathRank({ type }: PathMatch): number {
  return type === 'Exact' ? 0 : type === 'Regex' ? 1 : 2;
}
