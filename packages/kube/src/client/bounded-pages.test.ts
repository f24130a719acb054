import { describe, expect, test } from 'vitest';
import type { ResourceType } from '../object/meta.ts';
import { boundedPages, someMatch } from './bounded-pages.ts';
import { KubeClient } from './kube-client.ts';
import { ResponseTooLargeError, type Transport, type TransportRequest } from './transport.ts';

const widgets: ResourceType = {
  group: '',
  version: 'v1',
  plural: 'widgets',
  kind: 'Widget',
  namespaced: true,
};

/** A server whose response depends on limit and token. */
function client(respond: (limit: number, token: string) => object) {
  const limits: number[] = [];
  const transport: Transport = {
    request: ({ path }: TransportRequest) => {
      const { searchParams } = new URL(path, 'http://api');
      limits.push(Number(searchParams.get('limit')));
      const body = JSON.stringify(respond(limits.at(-1) ?? 0, searchParams.get('continue') ?? ''));
      return Promise.resolve({ status: 200, headers: {}, text: () => Promise.resolve(body), async *lines() {} });
    },
    close: () => undefined,
  };
  return { limits, widgets: new KubeClient(transport).resource(widgets) };
}

const large = 'x'.repeat(1_000_000);

describe('bounded pages', () => {
  test('request smaller pages if objects are large', async () => {
    const api = client((limit, token) => {
      const from = Number(token);
      const count = Math.min(limit, 40 - from);
      const items = Array.from({ length: count }, (_, index) => ({ metadata: { name: `w${from + index}` }, large }));
      return { metadata: from + count < 40 ? { continue: String(from + count) } : {}, items };
    });
    const names: unknown[] = [];
    for await (const page of boundedPages(api.widgets, {})) names.push(...page.map(({ metadata }) => metadata.name));

    expect(names).toEqual(Array.from({ length: 40 }, (_, index) => `w${index}`));
    expect(api.limits.slice(0, 3)).toEqual([250, 31, 3]);
  });

  test('give up on a list that never ends', async () => {
    const api = client(() => ({ metadata: { continue: 'more' }, items: [] }));
    await expect(someMatch(boundedPages(api.widgets, {}), () => true)).rejects.toThrow(ResponseTooLargeError);
    expect(api.limits).toHaveLength(1_000);
  });

  test('give up on an object that is too large', async () => {
    const api = client(() => ({ metadata: {}, items: [{ metadata: {}, large: 'x'.repeat(17_000_000) }] }));
    await expect(someMatch(boundedPages(api.widgets, {}), () => true)).rejects.toThrow(ResponseTooLargeError);
    expect(api.limits).toEqual([250, 31, 3, 1]);
  });
});
