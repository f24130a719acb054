import { expect, it } from 'vitest';
import { type Filters, filtersOf, listQuery, withFilters } from './filters.ts';

const NONE: Filters = { user: '', verb: '', object: '', since: '', isUnsuccessful: false };

const query = (filters: Partial<Filters>, token?: string) =>
  Object.fromEntries(listQuery({ ...NONE, ...filters }, token));

it.each([
  { filters: {}, asked: {} },
  { filters: { since: 'day' }, asked: { sinceSeconds: '86400' } },
  { filters: { verb: 'delete', object: 'shop' }, asked: { fieldSelector: 'verb=delete,objectRef.name=shop' } },
  {
    filters: { user: '!system:fairway:controllers' },
    asked: { fieldSelector: 'user.username!=system:fairway:controllers' },
  },
  // Uses the syntax of the API's selectors.
  { filters: { user: 'CN=alice,O=team\\x' }, asked: { fieldSelector: 'user.username=CN\\=alice\\,O\\=team\\\\x' } },
] as const)('builds the query for $filters', ({ filters, asked }) => {
  expect(query(filters)).toEqual({ limit: '100', ...asked });
});

it('selects failed requests by excluding successful codes', () => {
  expect(query({ isUnsuccessful: true })['fieldSelector']).toMatch(
    /^responseStatus.code!=101,responseStatus.code!=200,/,
  );
});

it('continues where a page ended', () => {
  expect(query({}, 'more')).toEqual({ limit: '100', continue: 'more' });
});

it('keeps filters in the page’s URL, alongside its other parameters', () => {
  const filters: Filters = { user: 'keystone:1', verb: 'patch', object: 'shop', since: 'week', isUnsuccessful: true };
  const address = withFilters(new URLSearchParams('a=b&verb=get'), filters);

  expect(filtersOf(address)).toEqual(filters);
  expect(address.get('a')).toBe('b');
  expect(String(withFilters(address, NONE))).toBe('a=b');
});

it.each([
  ['since=yesterday', { since: '' }],
  ['outcome=good', { isUnsuccessful: false }],
] as const)('ignores the invalid value %s', (address, expected) => {
  expect(filtersOf(new URLSearchParams(address))).toMatchObject(expected);
});
