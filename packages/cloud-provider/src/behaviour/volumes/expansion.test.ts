import { PersistentVolumeClaims, PersistentVolumes } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { aClaim } from '../../volumes/testing/objects.ts';
import { StorageFairway } from '../../volumes/testing/storage-fairway.ts';

/** A bound claim of 5 GiB, in a class that allows expansion. */
async function start(spec: Parameters<typeof aClaim>[0] = {}): Promise<StorageFairway> {
  const storage = await StorageFairway.start({ allowVolumeExpansion: true });
  await storage.create(aClaim(spec));
  await storage.clock.pass(60_000);
  return storage;
}

async function grow({ client }: StorageFairway, storage: string): Promise<void> {
  const value = { spec: { resources: { requests: { storage } } } };
  await client.resource(PersistentVolumeClaims).patch('data', { type: 'merge', value }, { namespace: 'default' });
}

test('extends the volume of a claim that grows, and the node then expands its file system', async () => {
  await using storage = await start();
  await grow(storage, '8Gi');
  await storage.clock.pass(60_000);

  const claim = await storage.claim();
  expect(await storage.volumes()).toMatchObject([{ size: 8, status: 'available' }]);
  expect((await storage.persistentVolumes()).map(({ spec }) => spec.capacity)).toEqual([{ storage: '8Gi' }]);
  expect(claim?.status?.capacity).toEqual({ storage: '5Gi' });
  expect(claim?.status?.conditions).toMatchObject([{ type: 'FileSystemResizePending', status: 'True' }]);
  expect((await storage.messages()).filter((text) => /Resiz/.test(text))).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^Resizing: External resizer is resizing volume pvc-/),
      'FileSystemResizeRequired: Require file system resize of volume on node',
    ]),
  );
});

test('reports a size to the kubelet only after the server sees the volume at that size', async () => {
  await using storage = await start();
  const { clock, fairway } = storage;
  const { compute } = fairway.process.project.client;
  const [server] = await clock.during(Array.fromAsync(compute.servers.list()));
  const [volume] = await storage.volumes();
  await clock.during(compute.servers.attachVolume(server?.id ?? '', volume?.id ?? ''));
  await clock.pass(10_000);
  const capacity = async () => (await storage.persistentVolumes())[0]?.spec.capacity?.['storage'];

  await grow(storage, '8Gi');
  while ((await storage.volumes())[0]?.size !== 8) await clock.pass(1_000);
  await clock.pass(12_000);
  const before = await capacity();
  await clock.pass(30_000);

  expect([before, await capacity()]).toEqual(['5Gi', '8Gi']);
  expect((await storage.claim())?.status?.conditions).toMatchObject([{ type: 'FileSystemResizePending' }]);
  expect(await storage.volumes()).toMatchObject([{ status: 'in-use' }]);
});

test('expands a raw block device without involving a node', async () => {
  await using storage = await start({ volumeMode: 'Block' });
  await grow(storage, '8Gi');
  await storage.clock.pass(60_000);

  expect((await storage.claim())?.status).toMatchObject({ capacity: { storage: '8Gi' }, conditions: [] });
});

test('reports the quota that blocks the growth of a volume, makes few calls, and loses no data', async () => {
  await using storage = await start();
  const { cloud } = storage.fairway;
  cloud.setQuota('demo', { gigabytes: 6 });
  await grow(storage, '8Gi');
  await storage.clock.pass(60_000);
  const calls = await storage.callsIn(3_600_000);
  const reported = await storage.messages();
  cloud.setQuota('demo', { gigabytes: 100 });
  await storage.clock.pass(600_000);

  expect(reported).toContainEqual(
    expect.stringMatching(/^VolumeResizeFailed: .*quota exceeded for volumes in GiB: 5 of 6 used, 3 more requested/),
  );
  expect(calls).toBeLessThanOrEqual(60 * 6);
  expect(await storage.volumes()).toMatchObject([{ size: 8 }]);
});

test('reports who must act if Cinder could not extend a volume', async () => {
  await using storage = await start();
  storage.fairway.cloud.faults.add({ times: null, action: { kind: 'volumeError', step: 'extend' } });
  await grow(storage, '8Gi');
  await storage.clock.pass(120_000);
  const calls = await storage.callsIn(3_600_000);

  expect(await storage.messages()).toContainEqual(expect.stringMatching(/cloud operator must reset its status/));
  expect(calls).toBeLessThanOrEqual(60 * 6);
});

test('does not extend a volume that was not created for the PersistentVolume', async () => {
  await using storage = await start();
  const { clock, client, fairway } = storage;
  const { volumes } = fairway.process.project.client.blockStorage;
  const own = await clock.during(volumes.create({ name: 'by hand', size: 5 }));
  const [createdVolume] = await storage.persistentVolumes();
  const claim = await storage.claim();
  const forgedVolume = {
    ...createdVolume?.spec,
    claimRef: { namespace: 'default', name: 'other', uid: 'x' },
    csi: { driver: 'cinder.csi.openstack.org', volumeHandle: own.id },
  };
  await storage.create({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'forged' },
    spec: forgedVolume,
  });
  await storage.create(aClaim({ volumeName: 'forged' }, { name: 'other' }));
  const { metadata } = (await storage.claim('other')) ?? {};
  const value = { spec: { claimRef: { uid: metadata?.uid } } };
  await client.resource(PersistentVolumes).patch('forged', { type: 'merge', value });
  await clock.pass(30_000);
  const requested = { spec: { resources: { requests: { storage: '9Gi' } } } };
  await client
    .resource(PersistentVolumeClaims)
    .patch('other', { type: 'merge', value: requested }, { namespace: 'default' });
  await clock.pass(60_000);

  expect(claim?.status?.phase).toBe('Bound');
  expect((await storage.volumes()).map(({ size }) => size)).toEqual([5, 5]);
  expect(await storage.messages()).toContainEqual(
    expect.stringMatching(/^VolumeResizeFailed: .*was not created for this/),
  );
});

test('copies the other claim’s volume for a claim that references another claim', async () => {
  await using storage = await start();
  const dataSource = { kind: 'PersistentVolumeClaim', name: 'data' };
  await storage.create(aClaim({ dataSource, resources: { requests: { storage: '6Gi' } } }, { name: 'copy' }));
  await storage.create(aClaim({ dataSource, resources: { requests: { storage: '1Gi' } } }, { name: 'small' }));
  await storage.create(aClaim({ dataSource: { ...dataSource, name: 'none' } }, { name: 'orphan' }));
  await storage.create(
    aClaim({ dataSourceRef: { apiGroup: 'example.org', kind: 'Populator', name: 'x' } }, { name: 'other' }),
  );
  await storage.clock.pass(60_000);

  const volumes = await storage.volumes();
  const [source] = volumes.filter(({ size }) => size === 5);
  expect(volumes).toHaveLength(2);
  expect(volumes.find(({ size }) => size === 6)).toMatchObject({
    source_volid: source?.id,
    availability_zone: source?.availability_zone,
  });
  expect((await storage.claim('copy'))?.status?.phase).toBe('Bound');
  const reported = (await storage.messages()).filter((text) => text.startsWith('ProvisioningFailed'));
  expect(reported).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/1Gi, but a volume created from a volume needs at least its 5Gi/),
      expect.stringMatching(/there is no PersistentVolumeClaim none/),
      expect.stringMatching(
        /is a Populator: a volume can be created only from a PersistentVolumeClaim or a VolumeSnapshot/,
      ),
    ]),
  );
});
