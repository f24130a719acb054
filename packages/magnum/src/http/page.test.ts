import { describe, expect, test } from 'vitest';
import { nextUrl, pageOf, paginate } from './page.ts';

const item = (marker: string, created: string, count: number) => ({ marker, created, view: { name: marker, count } });
const ITEMS = [item('b', '2026-01-02', 10), item('a', '2026-01-03', 9), item('c', '2026-01-01', 100)];
const markers = (query: string) => paginate(ITEMS, pageOf(new URLSearchParams(query))).page.map(({ marker }) => marker);

describe('a page', () => {
  test.each([
    { query: '', page: ['c', 'b', 'a'], reason: 'the oldest item first' },
    { query: 'sort_key=name', page: ['a', 'b', 'c'], reason: 'sorted by text' },
    { query: 'sort_key=count', page: ['a', 'b', 'c'], reason: 'sorted by number, not by its text' },
    { query: 'sort_key=count&sort_dir=desc', page: ['c', 'b', 'a'], reason: 'in descending order' },
    { query: 'limit=2', page: ['c', 'b'], reason: 'limited to two items' },
    { query: 'limit=2&marker=b', page: ['a'], reason: 'the items after the marker' },
    { query: 'marker=a', page: [], reason: 'nothing follows the last item' },
  ])('contains $page for "$query": $reason', ({ query, page }) => {
    expect(markers(query)).toEqual(page);
  });

  test('has a next page if it is full', () => {
    const query = pageOf(new URLSearchParams('limit=2'));
    expect(paginate(ITEMS, query).next).toBe('b');
    expect(paginate(ITEMS, pageOf(new URLSearchParams('limit=4'))).next).toBeUndefined();
    expect(nextUrl('https://m/v1/clusters', query, 'b')).toBe(
      'https://m/v1/clusters?sort_key=id&sort_dir=asc&limit=2&marker=b',
    );
  });

  test('has a next page with the same parameters', () => {
    const query = pageOf(new URLSearchParams('limit=2&role=a%26b'), ['role']);
    expect(nextUrl('https://m/v1/x', query, 'b')).toBe(
      'https://m/v1/x?role=a%26b&sort_key=id&sort_dir=asc&limit=2&marker=b',
    );
  });

  test.each([
    'limit=0',
    'limit=-1',
    'limit=many',
    'sort_dir=up',
    'sort_key=colour',
    'marker=none',
    'colour=red',
    'sort_key=constructor',
  ])('refuses %s', (query) => {
    expect(() => markers(query)).toThrow(expect.objectContaining({ status: 400 }));
  });
});
