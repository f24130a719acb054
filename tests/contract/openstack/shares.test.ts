import { expect, it } from 'vitest';
import { NO_SUCH_ID } from './contract-cloud.ts';
import { expectShareError, ShareCloud, type ShownResource } from './share-cloud.ts';
import { describeClouds } from './targets.ts';

const NOT_FOUND = 'The resource could not be found.';
const UNEXPECTED = 'The server has either erred or is incapable of performing the requested operation.';

describeClouds('shares', (cloud) => {
  const manila = (): ShareCloud => new ShareCloud(cloud());
  const namesOf = async (query: string, version?: string) => {
    const response = await manila().call('GET', `/shares${query}`, undefined, version === undefined ? {} : { version });
    return (response.json as { shares: ShownResource[] }).shares.map(({ name }) => name);
  };

  it('are created, shown, renamed and deleted', async () => {
    const name = cloud().name();
    const fields = { share_proto: 'nfs', size: 1, name, description: 'd', metadata: { a: 'b' } };
    const created = await manila().call('POST', '/shares', { share: fields });
    const { share } = created.json as { share: ShownResource };
    const path = `/shares/${share.id}`;
    manila().deferDeletion(path);

    expect(created.status).toBe(200);
    expect(share).toMatchObject({ status: 'creating', size: 1, share_proto: 'NFS', name, snapshot_id: null });
    expect(await manila().waitUntilSettled(path)).toEqual({
      id: share.id,
      size: 1,
      availability_zone: expect.any(String),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
      status: 'available',
      name,
      description: 'd',
      project_id: expect.any(String),
      snapshot_id: null,
      share_network_id: null,
      share_proto: 'NFS',
      metadata: { a: 'b' },
      share_type: expect.any(String),
      volume_type: 'default',
      links: [
        { rel: 'self', href: expect.stringMatching(new RegExp(`/v2${path}$`)) },
        { rel: 'bookmark', href: expect.stringMatching(new RegExp(`${path}$`)) },
      ],
      is_public: false,
      snapshot_support: true,
      task_state: null,
      share_type_name: 'default',
      access_rules_status: 'active',
      replication_type: null,
      has_replicas: false,
      user_id: expect.any(String),
      create_share_from_snapshot_support: true,
      revert_to_snapshot_support: false,
      share_group_id: null,
      source_share_group_snapshot_member_id: null,
      mount_snapshot_support: false,
      progress: '100%',
      is_soft_deleted: false,
      scheduled_to_be_deleted_at: null,
    });
    const renamed = await manila().call('PUT', path, { share: { display_name: 'x', display_description: 'y' } });
    expect(renamed.json).toMatchObject({ share: { name: 'x', description: 'y', is_public: false } });
    expectShareError(await manila().call('PUT', path, {}), 422, 'Unable to process the contained instructions');
    const deleted = await manila().call('DELETE', path);
    expect([deleted.status, deleted.text]).toEqual([202, '']);
    await manila().waitUntilDeleted(path);
    expectShareError(await manila().call('DELETE', path), 404, NOT_FOUND);
  });

  it('have the microversion’s fields', async () => {
    const { path } = await manila().share();
    const fieldsOf = async (version: string) =>
      Object.keys(await manila().expect('share', 'GET', path, undefined, { version })).toSorted();
    const all = await fieldsOf('2.73');
    const newer = (...names: readonly string[]) => all.filter((name) => !names.includes(name));
    const recycleBinFields = ['is_soft_deleted', 'scheduled_to_be_deleted_at'];
    const groupFields = ['share_group_id', 'source_share_group_snapshot_member_id'];
    const fieldsSince28 = ['mount_snapshot_support', 'progress', ...recycleBinFields, ...groupFields];

    expect(await fieldsOf('2.68')).toEqual(newer(...recycleBinFields));
    expect(await fieldsOf('2.53')).toEqual(newer('progress', ...recycleBinFields));
    expect(await fieldsOf('2.30')).toEqual(newer(...fieldsSince28));
    const fieldsSince11 = [
      'user_id',
      'create_share_from_snapshot_support',
      'revert_to_snapshot_support',
      ...fieldsSince28,
    ];
    expect(await fieldsOf('2.11')).toEqual(newer(...fieldsSince11));
    const fieldsSince3 = [
      'share_type_name',
      'access_rules_status',
      'replication_type',
      'has_replicas',
      ...fieldsSince11,
    ];
    expect(await fieldsOf('2.2')).toEqual(
      [...newer('task_state', ...fieldsSince3), 'export_location', 'export_locations'].toSorted(),
    );
    expect(await manila().expect('share', 'GET', path, undefined, { version: '2.0' })).toMatchObject({
      share_type: 'default',
    });
  });

  it('are listed by name, label and status, sorted and paged', async () => {
    const name = cloud().name();
    const first = await manila().share({ name: `${name}-1`, metadata: { n: name } });
    await manila().share({ name: `${name}-2`, description: name });

    expect(await namesOf(`?name=${name}-1`)).toEqual([`${name}-1`]);
    expect(await namesOf(`?name~=${name}`)).toEqual([`${name}-2`, `${name}-1`]);
    expect(await namesOf(`?name~=${name}&sort_key=name&sort_dir=asc`)).toEqual([`${name}-1`, `${name}-2`]);
    expect(await namesOf(`?metadata=${encodeURIComponent(`{'n': '${name}'}`)}`)).toEqual([`${name}-1`]);
    expect(await namesOf(`?description=${name}`)).toEqual([`${name}-2`]);
    expect(await namesOf(`?name~=${name}&status=error`)).toEqual([]);
    expect(await namesOf(`?name~=${name}&is_soft_deleted=True`)).toEqual([]);
    const page = await manila().call('GET', `/shares?name~=${name}&limit=1&with_count=true&sort_dir=asc`);
    expect(page.json).toMatchObject({ shares: [{ id: first.id }], count: 2 });
    const { shares_links: links } = page.json as { shares_links: { href: string }[] };
    const next = new URL(links[0]?.href ?? '');
    expect([next.pathname.endsWith('/v2/shares'), next.searchParams.get('marker')]).toEqual([true, first.id]);
    expect(await namesOf(`?name~=${name}&limit=1&offset=1`)).toEqual([`${name}-1`]);
    const detail = await manila().call('GET', `/shares/detail?name=${name}-1`);
    expect(detail.json).toMatchObject({ shares: [{ id: first.id, status: 'available' }] });
    const others = await manila().call('GET', `/shares?name~=${name}`, undefined, { as: 'other' });
    expect(others.json).toEqual({ shares: [] });
    for (const [query, message] of [
      ['limit=x', 'limit param must be an integer'],
      ['limit=-1', 'limit param must be positive'],
      ['offset=-1', 'offset param must be positive'],
      ['sort_key=zz', "Invalid input received: Wrong sorting key provided - 'zz'."],
      [
        'sort_dir=zz',
        "Invalid input received: Wrong sorting data provided: sort key is 'created_at' and sort direction is 'zz'.",
      ],
    ] as const)
      expectShareError(await manila().call('GET', `/shares?${query}`), 400, message);
  });

  it('are refused if they are invalid', async () => {
    const nfs = { share_proto: 'NFS', size: 1 };
    const refused: readonly (readonly [body: object | string, status: number, message: string])[] = [
      ['{', 400, 'Malformed request body'],
      [{}, 422, 'Unable to process the contained instructions'],
      [{ share: { share_proto: 'NFS' } }, 500, UNEXPECTED],
      [
        { share: { ...nfs, share_proto: 'XX' } },
        400,
        "Invalid input received: Invalid share protocol provided: XX. It is either disabled or unsupported. Available protocols: ['NFS', 'CIFS'].",
      ],
      [
        { share: { ...nfs, size: 0 } },
        400,
        "Invalid input received: Share size '0' must be an integer and greater than 0.",
      ],
      [
        { share: { ...nfs, size: 'x' } },
        400,
        "Invalid input received: Share size 'x' must be an integer and greater than 0.",
      ],
      [{ share: { ...nfs, share_type: 'nope' } }, 404, 'Share type not found.'],
      [{ share: { ...nfs, availability_zone: 'nope' } }, 404, 'Availability zone %(id)s could not be found.'],
      [
        { share: { ...nfs, snapshot_id: NO_SUCH_ID } },
        404,
        `ShareSnapshotNotFound: Snapshot ${NO_SUCH_ID} could not be found.`,
      ],
      [{ share: { ...nfs, share_network_id: NO_SUCH_ID } }, 404, `Share network ${NO_SUCH_ID} could not be found.`],
      [
        { share: { ...nfs, size: 1_000_000 } },
        413,
        'ShareSizeExceedsAvailableQuota: Requested share exceeds allowed project/user or share type gigabytes quota.',
      ],
      [
        { share: { ...nfs, is_public: 'x' } },
        400,
        "Unrecognized value 'x', acceptable values are: '0', '1', 'f', 'false', 'n', 'no', 'off', 'on', 't', 'true', 'y', 'yes'",
      ],
      [
        { share: { ...nfs, is_public: true } },
        403,
        "User is not authorized to set 'is_public' to True in the request.",
      ],
      [{ share: { ...nfs, metadata: { '': 'x' } } }, 400, 'Metadata property key is blank.'],
    ];

    for (const [body, status, message] of refused)
      expectShareError(await manila().call('POST', '/shares', body), status, message);
  });

  it('grow and shrink', async () => {
    const { path } = await manila().share();
    const extend = (size: unknown) => manila().runAction(path, { extend: { new_size: size } });
    const shrink = (size: unknown) => manila().runAction(path, { shrink: { new_size: size } });

    expectShareError(
      await extend(1),
      400,
      'Invalid input received: New size for extend must be greater than current size. (current: 1, extended: 1).',
    );
    expectShareError(await extend('x'), 400, 'New share size must be specified as an integer.');
    expectShareError(
      await extend(1_000_000),
      403,
      'Requested share exceeds allowed project/user or share type gigabytes quota.',
    );
    const accepted = await extend(3);
    expect([accepted.status, accepted.text]).toEqual([202, '']);
    expect(await manila().waitForSize(path, 3)).toMatchObject({ size: 3 });
    for (const size of [3, 0])
      expectShareError(
        await shrink(size),
        400,
        `Invalid input received: New size for shrink must be less than current size and greater than 0 (current: 3, new: ${size}).`,
      );
    expect((await shrink(2)).status).toBe(202);
    expect(await manila().waitForSize(path, 2)).toMatchObject({ size: 2 });
    expectShareError(await manila().runAction(path, { nope: {} }), 400, 'There is no such action: nope');
    expectShareError(await manila().runAction(path, {}), 400, 'Malformed request body');
    expectShareError(await manila().runAction(path, { 'os-extend': { new_size: 3 } }), 404, NOT_FOUND);
    expect((await manila().runAction(path, { 'os-extend': { new_size: 3 } }, { version: '2.6' })).status).toBe(202);
    await manila().waitForSize(path, 3);
    expectShareError(
      await manila().runAction(path, { extend: { new_size: 9 } }, { as: 'other' }),
      404,
      'Resource could not be found.',
    );
    await manila().runAction(path, { reset_status: { status: 'error' } }, { as: 'admin' });
    await manila().waitUntilSettled(path, 'error');
    expectShareError(
      await extend(9),
      400,
      /^Invalid share: Share .* status must be 'available' to extend, but current status is: error\.$/,
    );
  });

  it('are reset and deleted by administrators in any state', async () => {
    const { path } = await manila().share();
    const denied = 'Access was denied to this resource.';

    expectShareError(await manila().runAction(path, { reset_status: { status: 'error' } }), 403, denied);
    expectShareError(await manila().runAction(path, { force_delete: null }), 403, denied);
    expectShareError(
      await manila().runAction(path, { reset_status: { status: 'zz' } }, { as: 'admin' }),
      400,
      /^Invalid state\. Valid states: /,
    );
    const reset = await manila().runAction(path, { reset_status: { status: 'error_deleting' } }, { as: 'admin' });
    expect([reset.status, (await manila().waitUntilSettled(path, 'error_deleting')).status]).toEqual([
      202,
      'error_deleting',
    ]);
    expectShareError(await manila().call('DELETE', path), 403, 'Invalid share: %(reason)s.');
    expect((await manila().runAction(path, { force_delete: null }, { as: 'admin' })).status).toBe(202);
    await manila().waitUntilDeleted(path);
  });

  it('can be mounted from their export locations', async () => {
    const { path, id } = await manila().share();
    const at = `${path}/export_locations`;
    const locations = async (as?: 'admin') =>
      (await manila().expect(
        'export_locations',
        'GET',
        at,
        undefined,
        as === undefined ? {} : { as },
      )) as unknown as readonly { id: string; path: string; preferred: boolean }[];

    const exportLocations = await locations();
    expect(exportLocations.length).toBeGreaterThan(0);
    for (const location of exportLocations)
      expect(location).toEqual({
        id: expect.any(String),
        path: expect.stringMatching(new RegExp(`^\\d+\\.\\d+\\.\\d+\\.\\d+:/.*share_${id.replaceAll('-', '_')}_`)),
        preferred: expect.any(Boolean),
      });
    expect(exportLocations.filter(({ preferred }) => preferred)).toHaveLength(1);
    expect(await manila().expect('export_location', 'GET', `${at}/${exportLocations[0]?.id}`)).toEqual({
      ...exportLocations[0],
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    expect((await locations('admin')).length).toBe(exportLocations.length + 1);
    expect((await locations('admin'))[0]).toMatchObject({
      is_admin_only: expect.any(Boolean),
      share_instance_id: expect.any(String),
    });
    expectShareError(await manila().call('GET', `${at}/x`), 404, "Export location 'x' not found.");
    expectShareError(await manila().call('GET', at, undefined, { version: '2.8' }), 404, NOT_FOUND);
    expectShareError(
      await manila().call('GET', at, undefined, { as: 'other' }),
      403,
      "Policy doesn't allow share:get to be performed.",
    );
  });

  it('have labels', async () => {
    const { path } = await manila().share({ metadata: { a: 'b' } });
    const at = `${path}/metadata`;
    const post = (body: object) => manila().call('POST', at, body);

    expect((await post({ metadata: { c: 'd' } })).json).toEqual({ metadata: { a: 'b', c: 'd' } });
    expect((await manila().call('PUT', at, { metadata: { e: 'f' } })).json).toEqual({ metadata: { e: 'f' } });
    expect((await manila().call('GET', at)).json).toEqual({ metadata: { e: 'f' } });
    expect((await manila().call('GET', `${at}/e`)).json).toEqual({ meta: { e: 'f' } });
    const missing = 'MetadataItemNotFound: Metadata item is not found.';
    expectShareError(await manila().call('GET', `${at}/zz`), 404, missing);
    expect((await manila().call('DELETE', `${at}/e`)).status).toBe(200);
    expectShareError(await manila().call('DELETE', `${at}/e`), 404, missing);
    for (const [body, message] of [
      [{}, 'Malformed request body'],
      [{ metadata: 'x' }, 'Malformed request body'],
      [{ metadata: { a: 1 } }, 'Malformed request body'],
      [{ metadata: { '': 'x' } }, 'Metadata property key is blank.'],
      [{ metadata: { ['a'.repeat(256)]: 'x' } }, 'Metadata property key is greater than 255 characters.'],
      [{ metadata: { a: 'x'.repeat(1024) } }, 'Metadata property value is greater than 1023 characters.'],
    ] as const)
      expectShareError(await post(body), 400, message);
    expectShareError(
      await manila().call('PUT', at, { metadata: {} }, { as: 'other' }),
      403,
      "Policy doesn't allow share:get to be performed.",
    );
  });

  it('belong to their project', async () => {
    const { path } = await manila().share();

    for (const [method, body] of [['GET'], ['DELETE'], ['PUT', { share: {} }]] as const)
      expectShareError(await manila().call(method, path, body, { as: 'other' }), 404, NOT_FOUND);
    expect((await manila().call('GET', path, undefined, { as: 'admin' })).json).toMatchObject({
      share: { host: expect.stringContaining('@'), share_server_id: null },
    });
  });
});
