import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ServiceApi } from '../service-api.ts';
import { offsetPages } from './offset-pages.ts';

const schema = z.object({ items: z.array(z.object({ id: z.string() })) });

/** A list that `change` may modify before each page; `asked` collects the offsets. */
function list(ids: string[], asked: number[] = [], change: (page: number) => void = () => {}) {
  const api = {
    get: (_schema: unknown, _template: string, call: { query: { limit: number; offset: number } }) => {
      change(asked.length + 1);
      const { limit, offset } = call.query;
      asked.push(offset);
      return Promise.resolve({ items: ids.slice(offset, offset + limit).map((id) => ({ id })) });
    },
  } as unknown as ServiceApi;
  return Array.fromAsync(offsetPages(api, '/items', { schema, items: ({ items }) => items, pageSize: 3 }));
}

const idsOf = (items: readonly { readonly id: string }[]) => items.map(({ id }) => id).join('');

test.each([
  { ids: '', asked: [0] },
  { ids: 'ab', asked: [0] },
  { ids: 'abc', asked: [0, 2] },
  { ids: 'abcdefg', asked: [0, 2, 4, 6] },
])('lists "$ids" once each, from the offsets $asked', async ({ ids, asked }) => {
  const seen: number[] = [];

  expect(idsOf(await list(ids.split(''), seen))).toBe(ids);
  expect(seen).toEqual(asked);
});

test('misses no items when one is deleted between two pages', async () => {
  const ids = 'abcdef'.split('');
  const asked: number[] = [];

  const found = await list(ids, asked, (page) => {
    if (page === 2) ids.shift();
  });

  expect(idsOf(found)).toBe('bcdef');
  expect(asked).toEqual([0, 2, 0, 2, 4]);
});

test('ends while items are deleted continuously', async () => {
  const ids = 'abcdefghijklmnop'.split('');
  const asked: number[] = [];

  const found = await list(ids, asked, () => void ids.shift());

  expect(found.length).toBeGreaterThan(0);
  expect(asked.length).toBeLessThan(12);
});
