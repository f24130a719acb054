import { serverFaultKind } from '@fairway/openstack/compute/server-fault';
import type { Server } from '@fairway/openstack/types/server';
import { expect, it } from 'vitest';
import { NO_SUCH_ID } from './contract-cloud.ts';
import { describeClouds } from './targets.ts';

/** More servers than the clouds under test have hosts; a larger cloud can place them all. */
const MORE_SERVERS_THAN_HOSTS = 4;

describeClouds('server groups', (cloud) => {
  it('are created, listed, shown only to their project, and deleted', async () => {
    const { member, other } = cloud();
    const name = cloud().name();

    const group = await member.compute.serverGroups.create({
      name,
      policy: 'anti-affinity',
      rules: { max_server_per_host: 2 },
    });
    cloud().defer(() => member.compute.serverGroups.delete(group.id));

    expect(group).toMatchObject({ name, policy: 'anti-affinity', rules: { max_server_per_host: 2 }, members: [] });
    expect(group.project_id).toBe(await member.session.projectId());
    const listed = await Array.fromAsync(member.compute.serverGroups.list({ pageSize: 1 }));
    expect(listed.map((each) => each.id)).toContain(group.id);
    const notFound = { itemNotFound: { code: 404, message: `Instance group ${group.id} could not be found.` } };
    const { id: token } = await (other ?? member).session.token();
    if (other === undefined) await member.compute.serverGroups.delete(group.id);
    expect((await cloud().raw('compute', 'GET', `/os-server-groups/${group.id}`, { token })).json).toEqual(notFound);
    if (other !== undefined) await member.compute.serverGroups.delete(group.id);
    expect((await cloud().raw('compute', 'DELETE', `/os-server-groups/${group.id}`)).json).toEqual(notFound);
  });

  it.each([
    {
      reason: 'an unknown policy',
      body: { policy: 'nope' },
      message: /^Invalid input for field\/attribute policy\. Value: nope\. /,
    },
    {
      reason: 'rules for a policy other than anti-affinity',
      body: { policy: 'affinity', rules: { max_server_per_host: 2 } },
      message: /^Only anti-affinity policy supports rules\.$/,
    },
  ])('are not created with $reason', async ({ body, message }) => {
    const response = await cloud().raw('compute', 'POST', '/os-server-groups', {
      body: { server_group: { name: 'g', ...body } },
    });

    expect(response.json).toEqual({ badRequest: { code: 400, message: expect.stringMatching(message) } });
  });

  it('keep servers on different hosts, and leave a server in ERROR when no hosts are left', async () => {
    const { compute } = cloud().member;
    const group = await compute.serverGroups.create({ name: cloud().name(), policy: 'anti-affinity' });
    cloud().defer(() => compute.serverGroups.delete(group.id));
    const [flavor, image] = [await cloud().smallestFlavor(), await cloud().anyImage()];
    const built: Server[] = [];

    while (built.length < MORE_SERVERS_THAN_HOSTS && built.every((server) => server.status === 'ACTIVE')) {
      const desired = { name: cloud().name(), flavorRef: flavor.id, imageRef: image.id, networks: 'none' as const };
      const { id } = await compute.servers.create(desired, { hints: { group: group.id } });
      cloud().deferServer(id);
      built.push(await cloud().waitUntilSettled(id));
    }

    const placed = built.filter((server) => server.status === 'ACTIVE');
    expect(new Set(placed.map((server) => server.hostId)).size).toBe(placed.length);
    expect(built.map((server) => server.server_groups)).toEqual(built.map(() => [group.id]));
    const failed = built.find((server) => server.status === 'ERROR');
    if (failed === undefined) return;
    expect(failed.fault).toMatchObject({ code: 500, message: expect.stringMatching(/No valid host was found/) });
    expect(serverFaultKind(failed)).toBe('outOfCapacity');
    expect(failed).toMatchObject({ hostId: '', 'OS-EXT-STS:vm_state': 'error' });
    await compute.servers.delete(failed.id);
    await cloud().waitUntilDeleted(failed.id);
    expect((await compute.serverGroups.get(group.id)).members).toHaveLength(placed.length);
  });

  it('refuse servers that reference a missing group', async () => {
    const [flavor, image] = [await cloud().smallestFlavor(), await cloud().anyImage()];
    const server = { name: cloud().name(), flavorRef: flavor.id, imageRef: image.id, networks: 'none' };

    const response = await cloud().raw('compute', 'POST', '/servers', {
      body: { server, 'os:scheduler_hints': { group: NO_SUCH_ID } },
    });

    expect(response.json).toEqual({
      badRequest: { code: 400, message: `Instance group ${NO_SUCH_ID} could not be found.` },
    });
  });
});
