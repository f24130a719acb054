import { expect, it } from 'vitest';
import { type ContractCloud, NO_SUCH_ID } from './contract-cloud.ts';
import { expectNeutronError } from './neutron-error.ts';
import { describeClouds } from './targets.ts';

async function networks(
  cloud: ContractCloud,
  count: number,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  const { networks } = cloud.member.network;
  const description = cloud.name();
  const created = await networks.createMany(Array.from({ length: count }, () => ({ name: cloud.name(), description })));
  for (const { id } of created) cloud.defer(() => networks.delete(id));
  return created;
}

describeClouds('tags, filters and pages', (cloud) => {
  it('set tags one by one or all together', async () => {
    const [network] = await networks(cloud(), 1);
    const api = cloud().member.network.networks;
    const id = network?.id ?? '';
    const tags = (method: string, tag: string) => cloud().raw('network', method, `/networks/${id}/tags/${tag}`);

    expect([...(await api.setTags(id, ['b', 'a']))].sort()).toEqual(['a', 'b']);
    expect((await tags('PUT', 'c')).status).toBe(201);
    expect((await tags('PUT', 'c')).status).toBe(201);
    expect((await tags('GET', 'c')).status).toBe(204);
    expect((await tags('DELETE', 'c')).status).toBe(204);
    expectNeutronError(await tags('DELETE', 'c'), 404, 'TagNotFound', 'Tag c could not be found.');
    await api.addTag(id, 'fairway:cluster=1 2');
    expect([...(await api.get(id)).tags].sort()).toEqual(['a', 'b', 'fairway:cluster=1 2']);
    // A slash ends the path, even if it is encoded.
    expectNeutronError(await tags('PUT', 'a%2Fb'), 404, 'HTTPNotFound', 'The resource could not be found.');
    expectNeutronError(await tags('PUT', 'x'.repeat(256)), 400, 'InvalidInput');
  });

  it.each(['networks', 'subnets', 'ports', 'routers', 'floatingips', 'security-groups'] as const)(
    'find %s by tag',
    async (kind) => {
      const { network } = cloud().member;
      const tag = cloud().name();
      const id = await newTaggable(cloud(), kind);
      await cloud().raw('network', 'PUT', `/${kind}/${id}/tags`, { body: { tags: [tag, 'fairway'] } });

      const collection = {
        networks: network.networks,
        subnets: network.subnets,
        ports: network.ports,
        routers: network.routers,
        floatingips: network.floatingIps,
        'security-groups': network.securityGroups,
      }[kind];
      const find = async (filter: object) =>
        (await Array.fromAsync(collection.list(filter) as AsyncIterable<{ id: string }>)).map((each) => each.id);

      expect(await find({ tags: [tag, 'fairway'] })).toEqual([id]);
      expect(await find({ tags: [tag, 'other'] })).toEqual([]);
      expect(await find({ tagsAny: [tag, 'other'] })).toEqual([id]);
      expect(await find({ tags: [tag], id: [id, NO_SUCH_ID] })).toEqual([id]);
    },
  );

  it.each(['name', 'description'] as const)('find networks by %s, with exact matches', async (key) => {
    const [network] = await networks(cloud(), 1);
    const value = (network as unknown as Record<string, string>)[key] ?? '';
    const found = async (text: string) => Array.fromAsync(cloud().member.network.networks.list({ [key]: text }));

    expect((await found(value)).map((each) => each.id)).toEqual([network?.id]);
    expect(await found(value.slice(1))).toEqual([]);
  });

  it('exclude matches with not-tags', async () => {
    const [one, two] = await networks(cloud(), 2);
    await cloud().member.network.networks.setTags(one?.id ?? '', ['out']);

    const response = await cloud().raw(
      'network',
      'GET',
      `/networks?not-tags=out&id=${one?.id}&id=${two?.id}&fields=id`,
    );

    expect(response.json).toEqual({ networks: [{ id: two?.id }] });
  });

  it('page networks, with links to the next and the previous page', async () => {
    const created = await networks(cloud(), 3);
    const description = (await cloud().member.network.networks.get(created[0]?.id ?? '')).description ?? '';

    const listed = await Array.fromAsync(cloud().member.network.networks.list({ description }, { pageSize: 2 }));
    const first = await cloud().raw('network', 'GET', `/networks?description=${description}&limit=2`);

    expect(listed.map((each) => each.id).sort()).toEqual(created.map((each) => each.id).sort());
    const { networks: page, networks_links: links } = first.json as {
      networks: { id: string }[];
      networks_links: { rel: string; href: string }[];
    };
    expect(page).toHaveLength(2);
    const next = links.find((link) => link.rel === 'next');
    expect(new URL(next?.href ?? '').searchParams.get('marker')).toBe(page[1]?.id);
    const second = await cloud().raw(
      'network',
      'GET',
      `/networks?description=${description}&limit=2&marker=${page[1]?.id}`,
    );
    expect((second.json as { networks: object[] }).networks).toHaveLength(1);
    expect(JSON.stringify(second.json)).not.toContain('"next"');
  });

  it('sort networks', async () => {
    const created = await networks(cloud(), 3);
    const query = created.map((each) => `id=${each.id}`).join('&');

    const response = await cloud().raw('network', 'GET', `/networks?${query}&sort_key=name&sort_dir=desc&fields=name`);

    const names = created.map((each) => each.name);
    expect(response.json).toEqual({
      networks: names
        .sort()
        .reverse()
        .map((name) => ({ name })),
    });
  });

  it.each([
    { query: 'foo=bar', status: 400, type: 'HTTPBadRequest', message: "['foo'] is invalid attribute for filtering" },
    {
      query: 'limit=-1',
      status: 400,
      type: 'BadRequest',
      message: "Bad limit request: Limit must be an integer 0 or greater and not '-1'.",
    },
    {
      query: `limit=1&marker=${NO_SUCH_ID}`,
      status: 404,
      type: 'NetworkNotFound',
      message: `Network ${NO_SUCH_ID} could not be found.`,
    },
  ])('refuse to list networks by $query', async ({ query, status, type, message }) => {
    const response = await cloud().raw('network', 'GET', `/networks?${query}`);

    expect(response.status).toBe(status);
    expectNeutronError(response, status, type, message);
  });

  it('find images by name, status and property, and show them', async () => {
    const { images } = cloud().member;
    const image = await cloud().anyImage();

    const found = await Array.fromAsync(
      images.list({ name: image.name ?? '', status: 'active', visibility: 'public' }),
    );

    expect(found.map((each) => each.id)).toContain(image.id);
    expect(await images.get(image.id)).toMatchObject({
      id: image.id,
      status: 'active',
      visibility: 'public',
      disk_format: expect.any(String),
    });
    expect(await Array.fromAsync(images.list({ name: cloud().name() }))).toEqual([]);
    const { os_distro } = image;
    if (typeof os_distro !== 'string') return;
    const distro = await Array.fromAsync(images.list({ properties: { os_distro } }, { pageSize: 1 }));
    expect(distro.map((each) => each.id)).toContain(image.id);
  });

  it.each([
    { path: `/images/${NO_SUCH_ID}`, status: 404, message: `No image found with ID ${NO_SUCH_ID}` },
    { path: '/images?limit=x', status: 400, message: 'limit param must be an integer' },
    { path: '/images?visibility=x', status: 400, message: 'Invalid visibility value: x' },
  ])('Glance returns $status with an explanation for $path', async ({ path, status, message }) => {
    const response = await cloud().raw('image', 'GET', path);

    expect(response.status).toBe(status);
    expect(response.text).toContain(message);
  });
});

async function newTaggable(cloud: ContractCloud, kind: string): Promise<string> {
  const { network } = cloud.member;
  if (kind === 'routers') {
    const { id } = await network.routers.create({ name: cloud.name() });
    cloud.defer(() => network.routers.delete(id));
    return id;
  }
  if (kind === 'floatingips') {
    const external = await cloud.externalNetwork();
    const { id } = await network.floatingIps.create({ floating_network_id: external.id });
    cloud.defer(() => network.floatingIps.delete(id));
    return id;
  }
  if (kind === 'security-groups') {
    const { id } = await network.securityGroups.create({ name: cloud.name() });
    cloud.defer(() => network.securityGroups.delete(id));
    return id;
  }
  const { id, subnetId } = await cloud.network('10.71.0.0/24');
  if (kind === 'networks') return id;
  if (kind === 'subnets') return subnetId;
  const port = await network.ports.create({ network_id: id });
  cloud.defer(() => network.ports.delete(port.id));
  return port.id;
}
