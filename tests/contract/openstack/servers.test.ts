import { ServiceApi } from '@fairway/openstack/service-api';
import type { ServerCreate } from '@fairway/openstack/types/server';
import { expect, it } from 'vitest';
import { type ContractCloud, NO_SUCH_ID, type RawResponse } from './contract-cloud.ts';
import { describeClouds } from './targets.ts';

const USER_DATA = Buffer.from('#cloud-config\n').toString('base64');

async function basics(cloud: ContractCloud): Promise<Pick<ServerCreate, 'name' | 'flavorRef' | 'imageRef'>> {
  const [flavor, image] = await Promise.all([cloud.smallestFlavor(), cloud.anyImage()]);
  return { name: cloud.name(), flavorRef: flavor.id, imageRef: image.id };
}

async function build(cloud: ContractCloud, more: Partial<ServerCreate> = {}): Promise<string> {
  const { id } = await cloud.member.compute.servers.create({ ...(await basics(cloud)), networks: 'none', ...more });
  cloud.deferServer(id);
  return id;
}

function act(cloud: ContractCloud, id: string, body: object): Promise<RawResponse> {
  return cloud.raw('compute', 'POST', `/servers/${id}/action`, { body });
}

describeClouds('servers', (cloud) => {
  it('are built from a port, with all requested values', async () => {
    const { member } = cloud();
    const flavor = await cloud().smallestFlavor();
    const { id: network_id, subnetId } = await cloud().network();
    const port = await member.network.ports.create({ network_id, name: cloud().name() });
    cloud().defer(() => member.network.ports.delete(port.id));
    const requestedServer = {
      ...(await basics(cloud())),
      tags: ['one', 'two'],
      metadata: { a: 'b' },
      description: 'mine',
    };
    const { zoneName: zone } =
      (await member.compute.availabilityZones()).find((each) => each.zoneState.available) ?? {};

    const created = await member.compute.servers.create({
      ...requestedServer,
      networks: [{ port: port.id }],
      user_data: USER_DATA,
      config_drive: true,
      hostname: 'contract-host',
      ...(zone !== undefined && { availability_zone: zone }),
    });
    cloud().deferServer(created.id);
    const beforeBuild = await member.compute.servers.get(created.id);
    const server = await cloud().waitUntilSettled(created.id);

    expect(['BUILD', 'ACTIVE']).toContain(beforeBuild.status);
    expect(server).toMatchObject({
      id: created.id,
      name: requestedServer.name,
      status: 'ACTIVE',
      tenant_id: await member.session.projectId(),
      tags: ['one', 'two'],
      metadata: { a: 'b' },
      description: 'mine',
      config_drive: 'True',
      key_name: null,
      image: { id: requestedServer.imageRef },
      locked: false,
      server_groups: [],
      hostId: expect.stringMatching(/^[0-9a-f]{56}$/),
      flavor: { original_name: flavor.name, vcpus: flavor.vcpus, ram: flavor.ram, disk: flavor.disk },
      'OS-EXT-STS:vm_state': 'active',
      'OS-EXT-STS:task_state': null,
      'OS-EXT-STS:power_state': 1,
      'OS-EXT-AZ:availability_zone': zone,
      'OS-EXT-SRV-ATTR:hostname': 'contract-host',
      'OS-SRV-USG:launched_at': expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
    });
    const [addresses] = Object.values(server.addresses);
    expect(addresses).toEqual([
      {
        addr: port.fixed_ips[0]?.ip_address,
        version: 4,
        'OS-EXT-IPS:type': 'fixed',
        'OS-EXT-IPS-MAC:mac_addr': port.mac_address,
      },
    ]);
    const bound = await cloud().waitUntil('the port is ACTIVE', async () => {
      const each = await member.network.ports.get(port.id);
      return each.status === 'ACTIVE' ? each : undefined;
    });
    expect(bound).toMatchObject({ device_id: created.id, device_owner: `compute:${zone}` });
    expect(bound.fixed_ips[0]?.subnet_id).toBe(subnetId);
    expect(await member.compute.servers.interfaces(created.id)).toEqual([
      expect.objectContaining({
        port_id: port.id,
        net_id: network_id,
        mac_addr: port.mac_address,
        port_state: 'ACTIVE',
      }),
    ]);

    // A port that Nova did not create is kept when the server is deleted.
    await member.compute.servers.delete(created.id);
    await cloud().waitUntilDeleted(created.id);
    const remaining = await member.network.ports.get(port.id);
    expect(remaining).toMatchObject({ status: 'DOWN', device_id: '', device_owner: '' });
  });

  it('are built in a network with their own port, which is deleted with them', async () => {
    const { member } = cloud();
    const { id: network } = await cloud().network('10.124.0.0/24');
    const id = await build(cloud(), { networks: [{ uuid: network }] });
    expect((await cloud().waitUntilSettled(id)).status).toBe('ACTIVE');
    expect(await Array.fromAsync(member.network.ports.list({ device_id: id }))).toHaveLength(1);

    await member.compute.servers.delete(id);
    await cloud().waitUntilDeleted(id);

    await cloud().waitUntil('the port goes', async () => {
      const ports = await Array.fromAsync(member.network.ports.list({ device_id: id }));
      return ports.length === 0 ? true : undefined;
    });
  });

  it('are built in a network and on a port in another one, each with its security groups', async () => {
    const { member } = cloud();
    const { id: first } = await cloud().network('10.124.0.0/24');
    const { id: additionalNetworkId } = await cloud().network('10.125.0.0/24');
    const groups: string[] = [];
    for (const _ of ['of the first', 'of the further one']) {
      const { id } = await member.network.securityGroups.create({ name: cloud().name() });
      cloud().defer(() => member.network.securityGroups.delete(id));
      groups.push(id);
    }
    const [firstGroup = '', additionalGroup = ''] = groups;
    const port = await member.network.ports.create({
      network_id: additionalNetworkId,
      security_groups: [additionalGroup],
    });
    cloud().defer(() => member.network.ports.delete(port.id));
    const id = await build(cloud(), {
      networks: [{ uuid: first }, { port: port.id }],
      security_groups: [{ name: firstGroup }],
    });
    const server = await cloud().waitUntilSettled(id);
    const ports = await Array.fromAsync(member.network.ports.list({ device_id: id }));

    expect(server.status).toBe('ACTIVE');
    expect(Object.values(server.addresses).flat()).toHaveLength(2);
    expect(new Map(ports.map(({ network_id, security_groups }) => [network_id, security_groups]))).toEqual(
      new Map([
        [first, [firstGroup]],
        [additionalNetworkId, [additionalGroup]],
      ]),
    );

    // Only the port that Nova created is deleted with the server.
    await member.compute.servers.delete(id);
    await cloud().waitUntilDeleted(id);
    await cloud().waitUntil('the port goes', async () => {
      const remaining = await Array.fromAsync(member.network.ports.list({ network_id: first }));
      return remaining.some(({ device_owner }) => device_owner.startsWith('compute:')) ? undefined : true;
    });
    expect(await member.network.ports.get(port.id)).toMatchObject({ device_id: '', device_owner: '' });
  });

  it('return only 202, the ID, password and location for a build request', async () => {
    const body = { server: { ...(await basics(cloud())), networks: 'none' } };

    const response = await cloud().raw('compute', 'POST', '/servers', { body });

    expect(response.status).toBe(202);
    const { server } = response.json as { server: { id: string } };
    cloud().deferServer(server.id);
    expect(server).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      links: expect.arrayContaining([{ rel: 'self', href: expect.stringContaining(`/servers/${server.id}`) }]),
      adminPass: expect.stringMatching(/^\w{12}$/),
      'OS-DCF:diskConfig': 'MANUAL',
      security_groups: [{ name: 'default' }],
    });
    expect(response.headers.get('location')).toMatch(new RegExp(`/v2\\.1/servers/${server.id}$`));
  });

  it('can be stopped, started, rebooted and rebuilt', async () => {
    const { servers } = cloud().member.compute;
    const id = await build(cloud());
    await cloud().waitUntilSettled(id);

    await servers.stop(id);
    expect(await cloud().waitUntilSettled(id)).toMatchObject({ status: 'SHUTOFF', 'OS-EXT-STS:power_state': 4 });
    expect((await act(cloud(), id, { 'os-stop': null })).json).toEqual({
      conflictingRequest: { code: 409, message: `Cannot 'stop' instance ${id} while it is in vm_state stopped` },
    });
    await servers.start(id);
    expect((await cloud().waitUntilSettled(id)).status).toBe('ACTIVE');
    await servers.reboot(id, 'HARD');
    expect((await cloud().waitUntilSettled(id)).status).toBe('ACTIVE');
    await servers.rebuild(id, { imageRef: (await cloud().anyImage()).id, user_data: null });
    expect((await cloud().waitUntilSettled(id)).status).toBe('ACTIVE');
    expect((await servers.rename(id, `${cloud().name()}-new`)).name).toMatch(/-new$/);
    expect(typeof (await servers.consoleLog(id, 10))).toBe('string');
  });

  it('are ACTIVE after a panic of their guest, and cannot be made to panic while they are off', async () => {
    const { servers } = cloud().member.compute;
    const id = await build(cloud());
    await cloud().waitUntilSettled(id);
    const panic = { body: { trigger_crash_dump: null } };
    const path = `/servers/${id}/action`;
    const old = { ...panic, headers: { 'openstack-api-version': 'compute 2.16' } };

    expect((await cloud().raw('compute', 'POST', path, old)).status).toBe(404);
    expect((await cloud().raw('compute', 'POST', path, panic)).status).toBe(202);
    expect((await cloud().waitUntilSettled(id)).status).toBe('ACTIVE');
    await servers.stop(id);
    await cloud().waitUntilSettled(id);
    expect((await cloud().raw('compute', 'POST', path, panic)).json).toEqual({
      conflictingRequest: {
        code: 409,
        message: `Cannot 'trigger_crash_dump' instance ${id} while it is in vm_state stopped`,
      },
    });
  });

  it('are rebuilt with different metadata and user data, and keep their addresses, ports and tags', async () => {
    const { member } = cloud();
    const { id: network_id } = await cloud().network();
    const port = await member.network.ports.create({ network_id, name: cloud().name() });
    cloud().defer(() => member.network.ports.delete(port.id));
    const id = await build(cloud(), { networks: [{ port: port.id }], tags: ['kept'], metadata: { old: '1' } });
    const before = await cloud().waitUntilSettled(id);
    const { id: imageRef } = await cloud().anyImage();

    await member.compute.servers.rebuild(id, { imageRef, user_data: USER_DATA, metadata: { reinstall: 'x' } });
    const accepted = await member.compute.servers.get(id);
    const after = await cloud().waitUntilSettled(id);

    // The call's values are visible as soon as it returns, together with the state that prevents a second call.
    expect(accepted.metadata).toEqual({ reinstall: 'x' });
    expect(['REBUILD', 'ACTIVE']).toContain(accepted.status);
    expect(after).toMatchObject({ status: 'ACTIVE', tags: ['kept'], metadata: { reinstall: 'x' } });
    expect(after.addresses).toEqual(before.addresses);
    expect((await member.compute.servers.interfaces(id)).map(({ port_id }) => port_id)).toEqual([port.id]);
  });

  it('can be rebuilt while they are off, and stay off', async () => {
    const { servers } = cloud().member.compute;
    const id = await build(cloud());
    await cloud().waitUntilSettled(id);
    await servers.stop(id);
    await cloud().waitUntilSettled(id);

    await servers.rebuild(id, { imageRef: (await cloud().anyImage()).id });

    // Nova briefly reports the server as ACTIVE before it stops it again.
    await cloud().waitUntil('it is off again', async () => {
      const { status } = await cloud().waitUntilSettled(id);
      return status === 'SHUTOFF' ? status : undefined;
    });
    await cloud().member.compute.servers.start(id);
    expect((await cloud().waitUntilSettled(id)).status).toBe('ACTIVE');
  });

  it('can be rebuilt after a failure, and become ACTIVE', async ({ skip }) => {
    const { admin, member } = cloud();
    if (admin === undefined) return skip('there is no administrator');
    const id = await build(cloud());
    await cloud().waitUntilSettled(id);
    const compute = new ServiceApi(admin.session, 'compute', { name: 'compute', wanted: '2.93' });
    const body = { 'os-resetState': { state: 'error' } };
    await compute.send('POST', '/servers/{id}/action', { params: { id }, body });
    const failed = await cloud().waitUntilSettled(id);

    await member.compute.servers.rebuild(id, { imageRef: (await cloud().anyImage()).id });

    expect(failed.status).toBe('ERROR');
    const rebuilt = await cloud().waitUntilSettled(id);
    expect(rebuilt.status).toBe('ACTIVE');
    expect(rebuilt).not.toHaveProperty('fault');
  });

  it('can be deleted twice without an error, and are not found afterwards', async () => {
    const { servers } = cloud().member.compute;
    const id = await build(cloud());
    await cloud().waitUntilSettled(id);

    await servers.delete(id);
    await cloud().waitUntilDeleted(id);

    const notFound = { itemNotFound: { code: 404, message: `Instance ${id} could not be found.` } };
    for (const method of ['GET', 'DELETE']) {
      const response = await cloud().raw('compute', method, `/servers/${id}`);
      expect(response.status).toBe(404);
      expect(response.json).toEqual(notFound);
    }
    expect((await act(cloud(), id, { 'os-start': null })).json).toEqual(notFound);
  });

  it('can be deleted while they are being built', async () => {
    const id = await build(cloud());

    await cloud().member.compute.servers.delete(id);

    await expect(cloud().waitUntilDeleted(id)).resolves.toBeUndefined();
  });

  it.each<{ reason: string; status: number; fault: string; message: string; action: object }>([
    {
      reason: 'a start while it is running',
      status: 409,
      fault: 'conflictingRequest',
      message: "Cannot 'start' instance ID while it is in vm_state active",
      action: { 'os-start': null },
    },
    {
      reason: 'a rebuild from a missing image',
      status: 400,
      fault: 'badRequest',
      message: 'Cannot find image for rebuild',
      action: { rebuild: { imageRef: NO_SUCH_ID } },
    },
    {
      reason: 'an unknown action',
      status: 400,
      fault: 'badRequest',
      message: 'There is no such action: fly',
      action: { fly: null },
    },
  ])('refuse $reason', async ({ status, fault, message, action }) => {
    const id = await build(cloud());
    await cloud().waitUntilSettled(id);

    const response = await act(cloud(), id, action);

    expect(response.status).toBe(status);
    expect(response.json).toEqual({ [fault]: { code: status, message: message.replace('ID', id) } });
  });

  it('keep tags and metadata', async () => {
    const { servers } = cloud().member.compute;
    const id = await build(cloud(), { tags: ['old'], metadata: { a: '1' } });
    await cloud().waitUntilSettled(id);
    const tag = (method: string, name: string): Promise<RawResponse> =>
      cloud().raw('compute', method, `/servers/${id}/tags/${name}`);

    expect(await servers.setTags(id, ['x', 'y'])).toEqual(['x', 'y']);
    expect((await tag('PUT', 'z')).status).toBe(201);
    expect((await tag('PUT', 'z')).status).toBe(204);
    expect((await tag('DELETE', 'x')).status).toBe(204);
    expect((await tag('DELETE', 'x')).json).toEqual({
      itemNotFound: { code: 404, message: `Instance ${id} has no tag 'x'` },
    });
    expect(await servers.mergeMetadata(id, { b: '2' })).toEqual({ a: '1', b: '2' });
    expect(await servers.setMetadata(id, { c: '3' })).toEqual({ c: '3' });
    await servers.deleteMetadata(id, 'c');
    expect((await cloud().raw('compute', 'DELETE', `/servers/${id}/metadata/c`)).json).toEqual({
      itemNotFound: { code: 404, message: 'Metadata item was not found' },
    });
    expect(await servers.get(id)).toMatchObject({ tags: ['y', 'z'], metadata: {} });
  });

  it('are visible only to their project', async () => {
    const { other, reader } = cloud();
    const id = await build(cloud());
    await cloud().waitUntilSettled(id);

    expect((await (reader ?? cloud().member).compute.servers.get(id)).id).toBe(id);
    if (other === undefined) return;
    const { id: token } = await other.session.token();
    for (const method of ['GET', 'DELETE']) {
      const response = await cloud().raw('compute', method, `/servers/${id}`, { token });
      expect(response.json).toEqual({ itemNotFound: { code: 404, message: `Instance ${id} could not be found.` } });
    }
    for await (const server of other.compute.servers.list()) expect(server.id).not.toBe(id);
  });

  it.each<{ reason: string; message: string | RegExp; change: object }>([
    { reason: 'a missing flavor', message: 'Flavor nope could not be found.', change: { flavorRef: 'nope' } },
    { reason: 'a missing image', message: 'Can not find requested image', change: { imageRef: NO_SUCH_ID } },
    {
      reason: 'a missing network',
      message: `Network ${NO_SUCH_ID} could not be found.`,
      change: { networks: [{ uuid: NO_SUCH_ID }] },
    },
    {
      reason: 'a missing port',
      message: `Port id ${NO_SUCH_ID} could not be found.`,
      change: { networks: [{ port: NO_SUCH_ID }] },
    },
    {
      reason: 'a missing zone',
      message: 'The requested availability zone is not available',
      change: { availability_zone: 'nowhere' },
    },
    { reason: 'a missing key', message: 'Invalid key_name provided.', change: { key_name: 'nope' } },
    {
      reason: 'an empty name',
      message: /^Invalid input for field\/attribute name\. Value: \. '' (is too short|should be non-empty)$/,
      change: { name: '' },
    },
    {
      reason: 'a missing networks field',
      message: /'networks' is a required property$/,
      change: { networks: undefined },
    },
    {
      reason: 'a field that does not exist',
      message: /Additional properties are not allowed \('foo' was unexpected\)$/,
      change: { foo: 1 },
    },
    {
      reason: 'a tag with a comma',
      message: "Invalid input for field/attribute 0. Value: a,b. 'a,b' does not match '^[^,/]*$'",
      change: { tags: ['a,b'] },
    },
    {
      reason: '51 tags',
      message: /^Invalid input for field\/attribute tags\. Value: /,
      change: { tags: Array.from({ length: 51 }, (_, i) => `t${i}`) },
    },
    {
      reason: 'a metadata value that is too long',
      message: /^Invalid input for field\/attribute k\. Value: v+\. /,
      change: { metadata: { k: 'v'.repeat(256) } },
    },
    {
      reason: 'user data that is too long',
      message: /^Invalid input for field\/attribute user_data\. Value: A+\. /,
      change: { user_data: 'A'.repeat(65_536) },
    },
    {
      reason: 'an invalid host name',
      message: /^Invalid input for field\/attribute hostname\. Value: a_b!\. /,
      change: { hostname: 'a_b!' },
    },
  ])('are not built with $reason', async ({ message, change }) => {
    const body = { server: { ...(await basics(cloud())), networks: 'none', ...change } };

    const response = await cloud().raw('compute', 'POST', '/servers', { body });

    expect(response.json).toEqual({ badRequest: { code: 400, message: expect.stringMatching(/./) } });
    expect((response.json as { badRequest: { message: string } }).badRequest.message).toMatch(message);
    expect(response.status).toBe(400);
  });

  it.each([
    { reason: 'malformed', body: '{', message: 'Malformed request body' },
    { reason: 'empty', body: {}, message: "'server' is a required property" },
  ])('are not built from a body that is $reason', async ({ body, message }) => {
    const response = await cloud().raw('compute', 'POST', '/servers', { body });

    expect(response.json).toEqual({ badRequest: { code: 400, message } });
  });

  it('are listed by name, tags and status', async () => {
    const prefix = cloud().name();
    const ids = await Promise.all([
      build(cloud(), { name: `${prefix}-a`, tags: [prefix, 'one'] }),
      build(cloud(), { name: `${prefix}-b`, tags: [prefix, 'two'] }),
    ]);
    for (const id of ids) await cloud().waitUntilSettled(id);
    const cases: readonly (readonly [filter: string, finds: readonly string[]])[] = [
      [`name=^${prefix}-a$`, ['a']],
      [`name=${prefix}`, ['a', 'b']],
      [`tags=${prefix},one`, ['a']],
      [`tags=${prefix}`, ['a', 'b']],
      [`tags=${prefix}&tags-any=two,three`, ['b']],
      [`tags=${prefix}&not-tags=one`, ['b']],
      [`tags=${prefix}&status=ACTIVE`, ['a', 'b']],
      [`tags=${prefix}&status=ERROR`, []],
    ];

    for (const [filter, expectedNames] of cases) {
      const response = await cloud().raw('compute', 'GET', `/servers/detail?${filter}`);

      const { servers } = response.json as { servers: { name: string }[] };
      const names = servers.map((server) => server.name.slice(prefix.length + 1)).sort();
      expect({ filter, names }).toEqual({ filter, names: expectedNames });
    }
  });

  it('are paged, newest first', async () => {
    const tag = cloud().name();
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.push(await build(cloud(), { tags: [tag] }));
    for (const id of ids) await cloud().waitUntilSettled(id);

    const listed = await Array.fromAsync(cloud().member.compute.servers.list({ tags: [tag] }, { pageSize: 2 }));
    const first = await cloud().raw('compute', 'GET', `/servers?tags=${tag}&limit=2`);
    const { servers: page } = first.json as { servers: { id: string }[] };
    const marker = page.at(-1)?.id;
    const last = await cloud().raw('compute', 'GET', `/servers?tags=${tag}&limit=2&marker=${marker}`);

    expect(listed.map((server) => server.id).sort()).toEqual([...ids].sort());
    expect(first.json).toMatchObject({
      servers_links: [{ rel: 'next', href: expect.stringContaining(`marker=${marker}`) }],
    });
    expect(Object.keys(last.json as object)).not.toContain('servers_links');
  });

  it.each([
    { query: `marker=${NO_SUCH_ID}`, message: `marker [${NO_SUCH_ID}] not found` },
    {
      query: 'limit=-1',
      message: "Invalid input for query parameters limit. Value: -1. '-1' does not match '^[0-9]*$'",
    },
    { query: 'status=NOPE', message: 'Invalid status value' },
  ])('cannot be listed by $query', async ({ query, message }) => {
    const response = await cloud().raw('compute', 'GET', `/servers?${query}`);

    expect(response.json).toEqual({ badRequest: { code: 400, message } });
  });
});
