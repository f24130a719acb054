import { expect, it } from 'vitest';
import { type ContractCloud, NO_SUCH_ID } from './contract-cloud.ts';
import { describeClouds } from './targets.ts';

const LATEST = { 'openstack-api-version': 'volume 3.70' };

interface Volume {
  readonly id: string;
  readonly status: string;
  readonly size: number;
  readonly attachments: readonly { readonly server_id: string; readonly attachment_id: string }[];
  readonly [field: string]: unknown;
}

/** Volumes, snapshots and attachments, with plain requests like those of CSI drivers. */
describeClouds('volumes', (cloud) => {
  it('are created, shown, renamed, labelled and deleted', async () => {
    const name = cloud().name();
    const created = await call(cloud(), 'POST', '/volumes', { volume: { size: 1, name, metadata: { a: 'b' } } });
    const volume = inner(created, 'volume');
    cloud().defer(() => deleteVolume(cloud(), volume.id));

    expect(created.status).toBe(202);
    expect(volume).toMatchObject({ status: 'creating', size: 1, name, bootable: 'false', encrypted: false });
    const available = await waitUntilStatus(cloud(), volume.id, 'available');
    expect(Object.keys(available).sort()).toEqual(FIELDS.toSorted());

    const renamed = await call(cloud(), 'PUT', `/volumes/${volume.id}`, { volume: { name: `${name}-2` } });
    expect(inner(renamed, 'volume')).toMatchObject({ name: `${name}-2`, metadata: { a: 'b' } });
    const labels = `/volumes/${volume.id}/metadata`;
    expect((await call(cloud(), 'POST', labels, { metadata: { c: 'd' } })).json).toEqual({
      metadata: { a: 'b', c: 'd' },
    });
    expect((await call(cloud(), 'PUT', labels, { metadata: { e: 'f' } })).json).toEqual({ metadata: { e: 'f' } });
    expect((await call(cloud(), 'DELETE', `${labels}/e`)).status).toBe(200);
    expect((await call(cloud(), 'GET', `${labels}/e`)).json).toEqual({
      itemNotFound: { code: 404, message: `Volume ${volume.id} has no metadata with key e.` },
    });
  });

  it('are listed by name, by metadata and in pages', async () => {
    const name = cloud().name();
    const [first, second] = [
      await makeVolume(cloud(), { name, metadata: { n: name } }),
      await makeVolume(cloud(), { name }),
    ];

    const byName = await call(cloud(), 'GET', `/volumes?name=${name}&sort=created_at:asc`);
    const byLabel = await call(cloud(), 'GET', `/volumes/detail?metadata=${encodeURIComponent(`{'n': '${name}'}`)}`);
    const page = await call(cloud(), 'GET', `/volumes?name=${name}&limit=1&with_count=true`);

    expect(ids(byName.json).toSorted()).toEqual([first, second].toSorted());
    expect(ids(byLabel.json)).toEqual([first]);
    const { volumes_links: links, count } = page.json as { volumes_links: { href: string }[]; count: number };
    expect(count).toBe(2);
    const next = new URL(links[0]?.href ?? '');
    expect(next.searchParams.get('marker')).toBe(ids(page.json)[0]);
    const rest = await call(cloud(), 'GET', `/volumes${next.search}`);
    expect([...ids(page.json), ...ids(rest.json)].toSorted()).toEqual([first, second].toSorted());
  });

  it.each(['/volumes/detail', '/snapshots/detail'])('cannot be listed by %s after a missing item', async (path) => {
    const { status } = await call(cloud(), 'GET', `${path}?limit=1&marker=${NO_SUCH_ID}`);

    expect(status).toBe(404);
  });

  it.each<{ reason: string; method: string; path: string; body?: object; status: number; message: string | RegExp }>([
    {
      reason: 'a missing volume',
      method: 'GET',
      path: `/volumes/${NO_SUCH_ID}`,
      status: 404,
      message: `Volume ${NO_SUCH_ID} could not be found.`,
    },
    {
      reason: 'a size of zero',
      method: 'POST',
      path: '/volumes',
      body: { volume: { size: 0 } },
      status: 400,
      message: 'Invalid input for field/attribute size. Value: 0. 0 is less than the minimum of 1',
    },
    {
      reason: 'a missing size',
      method: 'POST',
      path: '/volumes',
      body: { volume: {} },
      status: 400,
      message: 'The server could not comply with the request since it is either malformed or otherwise incorrect.',
    },
    {
      reason: 'a body without a volume',
      method: 'POST',
      path: '/volumes',
      body: {},
      status: 400,
      message: "'volume' is a required property",
    },
    {
      reason: 'a missing type',
      method: 'POST',
      path: '/volumes',
      body: { volume: { size: 1, volume_type: 'nope' } },
      status: 404,
      message: 'Volume type with name nope could not be found.',
    },
    {
      reason: 'a missing zone',
      method: 'POST',
      path: '/volumes',
      body: { volume: { size: 1, availability_zone: 'nope' } },
      status: 400,
      message: "Availability zone 'nope' is invalid.",
    },
    {
      reason: 'a missing image',
      method: 'POST',
      path: '/volumes',
      body: { volume: { size: 1, imageRef: 'nope' } },
      status: 400,
      message: 'Invalid image identifier or unable to access requested image.',
    },
    {
      reason: 'a missing snapshot',
      method: 'POST',
      path: '/volumes',
      body: { volume: { size: 1, snapshot_id: NO_SUCH_ID } },
      status: 404,
      message: `Snapshot ${NO_SUCH_ID} could not be found.`,
    },
    {
      reason: 'an unknown field',
      method: 'POST',
      path: '/volumes',
      body: { volume: { size: 1, nope: 1 } },
      status: 400,
      message:
        /^Invalid input for field\/attribute volume\. .*Additional properties are not allowed \('nope' was unexpected\)$/,
    },
    {
      reason: 'a label without a name',
      method: 'POST',
      path: '/volumes',
      body: { volume: { size: 1, metadata: { '': 'b' } } },
      status: 400,
      message:
        "Invalid input for field/attribute metadata. Value: {'': 'b'}. '' does not match any of the regexes: '^[a-zA-Z0-9-_:. /]{1,255}$'",
    },
    {
      reason: 'the legacy form of multiattach',
      method: 'POST',
      path: '/volumes',
      body: { volume: { size: 1, multiattach: true } },
      status: 400,
      message: /^multiattach parameter has been removed/,
    },
    {
      reason: 'an unknown filter',
      method: 'GET',
      path: '/volumes?nope=1',
      status: 400,
      message: 'Invalid filters nope are found in query options.',
    },
    {
      reason: 'a negative limit',
      method: 'GET',
      path: '/volumes?limit=-1',
      status: 400,
      message: 'limit param must be positive',
    },
    {
      reason: 'a missing marker',
      method: 'GET',
      path: '/volumes?marker=nope',
      status: 404,
      message: 'Volume nope could not be found.',
    },
    {
      reason: 'an unknown sort order',
      method: 'GET',
      path: '/volumes?sort=nope',
      status: 400,
      message: 'Invalid input received: Invalid sort key',
    },
    {
      reason: 'a snapshot of a missing volume',
      method: 'POST',
      path: '/snapshots',
      body: { snapshot: {} },
      status: 400,
      message: "Invalid input for field/attribute snapshot. Value: {}. 'volume_id' is a required property",
    },
    {
      reason: 'the services, unless requested by an administrator',
      method: 'GET',
      path: '/os-services',
      status: 403,
      message: "Policy doesn't allow volume_extension:services:index to be performed.",
    },
    {
      reason: 'the quotas of another project',
      method: 'GET',
      path: `/os-quota-sets/${NO_SUCH_ID}`,
      status: 403,
      message: "Policy doesn't allow volume_extension:quotas:show to be performed.",
    },
  ])('return $status for $reason', async ({ method, path, body, status, message }) => {
    const response = await call(cloud(), method, path, body);

    const [fault] = Object.values(response.json as Record<string, { code: number; message: string }>);
    expect(response.status).toBe(status);
    expect(Object.keys(fault ?? {})).toEqual(['code', 'message']);
    expect(fault?.message).toMatch(message);
  });

  it('are refused beyond the quota with 413, without creating any', async () => {
    const name = cloud().name();
    const limits = (await call(cloud(), 'GET', '/limits')).json as {
      limits: { absolute: { maxTotalVolumeGigabytes: number } };
    };
    const quota = limits.limits.absolute.maxTotalVolumeGigabytes;

    const response = await call(cloud(), 'POST', '/volumes', { volume: { size: quota + 1, name } });

    expect(response.status).toBe(413);
    expect(response.json).toEqual({
      overLimit: {
        code: 413,
        message: expect.stringMatching(
          new RegExp(
            `^VolumeSizeExceedsAvailableQuota: Requested volume or snapshot exceeds allowed gigabytes quota\\. Requested ${quota + 1}G, quota is ${quota}G and \\d+G has been consumed\\.$`,
          ),
        ),
        retryAfter: '0',
      },
    });
    expect(ids((await call(cloud(), 'GET', `/volumes?name=${name}`)).json)).toEqual([]);
  });

  it('grow, have snapshots, and can be restored and cloned', async () => {
    const id = await makeVolume(cloud(), { metadata: { a: 'b' } });
    const extend = (size: number) =>
      call(cloud(), 'POST', `/volumes/${id}/action`, { 'os-extend': { new_size: size } });
    expect((await extend(1)).json).toEqual({
      badRequest: {
        code: 400,
        message:
          'Invalid input received: New size for extend must be greater than current size. (current: 1, extended: 1).',
      },
    });
    expect((await extend(2)).status).toBe(202);
    expect(await waitUntilStatus(cloud(), id, 'available')).toMatchObject({ size: 2 });

    const snapshot = inner(await call(cloud(), 'POST', '/snapshots', { snapshot: { volume_id: id } }), 'snapshot');
    cloud().defer(() => deleteSnapshot(cloud(), snapshot.id));
    expect(snapshot).toMatchObject({ status: 'creating', size: 2, volume_id: id });
    await waitUntilStatus(cloud(), snapshot.id, 'available', 'snapshot');
    const tooSmall = await call(cloud(), 'POST', '/volumes', { volume: { size: 1, snapshot_id: snapshot.id } });
    expect(tooSmall.json).toEqual({
      badRequest: {
        code: 400,
        message:
          "Invalid input received: Volume size '1'GB cannot be smaller than the snapshot size 2GB. They must be >= original snapshot size.",
      },
    });
    expect((await call(cloud(), 'DELETE', `/volumes/${id}`)).json).toEqual({
      badRequest: {
        code: 400,
        message: expect.stringMatching(/^Invalid volume: Volume status must be .*have snapshots/),
      },
    });

    const restored = await makeVolume(cloud(), { size: undefined, snapshot_id: snapshot.id });
    const cloned = await makeVolume(cloud(), { size: undefined, source_volid: id });

    expect(await show(cloud(), restored)).toMatchObject({ size: 2, snapshot_id: snapshot.id, source_volid: null });
    expect(await show(cloud(), cloned)).toMatchObject({ size: 2, snapshot_id: null, source_volid: id });
  });

  it('are attached to a server and detached, as both Cinder and Nova report', async () => {
    const [serverId, id] = [await makeServer(cloud()), await makeVolume(cloud())];
    const path = `/servers/${serverId}/os-volume_attachments`;

    const attached = await cloud().raw('compute', 'POST', path, { body: { volumeAttachment: { volumeId: id } } });

    expect(attached.status).toBe(200);
    expect(attached.json).toEqual({
      volumeAttachment: {
        id,
        volumeId: id,
        serverId,
        device: expect.stringMatching(/^\/dev\/[sv]db$/),
        tag: null,
        delete_on_termination: false,
      },
    });
    const volume = await waitUntilStatus(cloud(), id, 'in-use');
    const [attachment] = volume.attachments;
    expect(attachment).toMatchObject({ id, volume_id: id, server_id: serverId, host_name: null });
    expect((await cloud().raw('compute', 'GET', path)).json).toEqual({
      volumeAttachments: [
        {
          volumeId: id,
          serverId,
          device: expect.any(String),
          tag: null,
          delete_on_termination: false,
          attachment_id: attachment?.attachment_id,
          bdm_uuid: expect.any(String),
        },
      ],
    });
    expect((await call(cloud(), 'GET', `/attachments?instance_id=${serverId}`)).json).toEqual({
      attachments: [{ id: attachment?.attachment_id, status: 'attached', instance: serverId, volume_id: id }],
    });

    const again = await cloud().raw('compute', 'POST', path, { body: { volumeAttachment: { volumeId: id } } });
    expect(again.json).toEqual({
      badRequest: {
        code: 400,
        message: `Invalid volume: volume ${id} is already attached to instances: ${serverId}`,
      },
    });
    expect((await call(cloud(), 'DELETE', `/volumes/${id}`)).status).toBe(400);
    expect((await call(cloud(), 'DELETE', `/attachments/${attachment?.attachment_id}`)).json).toEqual({
      conflictingRequest: {
        code: 409,
        message: `ConflictNovaUsingAttachment: Detach volume from instance ${serverId} using the Compute API`,
      },
    });

    const extend = (version: string) =>
      call(cloud(), 'POST', `/volumes/${id}/action`, { 'os-extend': { new_size: 2 } }, version);
    expect((await extend('3.41')).json).toEqual({
      badRequest: {
        code: 400,
        message: `Invalid volume: Volume ${id} status must be '{'status': 'available'}' to extend, currently in-use.`,
      },
    });
    expect((await extend('3.42')).status).toBe(202);
    expect(await waitUntilStatus(cloud(), id, 'in-use')).toMatchObject({ size: 2 });

    expect((await cloud().raw('compute', 'DELETE', `${path}/${id}`)).status).toBe(202);
    expect(await waitUntilStatus(cloud(), id, 'available')).toMatchObject({ attachments: [] });
    await cloud().waitUntil('the server forgets it', async () => {
      const { json } = await cloud().raw('compute', 'GET', path);
      return (json as { volumeAttachments: unknown[] }).volumeAttachments.length === 0 ? true : undefined;
    });
    expect((await cloud().raw('compute', 'DELETE', `${path}/${id}`)).json).toEqual({
      itemNotFound: { code: 404, message: `Instance ${serverId} is not attached to volume ${id}` },
    });
  });

  it('are available again, or deleted if so configured, when their server is deleted', async () => {
    const serverId = await makeServer(cloud());
    const [kept, deletingId] = [await makeVolume(cloud()), await makeVolume(cloud())];
    const path = `/servers/${serverId}/os-volume_attachments`;
    for (const [id, deletesWithServer] of [[kept, false] as const, [deletingId, true] as const]) {
      const volumeAttachment = { volumeId: id, delete_on_termination: deletesWithServer };
      await cloud().raw('compute', 'POST', path, { body: { volumeAttachment } });
      await waitUntilStatus(cloud(), id, 'in-use');
    }

    await cloud().member.compute.servers.delete(serverId);
    await cloud().waitUntilDeleted(serverId);

    expect(await waitUntilStatus(cloud(), kept, 'available')).toMatchObject({ attachments: [] });
    await cloud().waitUntil('the volume goes', async () => {
      const { status } = await call(cloud(), 'GET', `/volumes/${deletingId}`);
      return status === 404 ? true : undefined;
    });
  });

  it('can be reserved and connected by clients other than Nova', async () => {
    const id = await makeVolume(cloud());
    const reserved = inner(
      await call(cloud(), 'POST', '/attachments', { attachment: { volume_uuid: id } }),
      'attachment',
    );

    expect(reserved).toEqual({
      id: expect.any(String),
      status: 'reserved',
      instance: null,
      volume_id: id,
      attached_at: '',
      detached_at: '',
      attach_mode: 'null',
      connection_info: {},
    });
    expect((await show(cloud(), id)).status).toBe('reserved');
    expect((await call(cloud(), 'POST', '/attachments', { attachment: { volume_uuid: id } })).json).toEqual({
      badRequest: {
        code: 400,
        message: `Invalid volume: Volume ${id} status must be available or downloading to reserve, but the current status is reserved.`,
      },
    });
    const connector = {
      host: 'h',
      ip: '192.0.2.1',
      initiator: 'iqn.x',
      platform: 'x86_64',
      os_type: 'linux',
      multipath: false,
      mountpoint: '/dev/vdz',
    };
    const path = `/attachments/${reserved.id}`;
    expect((await call(cloud(), 'PUT', path, { attachment: { connector } })).status).toBe(200);
    expect((await show(cloud(), id)).status).toBe('attaching');
    expect((await call(cloud(), 'POST', `${path}/action`, { 'os-complete': reserved.id })).status).toBe(204);
    expect(await show(cloud(), id)).toMatchObject({ status: 'in-use', attachments: [{ device: '/dev/vdz' }] });
    expect((await call(cloud(), 'DELETE', path)).json).toEqual({ attachments: [] });
    expect((await show(cloud(), id)).status).toBe('available');
  });

  it('belong to the project in the path, which may be omitted', async () => {
    const endpoint = await cloud().member.session.endpoint('block-storage');
    const token = (await cloud().member.session.token()).id;
    const root = endpoint.replace(/\/v3\/.*$/, '/v3');
    const get = (path: string) =>
      cloud().fetch(`${root}${path}`, 'GET', { headers: { ...LATEST, 'x-auth-token': token } });

    expect((await get('/volumes')).status).toBe(200);
    expect((await get(`/${NO_SUCH_ID.replaceAll('-', '')}/volumes`)).json).toEqual({
      badRequest: { code: 400, message: 'Malformed request url' },
    });
  });
});

