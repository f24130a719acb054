import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ResponseTooLargeError } from './http/response-too-large-error.ts';
import { pages } from './pages.ts';
import type { ApiCall, ServiceApi } from './service-api.ts';

const CALL = { service: 'compute', method: 'GET', template: '/servers' } as const;
const ITEMS = Array.from({ length: 20 }, (_, index) => `item-${index}`);

/** Responses with at most `maxItems` items per page. */
function serviceOf(maxItems: number): { readonly api: ServiceApi; readonly limits: number[] } {
  const limits: number[] = [];
  const get = (_schema: unknown, _template: string, { query }: ApiCall) => {
    const limit = Number(query?.['limit']);
    limits.push(limit);
    const start = query?.['marker'] === undefined ? 0 : ITEMS.indexOf(String(query['marker'])) + 1;
    const items = ITEMS.slice(start, start + limit);
    if (items.length > maxItems) return Promise.reject(new ResponseTooLargeError({ ...CALL, message: 'too large' }));
    const isLast = start + limit >= ITEMS.length;
    return Promise.resolve({ items, next: isLast ? undefined : `http://inside/servers?marker=${items.at(-1)}` });
  };
  return { api: { service: 'compute', get } as unknown as ServiceApi, limits };
}

function listOf(api: ServiceApi): Promise<string[]> {
  const schema = z.object({ items: z.array(z.string()), next: z.string().optional() });
  return Array.fromAsync(
    pages(api, '/servers', { schema, page: ({ items, next }) => ({ items, next }), pageSize: 16 }),
  );
}

describe('a list in pages', () => {
  it('continues with smaller pages after a page that was too large', async () => {
    const { api, limits } = serviceOf(5);

    expect(await listOf(api)).toEqual(ITEMS);
    expect(limits).toEqual([16, ...Array<number>(10).fill(2)]);
  });

  it('fails if one item is too large', async () => {
    const { api, limits } = serviceOf(0);

    await expect(listOf(api)).rejects.toBeInstanceOf(ResponseTooLargeError);
    expect(limits).toEqual([16, 2, 1]);
  });
});
