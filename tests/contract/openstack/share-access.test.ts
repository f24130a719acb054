import { expect, it } from 'vitest';
import { expectShareError, ShareCloud, type ShownResource } from './share-cloud.ts';
import { describeClouds } from './targets.ts';

interface Rule {
  readonly id: string;
  readonly state: string;
  readonly access_to: string;
}

describeClouds('access rules of shares', (cloud) => {
  const manila = (): ShareCloud => new ShareCloud(cloud());
  const list = async (shareId: string, query = ''): Promise<readonly Rule[]> => {
    const path = `/share-access-rules?share_id=${shareId}${query}`;
    return (await manila().expect('access_list', 'GET', path)) as unknown as readonly Rule[];
  };
  const allow = (path: string, fields: object, version?: string) =>
    manila().runAction(path, { allow_access: fields }, version === undefined ? {} : { version });
  const waitForState = (id: string, state: string) =>
    cloud().waitUntil(`rule ${id} is ${state}`, async () => {
      const rule = await manila().expect('access', 'GET', `/share-access-rules/${id}`);
      return rule['state'] === state ? rule : undefined;
    });

  it('are applied, shown, labelled and revoked', async () => {
    const share = await manila().share();
    const created = await allow(share.path, { access_type: 'ip', access_to: '10.0.0.0/24', metadata: { a: 'b' } });
    const { access } = created.json as { access: ShownResource };

    expect([created.status, access]).toEqual([
      200,
      {
        id: expect.any(String),
        share_id: share.id,
        access_level: 'rw',
        access_to: '10.0.0.0/24',
        access_type: 'ip',
        state: 'queued_to_apply',
        access_key: null,
        created_at: expect.any(String),
        updated_at: null,
        metadata: { a: 'b' },
      },
    ]);
    expect(await waitForState(access.id, 'active')).toEqual({ ...access, state: 'active' });
    expectShareError(
      await allow(share.path, { access_type: 'ip', access_to: '10.0.0.0/24' }),
      400,
      'Share access ip:10.0.0.0/24 exists.',
    );
    const { share_id: _accessKey, ...listed } = { ...access, state: 'active' } as Record<string, unknown>;
    expect(await list(share.id)).toEqual([listed]);
    const at = `/share-access-rules/${access.id}`;
    expect((await manila().call('PUT', `${at}/metadata`, { metadata: { c: 'd' } })).json).toEqual({
      metadata: { c: 'd' },
    });
    expect((await manila().expect('access', 'GET', at))['metadata']).toEqual({ a: 'b', c: 'd' });
    expect(await list(share.id, `&metadata=${encodeURIComponent("{'c': 'x'}")}`)).toEqual([]);
    expect((await manila().call('DELETE', `${at}/metadata/a`)).status).toBe(200);
    expectShareError(
      await manila().call('DELETE', `${at}/metadata/a`),
      404,
      'Share access rule metadata does not exist.',
    );
    const denied = await manila().runAction(share.path, { deny_access: { access_id: access.id } });
    expect([denied.status, denied.text]).toEqual([202, '']);
    await manila().waitUntilDeleted(at);
    expect(await list(share.id)).toEqual([]);
    expectShareError(
      await manila().runAction(share.path, { deny_access: { access_id: access.id } }),
      404,
      'Resource could not be found.',
    );
  });

  it('are returned in the format of the microversion', async () => {
    const share = await manila().share();
    const created = await allow(share.path, { access_type: 'ip', access_to: '10.0.0.9', access_level: 'ro' });
    const { id } = (created.json as { access: ShownResource }).access;
    await waitForState(id, 'active');
    await cloud().waitUntil('the rules of the share are active', async () => {
      const { access_rules_status: status } = await manila().expect('share', 'GET', share.path);
      return status === 'active' ? true : undefined;
    });
    const basic = { id, access_level: 'ro', access_to: '10.0.0.9', access_type: 'ip', state: 'active' };
    const listed = (action: string, version: string) => manila().runAction(share.path, { [action]: null }, { version });

    expect((await listed('os-access_list', '2.6')).json).toEqual({ access_list: [basic] });
    expect((await listed('access_list', '2.20')).json).toEqual({ access_list: [basic] });
    expect((await listed('access_list', '2.21')).json).toEqual({ access_list: [{ ...basic, access_key: null }] });
    expect((await listed('access_list', '2.44')).json).toEqual({
      access_list: [{ ...basic, access_key: null, created_at: expect.any(String), updated_at: null }],
    });
    expectShareError(await listed('access_list', '2.45'), 404, 'The resource could not be found.');
    expectShareError(
      await manila().call('GET', `/share-access-rules?share_id=${share.id}`, undefined, { version: '2.44' }),
      404,
      'The resource could not be found.',
    );
  });

  it('end in error if the back end does not support their type, and block other rules in old microversions', async () => {
    const share = await manila().share();
    const created = await allow(share.path, { access_type: 'user', access_to: 'robert' });
    await waitForState((created.json as { access: ShownResource }).access.id, 'error');

    // The share's own status follows that of its rule.
    await cloud().waitUntil('the rules of the share are in error', async () => {
      const { access_rules_status: status } = await manila().expect('share', 'GET', share.path);
      return status === 'error' ? status : undefined;
    });
    expectShareError(
      await allow(share.path, { access_type: 'ip', access_to: '10.0.0.1' }, '2.27'),
      400,
      'Access rules cannot be added while the share or any of its replicas or migration copies has its access_rules_status set to error. Deny any rules in error state and try again.',
    );
  });

  it('are refused if they are invalid', async () => {
    const share = await manila().share();
    const user =
      'Invalid user or group name. Must be 4-255 characters and consist of alphanumeric characters and exclude special characters "/\\[]:;|=,+*?<>';
    const refused: readonly (readonly [fields: object, message: string, version?: string])[] = [
      [{ access_type: 'ip', access_to: 'x' }, "'x' does not appear to be an IPv4 or IPv6 network"],
      [{ access_type: 'ip', access_to: '10.0.0.1/33' }, "'10.0.0.1/33' does not appear to be an IPv4 or IPv6 network"],
      [{ access_type: 'ip', access_to: '10.0.0.1/24' }, '10.0.0.1/24 has host bits set'],
      [{ access_type: 'ip', access_to: 'fd01::1' }, "Expected 4 octets in 'fd01::1'", '2.37'],
      [{ access_type: 'user', access_to: 'bob' }, user],
      [{ access_type: 'cert', access_to: 'x'.repeat(65) }, 'Invalid CN (common name). Must be 1-64 chars long.'],
      [{ access_type: 'cephx', access_to: 'client.x' }, 'Ceph IDs may not contain periods.'],
      [{ access_type: 'cephx', access_to: 'x' }, "Only 'ip', 'user' or 'cert' access types are supported.", '2.12'],
      [{ access_type: 'zz', access_to: 'x' }, "Only 'ip', 'user', 'cert' or 'cephx' access types are supported."],
      [
        { access_type: 'ip', access_to: '10.1.0.1', access_level: 'zz' },
        'Invalid access rule: Invalid share access level: zz.',
      ],
      [{ access_type: 'ip', access_to: '10.9.0.1', metadata: { '': 'v' } }, 'Metadata property key is blank.'],
    ];

    for (const [fields, message, version] of refused)
      expectShareError(await allow(share.path, fields, version), 400, message);
    expectShareError(
      await manila().runAction(
        share.path,
        { allow_access: { access_type: 'ip', access_to: '10.0.0.1' } },
        { as: 'other' },
      ),
      404,
      'NotFound: Resource could not be found.',
    );
    expectShareError(
      await manila().call('GET', '/share-access-rules'),
      400,
      "The field 'share_id' has to be specified.",
    );
    expectShareError(await manila().call('GET', '/share-access-rules?share_id=x'), 400, 'Share x not found.');
    expectShareError(await manila().call('GET', '/share-access-rules/x'), 404, 'Share access rule x not found.');
    expect(await list(share.id)).toEqual([]);
  });
});