const FIELDS = [
  'id',
  'status',
  'size',
  'availability_zone',
  'created_at',
  'updated_at',
  'name',
  'description',
  'volume_type',
  'snapshot_id',
  'source_volid',
  'metadata',
  'links',
  'user_id',
  'bootable',
  'encrypted',
  'replication_status',
  'consistencygroup_id',
  'multiattach',
  'attachments',
  'group_id',
  'shared_targets',
  'service_uuid',
  'volume_type_id',
  'consumes_quota',
  'os-vol-tenant-attr:tenant_id',
];

function call(cloud: ContractCloud, method: string, path: string, body?: object, version = '3.70') {
  const headers = { 'openstack-api-version': `volume ${version}` };
  return cloud.raw('block-storage', method, path, { headers, ...(body && { body }) });
}

function inner(response: { readonly json: unknown }, key: string): Volume {
  const object = (response.json as Record<string, Volume>)[key];
  if (object === undefined) throw new Error(`no ${key} in ${JSON.stringify(response.json)}`);
  return object;
}

function ids(json: unknown): string[] {
  return (json as { volumes: { id: string }[] }).volumes.map(({ id }) => id);
}

async function show(cloud: ContractCloud, id: string, what = 'volume'): Promise<Volume> {
  return inner(await call(cloud, 'GET', `/${what}s/${id}`), what);
}

