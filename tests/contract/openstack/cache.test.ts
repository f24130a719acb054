import { systemClock } from '@fairway/base/clock';
import { ProjectCache } from '@fairway/openstack/cache/project-cache';
import { expect, it } from 'vitest';
import { describeClouds } from './targets.ts';

describeClouds('the project cache', (cloud) => {
  it('shows recent writes, and notices when a server becomes ACTIVE', async () => {
    const { member } = cloud();
    const cache = new ProjectCache({ client: member, clock: systemClock, random: Math.random });
    cloud().defer(() => Promise.resolve(cache.stop()));
    const statuses: string[] = [];
    const [flavor, image] = [await cloud().smallestFlavor(), await cloud().anyImage()];
    cache.servers.subscribe(({ added, changed }) => {
      for (const server of [...added, ...changed]) if (server.id === id) statuses.push(server.status);
    });
    let id = '';

    ({ id } = await member.compute.servers.create({
      name: cloud().name(),
      flavorRef: flavor.id,
      imageRef: image.id,
      networks: 'none',
    }));
    cloud().deferServer(id);
    const seen = await cache.servers.refreshAfter(systemClock.now());
    const release = cache.servers.expectChange('the server becomes ACTIVE');

    expect(seen.items.has(id)).toBe(true);
    await cloud().waitUntil('the cache shows the server ACTIVE', () =>
      Promise.resolve(cache.servers.snapshot().items.get(id)?.status === 'ACTIVE' ? true : undefined),
    );
    release();
    expect(statuses.at(-1)).toBe('ACTIVE');
    await member.compute.servers.delete(id);
    await cloud().waitUntilDeleted(id);
    expect((await cache.servers.refreshAfter(systemClock.now())).items.has(id)).toBe(false);
  });

  it('lists every kind', async () => {
    const cache = new ProjectCache({ client: cloud().member, clock: systemClock, random: Math.random });
    cloud().defer(() => Promise.resolve(cache.stop()));

    const { servers, serverGroups, networks, subnets, routers, ports, securityGroups, floatingIps, flavors, images } =
      cache;
    const kinds = [
      servers,
      serverGroups,
      networks,
      subnets,
      routers,
      ports,
      securityGroups,
      floatingIps,
      flavors,
      images,
    ];
    const nowMs = systemClock.now();
    const snapshots = await Promise.all(kinds.map((kind) => kind.refreshAfter(nowMs)));

    for (const snapshot of snapshots) expect(snapshot.listedAtMs).toBeGreaterThan(nowMs);
    expect(flavors.snapshot().items.size).toBeGreaterThan(0);
  });
});
