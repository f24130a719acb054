import { afterAll, beforeAll, expect, it } from 'vitest';
import { firstListed, listed, startTestCloud, type TestCloud } from '../../test-cloud.ts';

let test: TestCloud;
beforeAll(async () => {
  test = await startTestCloud();
});
afterAll(() => test.cloud.close());

it.each([
  ['', 3],
  ['?name=Debian%2012', 1],
  ['?name=in:Debian%2012,Ubuntu%2022.04', 2],
  ['?os_distro=ubuntu&os_version=24.04', 1],
  ['?visibility=public&status=active', 3],
  ['?visibility=private', 0],
  ['?name=Windows', 0],
])('lists the images at /v2/images%s: %i', async (query, count) => {
  const { body } = await test.demo.call('GET', `/image/v2/images${query}`);

  expect(body['images']).toHaveLength(count);
});

it('pages through the images', async () => {
  const names: unknown[] = [];
  let next: string | undefined = '/v2/images?limit=2&sort=name:asc';
  while (next !== undefined) {
    const response = await test.demo.call('GET', `/image${next}`);
    names.push(...listed(response, 'images').map((image) => image.name));
    next = response.body['next'] as unknown as string | undefined;
  }

  expect(names).toEqual(['Debian 12', 'Ubuntu 22.04', 'Ubuntu 24.04']);
});

it("returns an image, or Glance's 404", async () => {
  const image = firstListed(await test.demo.call('GET', '/image/v2/images?name=Debian%2012'), 'images');
  const fetched = await test.demo.call('GET', `/image/v2/images/${image.id}`);
  const missing = await test.demo.call('GET', '/image/v2/images/none');

  expect(fetched.body).toEqual(image);
  expect(image).toMatchObject({
    os_distro: 'debian',
    os_version: '12',
    min_disk: 3,
    status: 'active',
    visibility: 'public',
  });
  expect(missing.status).toBe(404);
  expect(missing.body).toMatchObject({ message: 'No image found with ID none<br /><br />\n\n\n', title: 'Not Found' });
});
