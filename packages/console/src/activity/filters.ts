/** The newest events come first, so many at a time. */
export const PAGE = 100;

export const VERBS = ['create', 'update', 'patch', 'delete', 'deletecollection', 'get', 'list', 'watch'] as const;
export const PERIODS = ['hour', 'day', 'week'] as const;
export type Period = (typeof PERIODS)[number];

/** Which events are asked for; '' for all. */
export interface Filters {
  /** A username; with `!` before it, everybody else. */
  readonly user: string;
  readonly verb: string;
  /** The name of what was asked for. */
  readonly object: string;
  readonly since: Period | '';
  /** What was refused, failed, or has no known outcome. */
  readonly isUnsuccessful: boolean;
}

const SECONDS: Readonly<Record<Period, number>> = { hour: 3_600, day: 86_400, week: 604_800 };
/** A field selector has no ranges. */
const SUCCESSFUL = [101, 200, 201, 202, 204, 302, 304];

/** What the address of a page says; what it says wrongly counts for nothing. */
export function filtersOf(address: URLSearchParams): Filters {
  return {
    user: address.get('user') ?? '',
    verb: address.get('verb') ?? '',
    object: address.get('object') ?? '',
    since: PERIODS.find((period) => period === address.get('since')) ?? '',
    isUnsuccessful: address.get('outcome') === 'unsuccessful',
  };
}

/** The address of a page with filters, and what else it has. */
export function withFilters(address: URLSearchParams, filters: Filters): URLSearchParams {
  const { isUnsuccessful, ...named } = filters;
  const next = new URLSearchParams(address);
  for (const [name, value] of Object.entries({ ...named, outcome: isUnsuccessful ? 'unsuccessful' : '' })) {
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  return next;
}

export function isNarrowed({ user, verb, object, since, isUnsuccessful }: Filters): boolean {
  return user !== '' || verb !== '' || object !== '' || since !== '' || isUnsuccessful;
}

/** The query of a list. */
export function listQuery(filters: Filters, token: string | undefined): URLSearchParams {
  const { user, verb, object, since, isUnsuccessful } = filters;
  const terms = [
    ...(user.startsWith('!') ? [term('user.username', '!=', user.slice(1))] : equals('user.username', user)),
    ...equals('verb', verb),
    ...equals('objectRef.name', object),
    ...(isUnsuccessful ? SUCCESSFUL.map((code) => term('responseStatus.code', '!=', String(code))) : []),
  ];
  return new URLSearchParams({
    limit: String(PAGE),
    ...(since !== '' && { sinceSeconds: String(SECONDS[since]) }),
    ...(terms.length > 0 && { fieldSelector: terms.join(',') }),
    ...(token !== undefined && { continue: token }),
  });
}

function equals(field: string, value: string): string[] {
  return value === '' ? [] : [term(field, '=', value)];
}

function term(field: string, operator: '=' | '!=', value: string): string {
  return `${field}${operator}${value.replaceAll(/[\\,=]/g, '\\$&')}`;
}
