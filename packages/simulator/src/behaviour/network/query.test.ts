import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listed, startTestCloud, type TestCloud } from '../../test-cloud.ts';

let test: TestCloud;
const ids = new Map<string, string>();
beforeAll(async () => {
  test = await startTestCloud();
  for (const [name, tags] of [
    ['a', ['x']],
    ['b', ['x', 'y']],
    ['c', ['y']],
    ['d', []],
  ] as const) {
    const network = await test.demo.make('/network/v2.0/networks', { network: { name } });
    ids.set(name, network.id);
    await test.demo.call('PUT', `/network/v2.0/networks/${network.id}/tags`, { tags });
  }
});
afterAll(() => test.cloud.close());

async function names(query: string): Promise<string> {
  const response = await test.demo.call('GET', `/network/v2.0/networks?router:external=false&${query}`);
  return listed(response, 'networks')
    .map((network) => network.name)
    .join('');
}

describe('tag filters', () => {
  it.each([
    ['tags=x', 'ab'],
    ['tags=x,y', 'b'],
    ['tags=x&tags=y', 'b'],
    ['tags-any=x,y', 'abc'],
    ['not-tags=x,y', 'acd'],
    ['not-tags-any=x,y', 'd'],
    ['tags=x&not-tags=y', 'a'],
  ])('%s finds %s', async (query, expected) => {
    expect(await names(query)).toBe(expected);
  });
});

describe('tags of an object', () => {
  it('are added, looked up and removed one by one', async () => {
    const path = `/network/v2.0/networks/${ids.get('d')}/tags`;
    const added = await test.demo.call('PUT', `${path}/fairway:cluster=1`);
    const found = await test.demo.call('GET', `${path}/fairway:cluster=1`);
    const all = await test.demo.call('GET', path);
    const removed = await test.demo.call('DELETE', `${path}/fairway:cluster=1`);
    const notFound = await test.demo.call('GET', `${path}/fairway:cluster=1`);

    expect([added.status, found.status, removed.status, notFound.status]).toEqual([201, 204, 204, 404]);
    expect(all.body).toEqual({ tags: ['fairway:cluster=1'] });
  });

  it('are at most 50', async () => {
    const tags = Array.from({ length: 51 }, (_, i) => `t${i}`);
    const response = await test.demo.call('PUT', `/network/v2.0/networks/${ids.get('d')}/tags`, { tags });

    expect(response.status).toBe(400);
  });
});

describe('pages', () => {
  it('are linked forwards and backwards', async () => {
    let path: string | undefined = '/network/v2.0/networks?router:external=false&limit=3&sort_key=name&sort_dir=desc';
    const seen: string[] = [];
    let last: { readonly rel: string; readonly href: string }[] = [];
    while (path !== undefined) {
      const response = await test.demo.call('GET', path);
      seen.push(
        listed(response, 'networks')
          .map((network) => network.name)
          .join(''),
      );
      last = (response.body['networks_links'] ?? []) as unknown as typeof last;
      path = last.find((link) => link.rel === 'next')?.href.slice(test.origin.length);
    }
    const previous = last.find((link) => link.rel === 'previous')?.href.slice(test.origin.length) ?? '';
    const back = await test.demo.call('GET', previous);

    expect(seen).toEqual(['dcb', 'a']);
    expect(back.body['networks']).toMatchObject([{ name: 'd' }, { name: 'c' }, { name: 'b' }]);
  });

  it('reject an unknown marker', async () => {
    expect((await test.demo.call('GET', '/network/v2.0/networks?limit=1&marker=nope')).status).toBe(404);
  });
});

it('sends only the requested fields', async () => {
  const { body } = await test.demo.call('GET', `/network/v2.0/networks/${ids.get('a')}?fields=id&fields=name`);

  expect(body['network']).toEqual({ id: ids.get('a'), name: 'a' });
});