async function waitUntilStatus(cloud: ContractCloud, id: string, status: string, what = 'volume'): Promise<Volume> {
  return cloud.waitUntil(`${what} ${id} is ${status}`, async () => {
    const object = await show(cloud, id, what);
    if (object.status === 'error') throw new Error(`${what} ${id} is in error`);
    return object.status === status ? object : undefined;
  });
}

/** Creates an available volume of 1 GiB, deleted after the test. */
async function makeVolume(cloud: ContractCloud, fields: object = {}): Promise<string> {
  const { id } = inner(
    await call(cloud, 'POST', '/volumes', { volume: { size: 1, name: cloud.name(), ...fields } }),
    'volume',
  );
  cloud.defer(() => deleteVolume(cloud, id));
  await waitUntilStatus(cloud, id, 'available');
  return id;
}

async function deleteVolume(cloud: ContractCloud, id: string): Promise<void> {
  await cloud.waitUntil(`volume ${id} is deleted`, async () => {
    const { status } = await call(cloud, 'DELETE', `/volumes/${id}?cascade=true`);
    return status === 404 ? true : undefined;
  });
}

async function deleteSnapshot(cloud: ContractCloud, id: string): Promise<void> {
  await cloud.waitUntil(`snapshot ${id} is deleted`, async () => {
    const { status } = await call(cloud, 'DELETE', `/snapshots/${id}`);
    return status === 404 ? true : undefined;
  });
}

async function makeServer(cloud: ContractCloud): Promise<string> {
  const [flavor, image] = await Promise.all([cloud.smallestFlavor(), cloud.anyImage()]);
  const server = { name: cloud.name(), flavorRef: flavor.id, imageRef: image.id, networks: 'none' as const };
  const { id } = await cloud.member.compute.servers.create(server);
  cloud.deferServer(id);
  await cloud.waitUntilSettled(id);
  return id;
}
