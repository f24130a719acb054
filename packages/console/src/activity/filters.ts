/** Page size; the newest events come first. */
export const PAGE_SIZE = 100;

export const VERBS = ['create', 'update', 'patch', 'delete', 'deletecollection', 'get', 'list', 'watch'] as const;
export const PERIODS = ['hour', 'day', 'week'] as const;
export type Period = (typeof PERIODS)[number];

/** The filters of the query; '' for all. */
export interface Filters {
  /** A username; with a leading `!`, everyone else. */
  readonly user: string;
  readonly verb: string;
  /** The name of the object. */
  readonly object: string;
  readonly since: Period | '';
  /** Only requests that were denied, failed, or have no known outcome. */
  readonly isUnsuccessful: boolean;
}

const PERIOD_SECONDS: Readonly<Record<Period, number>> = { hour: 3_600, day: 86_400, week: 604_800 };
/** Listed one by one, because field selectors do not support ranges. */
const SUCCESS_CODES = [101, 200, 201, 202, 204, 302, 304];

/** The filters in a page's URL; invalid values are ignored. */
export function filtersOf(address: URLSearchParams): Filters {
  return {
    user: address.get('user') ?? '',
    verb: address.get('verb') ?? '',
    object: address.get('object') ?? '',
    since: PERIODS.find((period) => period === address.get('since')) ?? '',
    isUnsuccessful: address.get('outcome') === 'unsuccessful',
  };
}

/** The page's URL with these filters, and its other parameters. */
export function withFilters(address: URLSearchParams, filters: Filters): URLSearchParams {
  const { isUnsuccessful, ...textFilters } = filters;
  const next = new URLSearchParams(address);
  for (const [name, value] of Object.entries({ ...textFilters, outcome: isUnsuccessful ? 'unsuccessful' : '' })) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  return next;
}

export function hasFilters({ user, verb, object, since, isUnsuccessful }: Filters): boolean {
  return user !== '' || verb !== '' || object !== '' || since !== '' || isUnsuccessful;
}

/** The query of a list request. */
export function listQuery(filters: Filters, token: string | undefined): URLSearchParams {
  const { user, verb, object, since, isUnsuccessful } = filters;
  const terms = [
    ...(user.startsWith('!')
      ? [selectorTerm('user.username', '!=', user.slice(1))]
      : equalityTerms('user.username', user)),
    ...equalityTerms('verb', verb),
    ...equalityTerms('objectRef.name', object),
    ...(isUnsuccessful ? SUCCESS_CODES.map((code) => selectorTerm('responseStatus.code', '!=', String(code))) : []),
  ];
  return new URLSearchParams({
    limit: String(PAGE_SIZE),
    ...(since !== '' && { sinceSeconds: String(PERIOD_SECONDS[since]) }),
    ...(terms.length > 0 && { fieldSelector: terms.join(',') }),
    ...(token !== undefined && { continue: token }),
  });
}

function equalityTerms(field: string, value: string): string[] {
  return value === '' ? [] : [selectorTerm(field, '=', value)];
}

function selectorTerm(field: string, operator: '=' | '!=', value: string): string {
  return `${field}${operator}${value.replaceAll(/[\\,=]/g, '\\$&')}`;
}
