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
  // As the API's selectors want it.
  { filters: { user: 'CN=alice,O=team\\x' }, asked: { fieldSelector: 'user.username=CN\\=alice\\,O\\=team\\\\x' } },
] as const)('asks for what is chosen: $filters', ({ filters, asked }) => {
  expect(query(filters)).toEqual({ limit: '100', ...asked });
});

it('asks for what did not succeed by leaving out what did', () => {
  expect(query({ isUnsuccessful: true })['fieldSelector']).toMatch(
    /^responseStatus.code!=101,responseStatus.code!=200,/,
  );
});

it('goes on where a page ended', () => {
  expect(query({}, 'more')).toEqual({ limit: '100', continue: 'more' });
});

it('is in the address of the page, beside what else is there', () => {
  const filters: Filters = { user: 'keystone:1', verb: 'patch', object: 'shop', since: 'week', isUnsuccessful: true };
  const address = withFilters(new URLSearchParams('a=b&verb=get'), filters);

  expect(filtersOf(address)).toEqual(filters);
  expect(address.get('a')).toBe('b');
  expect(String(withFilters(address, NONE))).toBe('a=b');
});

it.each([
  ['since=yesterday', { since: '' }],
  ['outcome=good', { isUnsuccessful: false }],
] as const)('is not misled by %s', (address, expected) => {
  expect(filtersOf(new URLSearchParams(address))).toMatchObject(expected);
});
