import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { make, NEWEST, runAction, show } from '../../block-storage/test-volumes.ts';
import { NO_LATENCY } from '../../http/latency.ts';
import { startTestCloud, type TestCloud } from '../../test-cloud.ts';
import { imageId, LATEST, makeServer, showServer } from '../../test-resources.ts';

const SECOND_MS = 1000;

let test: TestCloud;
beforeEach(async () => {
  test = await startTestCloud({
    maxDisksPerServer: 3,
    latency: {
      operations: {},
      lifecycle: {
        ...NO_LATENCY.lifecycle,
        createVolume: SECOND_MS,
        deleteVolume: SECOND_MS,
        extendVolume: SECOND_MS,
        retypeVolume: SECOND_MS,
        attachVolume: SECOND_MS,
        detachVolume: SECOND_MS,
        createSnapshot: SECOND_MS,
        deleteSnapshot: SECOND_MS,
      },
    },
  });
});
afterEach(() => test.cloud.close());

const volumes = '/volume/v3/volumes';

async function available(fields: object = {}): Promise<string> {
  const { id } = await make(test.demo, 'volume', { size: 1, ...fields });
  await test.clock.advance(SECOND_MS);
  return id;
}

async function running(): Promise<string> {
  const { id } = await makeServer(test.demo);
  await test.clock.advance(1);
  return id;
}

const attach = (server: string, volumeId: string, headers: Readonly<Record<string, string>> = LATEST) =>
  test.demo.call(
    'POST',
    `/compute/v2.1/servers/${server}/os-volume_attachments`,
    { volumeAttachment: { volumeId } },
    headers,
  );

