import { expect, it } from 'vitest';
import { expectShareError, ShareCloud, type ShownResource } from './share-cloud.ts';
import { describeClouds } from './targets.ts';

const NOT_FOUND = 'The resource could not be found.';
const DENIED = 'Access was denied to this resource.';
const ADMIN = { as: 'admin' } as const;

describeClouds('share types and quotas', (cloud) => {
  const manila = (): ShareCloud => new ShareCloud(cloud());
  const admin = (method: string, path: string, body?: object) => manila().call(method, path, body, ADMIN);
  const projectId = async () => (await cloud().member.session.token()).token.project?.id ?? '';

  /** Creates a separate type, deleted after the test. */
  async function makeType(fields: object = {}): Promise<ShownResource> {
    const extra_specs = { driver_handles_share_servers: 'False', foo: 'bar' };
    const share_type = { name: cloud().name(), extra_specs, ...fields };
    const type = await manila().expect('share_type', 'POST', '/types', { share_type }, ADMIN);
    cloud().defer(() => admin('DELETE', `/types/${type.id}`));
    return type;
  }

  it('are returned in the format of the microversion', async () => {
    const typeInVersion = async (version: string) =>
      manila().expect('share_type', 'GET', '/types/default', undefined, { version });
    const old = {
      id: expect.any(String),
      name: 'default',
      extra_specs: {
        driver_handles_share_servers: 'False',
        snapshot_support: 'True',
        create_share_from_snapshot_support: 'True',
      },
      required_extra_specs: { driver_handles_share_servers: 'False' },
    };
    const specs = { ...old.extra_specs, revert_to_snapshot_support: false, mount_snapshot_support: false };

    expect(await typeInVersion('2.6')).toEqual({ ...old, 'os-share-type-access:is_public': true });
    expect(await typeInVersion('2.7')).toEqual({ ...old, 'share_type_access:is_public': true });
    expect(await typeInVersion('2.73')).toEqual({
      ...old,
      extra_specs: specs,
      'share_type_access:is_public': true,
      description: null,
      is_default: true,
    });
    const list = (await manila().call('GET', '/types')).json as {
      share_types: ShownResource[];
      volume_types: ShownResource[];
    };
    expect(list.share_types.map(({ name }) => name)).toContain('default');
    expect(list.volume_types).toEqual(list.share_types);
    expectShareError(await manila().call('GET', '/types/x'), 404, 'Share type not found.');
  });

  it('are created, hidden, assigned to projects and deleted by administrators', async () => {
    const type = await makeType({ 'share_type_access:is_public': false, description: 'd' });
    const path = `/types/${type.id}`;
    const project = await projectId();

    expect(type).toMatchObject({ extra_specs: { foo: 'bar' }, description: 'd', is_default: false });
    expectShareError(await manila().call('GET', path), 404, 'Share type not found.');
    expect((await admin('GET', `${path}/share_type_access`)).json).toEqual({ share_type_access: [] });
    expect((await admin('POST', `${path}/action`, { addProjectAccess: { project } })).status).toBe(202);
    expect((await admin('GET', `${path}/share_type_access`)).json).toEqual({
      share_type_access: [{ share_type_id: type.id, project_id: project }],
    });
    expect((await manila().expect('share_type', 'GET', path))['extra_specs']).not.toHaveProperty('foo');
    expect((await admin('POST', `${path}/action`, { addProjectAccess: { project } })).status).toBe(409);
    expect((await admin('POST', `${path}/action`, { removeProjectAccess: { project } })).status).toBe(202);
    expect((await admin('POST', `${path}/action`, { removeProjectAccess: { project } })).status).toBe(404);
    const changed = await admin('PUT', path, { share_type: { description: '', 'share_type_access:is_public': true } });
    expect(changed.json).toMatchObject({ share_type: { description: null, 'share_type_access:is_public': true } });
    expectShareError(
      await admin('GET', `${path}/share_type_access`),
      404,
      'Access list not available for public share types.',
    );
    expectShareError(await manila().call('DELETE', path), 403, DENIED);
    expect((await admin('DELETE', path)).status).toBe(202);
    expectShareError(await admin('DELETE', path), 404, NOT_FOUND);
  });

  it('have extra specs', async () => {
    const { id } = await makeType();
    const at = `/types/${id}/extra_specs`;

    expect((await admin('POST', at, { extra_specs: { a: 'b' } })).json).toEqual({ extra_specs: { a: 'b' } });
    expect((await admin('PUT', `${at}/a`, { a: 'c' })).json).toEqual({ a: 'c' });
    expect((await admin('GET', `${at}/a`)).json).toEqual({ a: 'c' });
    expect((await admin('GET', at)).json).toEqual({
      extra_specs: { driver_handles_share_servers: 'False', foo: 'bar', a: 'c' },
    });
    expect((await admin('DELETE', `${at}/a`)).status).toBe(202);
    expectShareError(await admin('DELETE', `${at}/a`), 404, `Share Type ${id} has no extra specs with key a.`);
    expectShareError(
      await admin('DELETE', `${at}/driver_handles_share_servers`),
      403,
      "Extra spec 'driver_handles_share_servers' can't be deleted.",
    );
    expectShareError(await manila().call('GET', at), 403, DENIED);
  });

  it('are refused if they are invalid', async () => {
    const servers = { driver_handles_share_servers: 'False' };
    for (const [share_type, status, message] of [
      [{ name: 'x' }, 400, 'Invalid extra_spec: %(reason)s.'],
      [{ name: '', extra_specs: servers }, 400, 'Type name or description is not valid.'],
      [{ name: 'default', extra_specs: servers }, 409, 'Share Type %(id)s already exists.'],
      [
        { name: 'x', extra_specs: { ...servers, snapshot_support: 'zz' } },
        400,
        'Invalid share type: Invalid extra_spec: %(reason)s.',
      ],
    ] as const)
      expectShareError(await admin('POST', '/types', { share_type }), status, message);
    expectShareError(await manila().call('POST', '/types', { share_type: { name: 'x' } }), 403, DENIED);
  });

  it('make shares fail with a message if no back end supports the type', async () => {
    const type = await makeType({
      extra_specs: { driver_handles_share_servers: 'False', share_backend_name: 'nowhere' },
    });
    const body = { share: { share_proto: 'NFS', size: 1, share_type: type.id } };
    const { id } = await manila().expect('share', 'POST', '/shares', body);
    const path = `/shares/${id}`;
    manila().deferDeletion(path);
    expect(await manila().waitUntilSettled(path, 'error')).toMatchObject({
      snapshot_support: false,
      availability_zone: null,
    });
    const message = await cloud().waitUntil('the message', async () => {
      const response = await manila().call('GET', `/messages?resource_id=${id}`);
      return (response.json as { messages: ShownResource[] }).messages[0];
    });

    expect(message).toMatchObject({
      action_id: '001',
      detail_id: '008',
      message_level: 'ERROR',
      resource_type: 'SHARE',
      resource_id: id,
      user_message:
        "allocate host: No storage could be allocated for this share request, Capabilities filter didn't succeed.",
    });
    expectShareError(
      await manila().call('POST', '/snapshots', { snapshot: { share_id: id } }),
      422,
      `Snapshots cannot be created for share '${id}' since it does not have that capability.`,
    );
    expectShareError(
      await manila().runAction(path, { allow_access: { access_type: 'ip', access_to: '10.0.0.1' } }),
      400,
      'New access rules cannot be applied while the share or any of its replicas or migration copies lacks a valid host or is in an invalid state.',
    );
    const at = `/messages/${message.id}`;
    expectShareError(
      await manila().call('GET', at, undefined, { as: 'other' }),
      404,
      `Message ${message.id} could not be found.`,
    );
    expect((await manila().call('DELETE', at)).status).toBe(204);
    expectShareError(await manila().call('GET', at), 404, `Message ${message.id} could not be found.`);
    expectShareError(await manila().call('GET', '/messages', undefined, { version: '2.36' }), 404, NOT_FOUND);
  });

  it('limit the usage of a project', async () => {
    // Uses a project in which no other test creates shares concurrently.
    const other = new ShareCloud(cloud(), 'other');
    const id = (await cloud().other?.session.token())?.token.project?.id ?? '';
    const path = `/quota-sets/${id}`;
    const set = (quota_set: object) => admin('PUT', path, { quota_set });
    const older = ['shares', 'gigabytes', 'snapshots', 'snapshot_gigabytes', 'share_networks'];
    const fieldsOf = async (at: string, version: string) => {
      const { id: _id, ...limits } = await other.expect('quota_set', 'GET', at, undefined, { version });
      return Object.keys(limits);
    };
    cloud().defer(() => admin('DELETE', path));

    expect(await fieldsOf(path.replace('/quota', '/os-quota'), '2.6')).toEqual(older);
    expect(await fieldsOf(path, '2.40')).toEqual([...older, 'share_groups', 'share_group_snapshots']);
    expect(await fieldsOf(path, '2.73')).toEqual([
      ...older,
      'share_groups',
      'share_group_snapshots',
      'share_replicas',
      'replica_gigabytes',
      'per_share_gigabytes',
    ]);
    const share = await other.share();
    expect(await other.expect('quota_set', 'GET', `${path}/detail`)).toMatchObject({
      per_share_gigabytes: { limit: -1, in_use: 0, reserved: 0 },
    });
    expect((await set({ per_share_gigabytes: 2, snapshots: 0 })).json).toMatchObject({
      quota_set: { per_share_gigabytes: 2, snapshots: 0 },
    });
    const tooLarge = 'ShareSizeExceedsLimit: Requested share size 3 is larger than maximum allowed limit 2.';
    const body = { share: { share_proto: 'NFS', size: 3 } };
    expectShareError(await other.call('POST', '/shares', body), 413, tooLarge);
    expectShareError(await other.runAction(share.path, { extend: { new_size: 3 } }), 413, tooLarge);
    expectShareError(
      await other.call('POST', '/snapshots', { snapshot: { share_id: share.id } }),
      413,
      'SnapshotLimitExceeded: Maximum number of snapshots allowed (0) either per project/user or share type quota is exceeded.',
    );
    for (const [quota_set, message] of [
      [{ shares: 0 }, /^Quota value 0 for shares is smaller than already used and reserved \d+\.$/],
      [{ shares: 'x' }, "Quota 'x' for shares should be integer."],
      [{ shares: -2 }, 'Quota limit must be -1 or greater.'],
      [{ zz: 1 }, 'Must supply at least one quota field to update.'],
    ] as const)
      expectShareError(await set(quota_set), 400, message);
    expectShareError(await other.call('PUT', path, { quota_set: { shares: 1 } }), 403, DENIED);
    expectShareError(await manila().call('GET', path), 403, DENIED);
    expect((await other.call('GET', '/limits')).json).toMatchObject({
      limits: { rate: [], absolute: { maxTotalShares: expect.any(Number), totalSharesUsed: expect.any(Number) } },
    });
    expect((await admin('DELETE', path)).status).toBe(202);
  });

  it('are returned in the requested microversion', async () => {
    const listShares = (version: string) => manila().call('GET', '/shares', undefined, { version });
    const responseVersion = async (version: string) =>
      (await listShares(version)).headers.get('x-openstack-manila-api-version');

    expect(await responseVersion('')).toBe('2.0');
    expect(await responseVersion('2.44')).toBe('2.44');
    expectShareError(
      await listShares('2.74'),
      406,
      'Version %(req_ver)s is not supported by the API. Minimum is %(min_ver)s and maximum is %(max_ver)s.',
    );
    expectShareError(
      await listShares('latest'),
      400,
      'API Version String %(version)s is of invalid format. Must be of format MajorNum.MinorNum.',
    );
    expect((await manila().call('GET', '/nope')).json).toEqual({
      message: 'The resource could not be found.<br /><br />\n\n\n',
      code: '404 Not Found',
      title: 'Not Found',
    });
  });

  it('are served by Manila services that report their zones', async () => {
    const services = await manila().expect('services', 'GET', '/services?binary=manila-share', undefined, ADMIN);
    const zones = await manila().expect('availability_zones', 'GET', '/availability-zones');

    expect(services).toContainEqual(
      expect.objectContaining({ binary: 'manila-share', status: 'enabled', state: 'up', zone: expect.any(String) }),
    );
    expect(zones).toContainEqual({
      id: expect.any(String),
      name: expect.any(String),
      created_at: expect.any(String),
      updated_at: null,
    });
    expectShareError(await manila().call('GET', '/services'), 403, DENIED);
    expect((await admin('GET', '/scheduler-stats/pools')).json).toMatchObject({
      pools: [{ name: expect.any(String) }],
    });
    expectShareError(await manila().call('GET', '/availability-zones', undefined, { version: '2.6' }), 404, NOT_FOUND);
  });
});
