import { trimmedEnd } from '@fairway/base/trim';
import type { L7RuleFields } from '@fairway/openstack/types/l7-policy';
import { fitLengthLimit, hostRules, MAX_VALUE_LENGTH, orMatchAll, pathRules } from '../l7/l7-rules.ts';
import type { PathMatch } from '../l7/route.ts';
import { coversHost, sharesHosts } from './hostnames.ts';
import type { HttpMatch } from './schemas.ts';

export interface HeaderMatch {
  /** Lowercase. */
  readonly name: string;
  readonly type: 'Exact' | 'Regex';
  readonly value: string;
}

/** The matching requests to a host. */
export interface RequestMatch {
  readonly host: string;
  readonly path: PathMatch;
  /** Without duplicates, sorted by name. */
  readonly headers: readonly HeaderMatch[];
}

type MatchWithoutHost = Omit<RequestMatch, 'host'>;

/** Excludes characters with a special meaning in HAProxy's configuration. */
const PATH = /^\/[A-Za-z0-9._~!$&()*+,;=:@%/-]*$/;
/** HAProxy separates header values at commas. */
const HEADER_VALUE = /^[A-Za-z0-9._~!$&()*+;=:@%/-]+$/;
const HEADER_NAME = /^[A-Za-z0-9_-]+$/;
const REGEX = /^[A-Za-z0-9._~/^$|()[\]*+?{},:;=@-]+$/;
/** Repetitions in a regular expression, which make failing matches slow. */
const MAX_REPEATS = 4;
const TOO_LONG_MESSAGE = 'a path or header value may have at most 200 characters';

/** The Octavia form of a match, or the reason why it is unsupported. Pure. */
export function requestMatchOf({
  path,
  headers,
  queryParams,
  method,
}: HttpMatch): MatchWithoutHost | { problem: string } {
  if (method !== undefined) return { problem: 'Octavia cannot match methods' };
  if (queryParams.length > 0) return { problem: 'Octavia cannot match queryParams' };
  const texts = [path.value, ...headers.flatMap(({ name, value }) => [name, value])];
  if (texts.some(({ length }) => length > MAX_VALUE_LENGTH)) return { problem: TOO_LONG_MESSAGE };
  const pathMatch = pathMatchOf(path);
  if ('problem' in pathMatch) return pathMatch;
  const found = new Map<string, HeaderMatch>();
  for (const { type, name, value } of headers) {
    if (!HEADER_NAME.test(name)) return { problem: 'a header name may contain letters, digits, _ and -' };
    const key = name.toLowerCase();
    // Only the first match for a header name is used.
    if (found.has(key)) continue;
    if (type !== 'Exact' && type !== 'RegularExpression')
      return { problem: `header match type ${quotedText(type)} is not supported` };
    if (type === 'Exact' && !HEADER_VALUE.test(value)) {
      return {
        problem: `the value of header ${quotedText(name)} may contain only letters, digits and ._~!$&()*+;=:@%/-`,
      };
    }
    const problem = type === 'Exact' ? undefined : regexProblem(value);
    if (problem !== undefined) return { problem: `header ${quotedText(name)}: ${problem}` };
    found.set(key, { name: key, type: type === 'Exact' ? 'Exact' : 'Regex', value });
  }
  const match = { path: pathMatch, headers: [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1)) };
  return fitLengthLimit(rulesOfMatch({ ...match, host: '' })) ? match : { problem: TOO_LONG_MESSAGE };
}

function pathMatchOf({ type, value }: HttpMatch['path']): PathMatch | { problem: string } {
  if (type === 'RegularExpression') {
    const problem = regexProblem(value);
    return problem === undefined ? { type: 'Regex', value } : { problem: `path: ${problem}` };
  }
  if (type !== 'Exact' && type !== 'PathPrefix')
    return { problem: `path match type ${quotedText(type)} is not supported` };
  if (!PATH.test(value))
    return { problem: 'a path must begin with / and may contain letters, digits and ._~!$&()*+,;=:@%/-' };
  return type === 'Exact' ? { type, value } : { type: 'Prefix', value: trimmedEnd(value, '/') || '/' };
}

function regexProblem(value: string): string | undefined {
  const allowed = 'a regular expression may contain letters, digits and ._~/^$|()[]*+?{},:;=@-';
  if (!REGEX.test(value)) return allowed;
  if (value.includes('(?') || /\)[*+?{]/.test(value)) return 'repeated and special groups are not supported';
  if ((value.match(/[*+{]/g)?.length ?? 0) > MAX_REPEATS)
    return `a regular expression may contain at most ${MAX_REPEATS} repetitions`;
  try {
    // oxlint-disable-next-line fairway/linear-regexps -- it matches nothing here, it is only read
    return new RegExp(value, 'u').source === '' ? 'it is empty' : undefined;
  } catch {
    return 'it is not a regular expression';
  }
}

function quotedText(text: string): string {
  return `"${text.slice(0, 40)}"`;
}

/** The rules that must all match. */
export function rulesOfMatch({ host, path, headers }: RequestMatch): readonly L7RuleFields[] {
  return orMatchAll([...hostRules(host, 'labels'), ...pathRules(path), ...headers.map(headerRule)]);
}

function headerRule({ name, type, value }: HeaderMatch): L7RuleFields {
  return type === 'Exact'
    ? { type: 'HEADER', key: name, compare_type: 'EQUAL_TO', value }
    : { type: 'HEADER', key: name, compare_type: 'REGEX', value: `^(${value})$` };
}

/** The rules of `first` that a request matching `second` may not satisfy; undefined if no request matches both. Pure. */
export function complementRules(first: RequestMatch, second: RequestMatch): readonly L7RuleFields[] | undefined {
  if (!sharesHosts(first.host, second.host) || areDisjoint(first.path, second.path)) return undefined;
  return [
    ...(coversHost(first.host, second.host) ? [] : hostRules(first.host, 'labels')),
    ...(coversPath(first.path, second.path) ? [] : pathRules(first.path)),
    ...first.headers.filter((header) => !second.headers.some((other) => isSameHeader(header, other))).map(headerRule),
  ];
}

function isSameHeader(a: HeaderMatch, b: HeaderMatch): boolean {
  return a.name === b.name && a.type === b.type && a.value === b.value;
}

function coversPath(broader: PathMatch, narrower: PathMatch): boolean {
  if (broader.type === narrower.type && broader.value === narrower.value) return true;
  if (broader.type !== 'Prefix') return false;
  if (broader.value === '/') return true;
  if (narrower.type !== 'Exact' && narrower.type !== 'Prefix') return false;
  return narrower.value === broader.value || narrower.value.startsWith(`${broader.value}/`);
}

/** What a regular expression matches is unknown, so it is never disjoint from another path. */
function areDisjoint(a: PathMatch, b: PathMatch): boolean {
  if (a.type === 'Regex' || b.type === 'Regex') return false;
  return !coversPath(a, b) && !coversPath(b, a);
}

/**
 * Order within a host: exact paths, then regular expressions, then prefixes from the longest to the shortest; among
 * equal paths, by the number of headers. https://gateway-api.sigs.k8s.io/reference/spec/#httprouterule
 */
export function byPathAndHeaders(a: RequestMatch, b: RequestMatch): number {
  const length = ({ path }: RequestMatch) => (path.type === 'Prefix' ? path.value.length : 0);
  return pathRank(a.path) - pathRank(b.path) || length(b) - length(a) || b.headers.length - a.headers.length;
}

function pathRank({ type }: PathMatch): number {
  return type === 'Exact' ? 0 : type === 'Regex' ? 1 : 2;
}