describe('a volume', () => {
  it.each<{ action: object; during: string; after: object }>([
    { action: { 'os-extend': { new_size: 5 } }, during: 'extending', after: { status: 'available', size: 5 } },
    {
      action: { 'os-retype': { new_type: 'high-speed' } },
      during: 'retyping',
      after: { status: 'available', volume_type: 'high-speed' },
    },
    { action: { 'os-reserve': {} }, during: 'attaching', after: { status: 'attaching' } },
    { action: { 'os-unreserve': {} }, during: 'available', after: { status: 'available' } },
    {
      action: { 'os-attach': { instance_uuid: '11111111-1111-4111-8111-111111111111', mountpoint: '/dev/vdc' } },
      during: 'in-use',
      after: { status: 'in-use', attachments: [expect.objectContaining({ device: '/dev/vdc' })] },
    },
  ])('is $during during the action $action', async ({ action, during, after }) => {
    const id = await available();

    expect((await runAction(test.demo, id, action)).status).toBe(202);

    expect(await show(test.demo, 'volume', id)).toMatchObject({ status: during });
    await test.clock.advance(SECOND_MS);
    expect(await show(test.demo, 'volume', id)).toMatchObject(after);
  });

  it('is created, and deleted with its snapshots on request', async () => {
    const { id } = await make(test.demo, 'volume', { size: 1 });
    expect(await show(test.demo, 'volume', id)).toMatchObject({ status: 'creating' });
    await test.clock.advance(SECOND_MS);
    await make(test.demo, 'snapshot', { volume_id: id });
    await test.clock.advance(SECOND_MS);

    const alone = await test.demo.call('DELETE', `${volumes}/${id}`, undefined, NEWEST);
    const cascade = await test.demo.call('DELETE', `${volumes}/${id}?cascade=true`, undefined, NEWEST);

    expect([alone.status, cascade.status]).toEqual([400, 202]);
    expect(await show(test.demo, 'volume', id)).toMatchObject({ status: 'deleting' });
    await test.clock.advance(SECOND_MS);
    expect((await test.demo.call('GET', `${volumes}/${id}`)).status).toBe(404);
    expect((await test.demo.call('GET', '/volume/v3/snapshots')).body).toEqual({ snapshots: [] });
  });

  it('continues its last operation after a restart', async () => {
    const id = await available();
    await runAction(test.demo, id, { 'os-extend': { new_size: 2 } });
    const savedState = test.cloud.snapshot();
    await test.clock.advance(SECOND_MS);

    test.cloud.restore(savedState);

    expect(await show(test.demo, 'volume', id)).toMatchObject({ status: 'extending', size: 1 });
    await test.clock.advance(1);
    expect(await show(test.demo, 'volume', id)).toMatchObject({ status: 'available', size: 2 });
  });

  it('is not visible to another project', async () => {
    const id = await available();
    expect((await test.other.call('GET', `${volumes}/${id}`)).status).toBe(404);
    expect((await test.other.call('DELETE', `${volumes}/${id}`)).status).toBe(404);
    expect((await runAction(test.other, id, { 'os-reserve': {} })).status).toBe(404);
    expect((await test.reader.call('DELETE', `${volumes}/${id}`)).body).toEqual({
      forbidden: { code: 403, message: "Policy doesn't allow volume:delete to be performed." },
    });
    expect((await test.admin.call('GET', `${volumes}?all_tenants=1`)).body['volumes']).toMatchObject([{ id }]);
  });

  it('can have its status reset only by administrators', async () => {
    const id = await available();
    const action = { 'os-reset_status': { status: 'error' } };

    expect((await runAction(test.demo, id, action)).status).toBe(403);
    expect((await runAction(test.admin, id, action)).status).toBe(202);
    expect(await show(test.demo, 'volume', id)).toMatchObject({ status: 'error' });
    expect((await test.demo.call('DELETE', `${volumes}/${id}`)).status).toBe(202);
  });

  it('has an encryption key if its type is encrypted', async () => {
    const id = await available({ volume_type: 'classic-luks' });

    expect(await show(test.demo, 'volume', id)).toMatchObject({
      encrypted: true,
      encryption_key_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
  });
});

describe('quotas', () => {
  it.each<{ limits: Record<string, number>; volume: object; kind: string }>([
    { limits: { volumes: 1 }, volume: {}, kind: 'VolumeLimitExceeded' },
    { limits: { gigabytes: 2 }, volume: { size: 2 }, kind: 'VolumeSizeExceedsAvailableQuota' },
    { limits: { gigabytes_classic: 2 }, volume: { size: 2 }, kind: 'VolumeSizeExceedsAvailableQuota' },
    { limits: { volumes_classic: 1 }, volume: {}, kind: 'VolumeLimitExceeded' },
    { limits: { per_volume_gigabytes: 3 }, volume: { size: 4 }, kind: 'VolumeSizeExceedsLimit' },
  ])('refuse the volume $volume with the limits $limits', async ({ limits, volume, kind }) => {
    await available();
    test.cloud.setQuota('demo', limits);

    const response = await test.demo.call('POST', volumes, { volume: { size: 1, ...volume } }, NEWEST);

    expect(response.status).toBe(413);
    expect(response.headers.get('retry-after')).toBe('0');
    expect(response.body['overLimit']).toMatchObject({ message: expect.stringMatching(new RegExp(`^${kind}: `)) });
  });

  it('count extensions of a volume, and snapshots', async () => {
    const id = await available();
    await runAction(test.demo, id, { 'os-extend': { new_size: 5 } });
    const limits = async () => {
      const { body } = await test.demo.call('GET', '/volume/v3/limits');
      return body['limits']?.['absolute'];
    };

    expect(await limits()).toMatchObject({ totalVolumesUsed: 1, totalGigabytesUsed: 5 });
    await test.clock.advance(SECOND_MS);
    await make(test.demo, 'snapshot', { volume_id: id });
    expect(await limits()).toMatchObject({ totalSnapshotsUsed: 1, totalGigabytesUsed: 10 });
  });
});

describe('a server', () => {
  it('lists a volume from attachment to detachment', async () => {
    const [server, id] = [await running(), await available()];

    expect((await attach(server, id)).body['volumeAttachment']).toMatchObject({ device: '/dev/vdb' });
    expect(await show(test.demo, 'volume', id)).toMatchObject({ status: 'reserved', attachments: [] });
    await test.clock.advance(SECOND_MS);
    expect(await show(test.demo, 'volume', id)).toMatchObject({
      status: 'in-use',
      attachments: [{ server_id: server, device: '/dev/vdb' }],
    });
    const path = `/compute/v2.1/servers/${server}/os-volume_attachments/${id}`;
    expect((await test.demo.call('DELETE', path, undefined, LATEST)).status).toBe(202);
    expect(await show(test.demo, 'volume', id)).toMatchObject({ status: 'detaching' });
    await test.clock.advance(SECOND_MS);
    expect(await show(test.demo, 'volume', id)).toMatchObject({ status: 'available', attachments: [] });
    expect((await test.demo.call('GET', path, undefined, LATEST)).status).toBe(404);
  });

  it('has at most as many disks as the cloud allows', async () => {
    const server = await running();
    const [a, b, c] = [await available(), await available(), await available()];

    const responses = [await attach(server, a), await attach(server, b), await attach(server, c)];

    expect(responses.map(({ status }) => status)).toEqual([200, 200, 403]);
    expect(responses[2]?.body).toEqual({
      forbidden: {
        code: 403,
        message: 'The maximum allowed number of disk devices (3) to attach to a single instance has been exceeded.',
      },
    });
    expect(await show(test.demo, 'volume', c)).toMatchObject({ status: 'available' });
  });

  it('shares a volume of a multiattach type with another server', async () => {
    const [one, two] = [await running(), await running()];
    const id = await available({ volume_type: 'classic-multiattach' });

    expect((await attach(one, id, { 'OpenStack-API-Version': 'compute 2.59' })).status).toBe(400);
    expect((await attach(one, id)).status).toBe(200);
    await test.clock.advance(SECOND_MS);
    expect((await attach(two, id)).status).toBe(200);
    await test.clock.advance(SECOND_MS);
    expect(await show(test.demo, 'volume', id)).toMatchObject({ status: 'in-use', multiattach: true });

    await test.demo.call('DELETE', `/compute/v2.1/servers/${one}`);
    await test.clock.advance(SECOND_MS);
    expect(await show(test.demo, 'volume', id)).toMatchObject({
      status: 'in-use',
      attachments: [{ server_id: two }],
    });
  });

  it('fails to build if its volume exceeds the quota', async () => {
    test.cloud.setQuota('demo', { gigabytes: 5 });
    const device = { boot_index: 0, source_type: 'image', destination_type: 'volume', volume_size: 10 };
    const block_device_mapping_v2 = [{ ...device, uuid: imageId('Debian 12'), delete_on_termination: true }];
    const { id } = await makeServer(test.demo, { imageRef: undefined, block_device_mapping_v2 });

    await test.clock.advance(1);

    const server = await showServer(test.demo, id);
    expect(server).toMatchObject({
      status: 'ERROR',
      fault: { message: expect.stringContaining('VolumeSizeExceedsAvailableQuota') },
    });
    expect((await test.demo.call('GET', volumes)).body).toEqual({ volumes: [] });
  });

  it('boots from an existing volume, which cannot be detached', async () => {
    const id = await available({ size: 10, imageRef: imageId('Debian 12') });
    const device = { boot_index: 0, source_type: 'volume', destination_type: 'volume', uuid: id };
    const server = await makeServer(test.demo, { imageRef: undefined, block_device_mapping_v2: [device] });
    expect(await show(test.demo, 'volume', id)).toMatchObject({ status: 'reserved', bootable: 'true' });

    await test.clock.advance(1);

    expect(await show(test.demo, 'volume', id)).toMatchObject({
      status: 'in-use',
      attachments: [{ server_id: server.id, device: '/dev/vda' }],
    });
    const path = `/compute/v2.1/servers/${server.id}/os-volume_attachments/${id}`;
    expect((await test.demo.call('DELETE', path, undefined, LATEST)).body).toEqual({
      badRequest: { code: 400, message: 'Cannot detach a root device volume' },
    });
  });
});
