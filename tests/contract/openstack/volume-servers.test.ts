import { REIMAGE_MICROVERSION } from '@fairway/openstack/compute/servers';
import type { ServerCreate } from '@fairway/openstack/types/server';
import { expect, it } from 'vitest';
import { type ContractCloud, NO_SUCH_ID } from './contract-cloud.ts';
import { describeClouds } from './targets.ts';

type Device = NonNullable<ServerCreate['block_device_mapping_v2']>[number];

/** Creates a server whose disk is a volume created from an image, as for pools with `rootVolume`. */
describeClouds('servers on volumes', (cloud) => {
  it('boot from a volume that is created from an image and deleted with them', async () => {
    const { servers } = cloud().member.compute;
    const { id } = await servers.create(await request(cloud()));
    cloud().deferServer(id);

    const server = await cloud().waitUntilSettled(id);

    expect(server).toMatchObject({ status: 'ACTIVE', image: '' });
    expect(server['os-extended-volumes:volumes_attached']).toEqual([
      { id: expect.stringMatching(/^[0-9a-f-]{36}$/), delete_on_termination: true },
    ]);
    const [volume] = server['os-extended-volumes:volumes_attached'] ?? [];
    expect(await volumeStatus(cloud(), volume?.id ?? '')).toMatch(/^(in-use|no such service)$/);

    await servers.delete(id);
    await cloud().waitUntilDeleted(id);

    await cloud().waitUntil('the volume goes', async () => {
      const status = await volumeStatus(cloud(), volume?.id ?? '');
      return status === 'gone' || status === 'no such service' ? true : undefined;
    });
  });

  it('have a volume that can be named and tagged while it is in use', async ({ skip }) => {
    const { compute, blockStorage, session } = cloud().member;
    const { token } = await session.token();
    skip(!token.catalog.some(({ type }) => type === 'block-storage'), 'the cloud has no Cinder');
    const { id } = await compute.servers.create(await request(cloud()));
    cloud().deferServer(id);
    const server = await cloud().waitUntilSettled(id);
    const [volume] = server['os-extended-volumes:volumes_attached'] ?? [];
    const volumeId = volume?.id ?? '';

    const before = await blockStorage.volumes.get(volumeId);
    await blockStorage.volumes.mergeMetadata(volumeId, { 'example.com/machine': 'one' });
    const renamed = await blockStorage.volumes.rename(volumeId, `${server.name}-root`);

    expect(before).toMatchObject({ name: '', bootable: 'true' });
    expect(renamed).toMatchObject({ name: `${server.name}-root`, metadata: { 'example.com/machine': 'one' } });
    const marked = await Array.fromAsync(blockStorage.volumes.list({ metadata: { 'example.com/machine': 'one' } }));
    expect(marked.map((each) => each.id)).toContain(volumeId);
  });

  it('are rebuilt on the same volume', async () => {
    const { compute } = cloud().member;
    const { id } = await compute.servers.create(await request(cloud()));
    cloud().deferServer(id);
    const before = await cloud().waitUntilSettled(id);

    await compute.servers.rebuild(id, { imageRef: (await cloud().anyImage()).id }, { isVolumeBacked: true });
    const after = await cloud().waitUntilSettled(id);

    expect(await compute.supports(REIMAGE_MICROVERSION)).toBe(true);
    expect(after).toMatchObject({ status: 'ACTIVE', image: '' });
    expect(after['os-extended-volumes:volumes_attached']).toEqual(before['os-extended-volumes:volumes_attached']);
  });

  it.each<{ reason: string; message: RegExp; change: Partial<Device> }>([
    {
      reason: 'a volume from a missing image',
      message: new RegExp(`^Block Device Mapping is Invalid: failed to get image ${NO_SUCH_ID}\\.$`),
      change: { uuid: NO_SUCH_ID },
    },
    {
      reason: 'a volume without a size',
      message: /^Images with destination_type 'volume' need to have a non-zero size specified$/,
      change: { volume_size: undefined },
    },
    {
      reason: 'a volume of a missing type',
      message: /^Volume type nope could not be found\.$/,
      change: { volume_type: 'nope' },
    },
    {
      reason: 'a volume from a missing source',
      message: /^Invalid input for field\/attribute source_type\. Value: tape\. 'tape' is not one of \[/,
      change: { source_type: 'tape' as 'image' },
    },
  ])('are refused with $reason', async ({ message, change }) => {
    const { name, flavorRef, block_device_mapping_v2: [device] = [] } = await request(cloud(), change);
    const server = { name, flavorRef, networks: 'none', block_device_mapping_v2: [device] };

    const response = await cloud().raw('compute', 'POST', '/servers', { body: { server } });

    expect(response.json).toEqual({ badRequest: { code: 400, message: expect.stringMatching(message) } });
  });
});

async function request(cloud: ContractCloud, change: Partial<Device> = {}): Promise<ServerCreate> {
  const [flavor, image] = await Promise.all([cloud.smallestFlavor(), cloud.anyImage()]);
  const device: Device = {
    boot_index: 0,
    source_type: 'image',
    destination_type: 'volume',
    uuid: image.id,
    volume_size: Math.max(1, image.min_disk),
    delete_on_termination: true,
    ...change,
  };
  return { name: cloud.name(), flavorRef: flavor.id, networks: 'none', block_device_mapping_v2: [device] };
}

/** Cinder's state of a volume; `gone` for a 404, and `no such service` if the cloud has no Cinder. */
async function volumeStatus(cloud: ContractCloud, id: string): Promise<string> {
  const { token } = await cloud.member.session.token();
  if (!token.catalog.some(({ type }) => type === 'block-storage')) return 'no such service';
  const response = await cloud.raw('block-storage', 'GET', `/volumes/${id}`);
  if (response.status === 404) return 'gone';
  return String((response.json as { volume?: { status?: unknown } }).volume?.status);
}
