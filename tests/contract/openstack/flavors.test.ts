import type { Flavor } from '@fairway/openstack/types/compute';
import { expect, it } from 'vitest';
import { NO_SUCH_ID } from './contract-cloud.ts';
import { describeClouds } from './targets.ts';

const byId = (flavors: readonly Flavor[]) => flavors.map(({ id }) => id).sort();

describeClouds('flavors', (cloud) => {
  const all = () => Array.fromAsync(cloud().member.compute.flavors.list());

  it('describe the server size', async () => {
    const flavors = await all();

    expect(flavors).not.toEqual([]);
    for (const flavor of flavors) {
      expect(flavor).toMatchObject({
        id: expect.stringMatching(/./),
        name: expect.stringMatching(/./),
        vcpus: expect.any(Number),
        ram: expect.any(Number),
        disk: expect.any(Number),
      });
    }
  });

  it('have the same fields when shown as when listed', async () => {
    const { flavors } = cloud().member.compute;
    const smallest = await cloud().smallestFlavor();

    expect(await flavors.get(smallest.id)).toEqual(smallest);
  });

  it('are paged, each page starting after the last item of the previous one', async () => {
    const seen: string[] = [];
    for (let marker: string | undefined = ''; marker !== undefined; ) {
      const after: string = marker === '' ? '' : `&marker=${marker}`;
      const response = await cloud().raw('compute', 'GET', `/flavors?limit=1${after}`);
      const { flavors, flavors_links: links } = response.json as { flavors: Flavor[]; flavors_links?: object[] };
      seen.push(...flavors.map(({ id }) => id));
      // There is a link only if there is a next page.
      expect(flavors.length === 1).toBe(links !== undefined);
      marker = flavors.at(-1)?.id;
    }

    expect(new Set(seen).size).toBe(seen.length);
    expect([...seen].sort()).toEqual(byId(await all()));
  });

  it('are can be filtered by minimum size', async () => {
    const flavors = await all();
    const most = Math.max(...flavors.map(({ ram }) => ram));

    const response = await cloud().raw('compute', 'GET', `/flavors/detail?minRam=${most}`);

    const fitting = flavors.filter(({ ram }) => ram >= most);
    expect(byId((response.json as { flavors: Flavor[] }).flavors)).toEqual(byId(fitting));
  });

  it.each<{ path: string; status: number; body: object }>([
    {
      path: `/flavors/${NO_SUCH_ID}`,
      status: 404,
      body: { itemNotFound: { code: 404, message: `Flavor ${NO_SUCH_ID} could not be found.` } },
    },
    {
      path: `/flavors?marker=${NO_SUCH_ID}`,
      status: 400,
      body: { badRequest: { code: 400, message: `marker [${NO_SUCH_ID}] not found` } },
    },
    {
      path: '/flavors/detail?minRam=much',
      status: 400,
      body: { badRequest: { code: 400, message: 'Invalid minRam filter [much]' } },
    },
  ])('return $status with an explanation for $path', async ({ path, status, body }) => {
    const response = await cloud().raw('compute', 'GET', path);

    expect(response.status).toBe(status);
    expect(response.json).toEqual(body);
  });
});
