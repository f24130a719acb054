import { VolumeSnapshotContents, VolumeSnapshots } from '@fairway/kube/kinds/volume-snapshots';
import { describe, expect, test } from 'vitest';
import { CLAIM_FINALIZER } from '../../volume-snapshots/snapshot-names.ts';
import { aContent, aSnapshot, aSnapshotClass } from '../../volume-snapshots/testing/objects.ts';
import { DRIVER } from '../../volumes/driver.ts';
import { aClaim } from '../../volumes/testing/objects.ts';
import { StorageFairway } from '../../volumes/testing/storage-fairway.ts';

/** A bound claim `data` of 5 GiB, and a class `fast`. */
async function begin(snapshotClass: Parameters<typeof aSnapshotClass>[0] = {}): Promise<StorageFairway> {
  const storage = await StorageFairway.start();
  await storage.create(aClaim());
  await storage.clock.pass(60_000);
  await storage.create(aSnapshotClass(snapshotClass));
  return storage;
}

/** A claim for a volume restored from the VolumeSnapshot `first`. */
function restoredClaim(storage = '5Gi', metadata: Parameters<typeof aClaim>[1] = {}): ReturnType<typeof aClaim> {
  const dataSource = { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'first' };
  return aClaim({ dataSource, resources: { requests: { storage } } }, { name: 'restored', ...metadata });
}

describe('a snapshot', () => {
  test('is created with the tags of its cluster, is restored, and is deleted with its VolumeSnapshot', async () => {
    await using storage = await begin();
    const { clock, clusterUid } = storage;
    const [volume] = await storage.volumes();

    await storage.create(aSnapshot());
    await clock.pass(60_000);
    const createdSnapshot = await storage.volumeSnapshot();
    const [content] = await storage.contents();
    const [snapshot, ...others] = await storage.snapshots();

    const name = `snapcontent-${createdSnapshot?.metadata.uid}`;
    expect(others).toEqual([]);
    expect(snapshot).toMatchObject({
      name: `snapshot-${createdSnapshot?.metadata.uid}`,
      status: 'available',
      volume_id: volume?.id,
      metadata: {
        'fairway.dev/managed-by': 'fairway',
        'fairway.dev/cluster': clusterUid,
        'fairway.dev/object': name,
        'fairway.dev/reclaim-policy': 'Delete',
        'cinder.csi.openstack.org/cluster': clusterUid,
        'csi.storage.k8s.io/volumesnapshot/name': 'first',
        'csi.storage.k8s.io/volumesnapshot/namespace': 'default',
        'csi.storage.k8s.io/volumesnapshotcontent/name': name,
      },
    });
    expect(content).toMatchObject({
      metadata: { name, finalizers: ['snapshot.storage.kubernetes.io/volumesnapshotcontent-bound-protection'] },
      spec: {
        driver: DRIVER,
        deletionPolicy: 'Delete',
        source: { volumeHandle: volume?.id },
        sourceVolumeMode: 'Filesystem',
        volumeSnapshotClassName: 'fast',
        volumeSnapshotRef: { namespace: 'default', name: 'first', uid: createdSnapshot?.metadata.uid },
      },
      status: { readyToUse: true, snapshotHandle: snapshot?.id, restoreSize: 5 * 2 ** 30 },
    });
    expect(createdSnapshot?.metadata.finalizers).toEqual([
      'snapshot.storage.kubernetes.io/volumesnapshot-as-source-protection',
      'snapshot.storage.kubernetes.io/volumesnapshot-bound-protection',
    ]);
    expect(createdSnapshot?.status).toMatchObject({
      readyToUse: true,
      boundVolumeSnapshotContentName: name,
      restoreSize: '5Gi',
      creationTime: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(Date.parse(createdSnapshot?.status?.creationTime ?? '')).toBe((content?.status?.creationTime ?? 0) / 1e6);
    expect((await storage.claim())?.metadata.finalizers ?? []).not.toContain(CLAIM_FINALIZER);
    expect(await storage.messages()).toEqual(
      expect.arrayContaining([
        'CreatingSnapshot: Waiting for a snapshot default/first to be created by the CSI driver.',
        'SnapshotCreated: Snapshot default/first was successfully created by the CSI driver.',
        'SnapshotReady: Snapshot default/first is ready to use.',
      ]),
    );

    await storage.create(restoredClaim('7Gi'));
    await clock.pass(60_000);
    const restored = (await storage.volumes()).find(({ id }) => id !== volume?.id);

    expect((await storage.claim('restored'))?.status).toMatchObject({ phase: 'Bound', capacity: { storage: '7Gi' } });
    expect(restored).toMatchObject({ size: 7, snapshot_id: snapshot?.id });

    await storage.deleteSnapshot();
    await clock.pass(60_000);

    expect(await storage.volumeSnapshot()).toBeUndefined();
    expect(await storage.contents()).toEqual([]);
    expect(await storage.snapshots()).toEqual([]);
    expect(await storage.volumes()).toHaveLength(2);
  });

  test('is kept with its content if retained, and is restored by another VolumeSnapshot', async () => {
    await using storage = await begin({ deletionPolicy: 'Retain' });
    const { clock, client } = storage;
    await storage.create(aSnapshot());
    await clock.pass(60_000);
    await storage.deleteSnapshot();
    await clock.pass(60_000);
    const [kept] = await storage.contents();
    const [snapshot] = await storage.snapshots();
    await client.resource(VolumeSnapshotContents).delete(kept?.metadata.name ?? '');
    await clock.pass(60_000);

    await storage.create(aContent({ source: { snapshotHandle: snapshot?.id ?? '' }, deletionPolicy: 'Delete' }));
    await storage.create(aSnapshot({ source: { volumeSnapshotContentName: 'kept' } }));
    await clock.pass(60_000);
    const again = await storage.volumeSnapshot();
    const [adopted, ...others] = await storage.contents();
    const [marked] = await storage.snapshots();

    expect(kept?.metadata.deletionTimestamp).toBeUndefined();
    expect(snapshot?.metadata['fairway.dev/reclaim-policy']).toBe('Retain');
    expect(again?.status).toMatchObject({
      readyToUse: true,
      boundVolumeSnapshotContentName: 'kept',
      restoreSize: '5Gi',
    });
    expect(adopted?.spec.volumeSnapshotRef.uid).toBe(again?.metadata.uid);
    expect(others).toEqual([]);
    expect(marked?.metadata['fairway.dev/reclaim-policy']).toBe('Delete');

    await storage.deleteSnapshot();
    await clock.pass(60_000);

    // It was created for a VolumeSnapshotContent of this cluster that no longer exists.
    expect(await storage.snapshots()).toEqual([]);
    expect(await storage.contents()).toEqual([]);
  });

  test('prevents the deletion of its volume until the snapshot is deleted', async () => {
    await using storage = await begin();
    const { clock } = storage;
    await storage.create(aSnapshot());
    await clock.pass(60_000);

    await storage.deleteClaim();
    await clock.pass(60_000);
    const held = await storage.volumes();
    const reported = await storage.messages();
    await storage.deleteSnapshot();
    await clock.pass(120_000);

    expect(held).toHaveLength(1);
    expect(reported.filter((text) => /^VolumeFailedDelete: .*it has snapshots/.test(text))).toHaveLength(1);
    expect(await storage.snapshots()).toEqual([]);
    expect(await storage.volumes()).toEqual([]);
    expect(await storage.persistentVolumes()).toEqual([]);
  });

  test('waits for its claim and its class, with the reason in its status', async () => {
    await using storage = await StorageFairway.start();
    const { clock, client } = storage;
    const source = { persistentVolumeClaimName: 'data' };
    await client.resource(VolumeSnapshots).create({ ...aSnapshot(), spec: { source } });
    await clock.pass(10_000);
    const withoutClaim = await storage.volumeSnapshot();
    await storage.create(aClaim());
    await clock.pass(60_000);
    const withoutClass = await storage.volumeSnapshot();
    await storage.create(
      aSnapshotClass({}, { annotations: { 'snapshot.storage.kubernetes.io/is-default-class': 'true' } }),
    );
    await clock.pass(60_000);

    expect(withoutClaim?.status?.error?.message).toMatch(/there is no PersistentVolumeClaim data/);
    expect(withoutClass?.status?.error?.message).toMatch(/no VolumeSnapshotClass .*is-default-class/);
    expect((await storage.volumeSnapshot())?.status).toMatchObject({ readyToUse: true, restoreSize: '5Gi' });
    expect((await storage.volumeSnapshot())?.status?.error).toBeUndefined();
  });

  test('leaves nothing behind if it is deleted while it is being created, and its claim can be deleted', async () => {
    await using storage = await begin();
    const { clock, fairway } = storage;
    const dropResponse = { kind: 'answer', status: 503, when: 'after' } as const;
    fairway.cloud.faults.add({ service: 'block-storage', method: 'POST', path: '/snapshots$', action: dropResponse });
    await storage.create(aSnapshot());
    await clock.pass(100);
    await storage.deleteSnapshot();
    await storage.deleteClaim();
    await clock.pass(300_000);

    expect(await storage.snapshots()).toEqual([]);
    expect(await storage.volumeSnapshot()).toBeUndefined();
    expect(await storage.contents()).toEqual([]);
    expect(await storage.claim()).toBeUndefined();
    expect(await storage.volumes()).toEqual([]);
  });

  test('is recreated if Cinder fails to create it', async () => {
    await using storage = await begin();
    const { clock, fairway } = storage;
    fairway.cloud.faults.add({ times: 3, action: { kind: 'volumeError', step: 'create' } });
    await storage.create(aSnapshot());
    await clock.pass(1_500);
    const failed = await storage.volumeSnapshot();
    await clock.pass(300_000);

    expect(failed?.status).toMatchObject({
      readyToUse: false,
      error: { message: expect.stringMatching(/Failed to create snapshot: .*status error/) },
    });
    expect((await storage.volumeSnapshot())?.status).toMatchObject({ readyToUse: true });
    expect((await storage.volumeSnapshot())?.status?.error).toBeUndefined();
    expect(await storage.snapshots()).toMatchObject([{ status: 'available' }]);
  });

  test('is reported if it is deleted in Cinder, and not recreated', async () => {
    await using storage = await begin();
    const { clock, fairway, client } = storage;
    await storage.create(aSnapshot());
    await clock.pass(60_000);
    const [snapshot] = await storage.snapshots();
    await clock.during(fairway.process.project.client.blockStorage.snapshots.delete(snapshot?.id ?? ''));
    await clock.pass(60_000);
    const [content] = await storage.contents();
    const value = { metadata: { annotations: { touched: 'yes' } } };
    await client.resource(VolumeSnapshotContents).patch(content?.metadata.name ?? '', { type: 'merge', value });
    await clock.pass(300_000);

    expect(await storage.snapshots()).toEqual([]);
    expect((await storage.volumeSnapshot())?.status).toMatchObject({
      readyToUse: false,
      error: { message: expect.stringMatching(/no longer exists/) },
    });
    await storage.deleteSnapshot();
    await clock.pass(120_000);
    expect(await storage.contents()).toEqual([]);
  });
});

describe('foreign snapshots', () => {
  test('can be restored from, and are not deleted', async () => {
    await using storage = await begin();
    const { clock, fairway, client } = storage;
    const { snapshots, volumes } = fairway.process.project.client.blockStorage;
    const own = await clock.during(volumes.create({ name: 'by hand', size: 1 }));
    await clock.pass(30_000);
    const manualSnapshot = await clock.during(snapshots.create({ name: 'by hand', volume_id: own.id }));
    await storage.create(aContent({ source: { snapshotHandle: manualSnapshot.id }, deletionPolicy: 'Delete' }));
    await storage.create(aSnapshot({ source: { volumeSnapshotContentName: 'kept' } }));
    await clock.pass(120_000);
    await storage.create(restoredClaim());
    await clock.pass(60_000);
    const restored = await storage.claim('restored');
    await storage.deleteSnapshot();
    await clock.pass(60_000);
    const reported = await storage.messages();
    const value = { spec: { deletionPolicy: 'Retain' } };
    await client.resource(VolumeSnapshotContents).patch('kept', { type: 'merge', value });
    await clock.pass(60_000);

    expect(restored?.status?.phase).toBe('Bound');
    expect(reported.some((text) => /^SnapshotDeleteError: .*was not created for this cluster/.test(text))).toBe(true);
    expect(await storage.snapshots()).toMatchObject([{ id: manualSnapshot.id, status: 'available', metadata: {} }]);
    expect(await storage.contents()).toEqual([]);
    expect(await storage.volumeSnapshot()).toBeUndefined();
  });

  test('are bound and deleted by the controller of their driver', async () => {
    await using storage = await begin();
    const { clock } = storage;
    const finalizers = ['snapshot.storage.kubernetes.io/volumesnapshot-bound-protection'];
    await storage.create(aSnapshot({ source: { volumeSnapshotContentName: 'kept' } }, { finalizers }));
    const { metadata } = (await storage.volumeSnapshot()) ?? {};
    const volumeSnapshotRef = { namespace: 'default', name: 'first', uid: metadata?.uid ?? '' };
    await storage.create(aContent({ driver: 'other', volumeSnapshotRef }));
    await clock.pass(60_000);
    await storage.deleteSnapshot();
    await clock.pass(120_000);

    const [content] = await storage.contents();
    expect((await storage.volumeSnapshot())?.metadata.finalizers).toEqual(finalizers);
    expect(content?.metadata.finalizers).toBeUndefined();
    expect(content?.status).toBeUndefined();
    expect(await storage.messages()).toContainEqual(expect.stringMatching(/^SnapshotNotServed: .* uses driver other/));
  });

  test('are not deleted when the status of a VolumeSnapshotContent references one', async () => {
    await using storage = await begin();
    const { clock, fairway, client } = storage;
    await storage.create(aSnapshot());
    await clock.pass(60_000);
    const [snapshot] = await storage.snapshots();
    const { snapshots } = fairway.process.project.client.blockStorage;
    const other = await clock.during(snapshots.create({ name: 'by hand', volume_id: snapshot?.volume_id ?? '' }));
    const [content] = await storage.contents();
    const value = { status: { snapshotHandle: other.id } };
    const options = { subresource: 'status' };
    await client
      .resource(VolumeSnapshotContents)
      .patch(content?.metadata.name ?? '', { type: 'merge', value }, options);
    await clock.pass(60_000);
    const during = await storage.snapshots();
    await storage.deleteSnapshot();
    await clock.pass(120_000);

    expect(new Set(during.map(({ id }) => id))).toEqual(new Set([snapshot?.id, other.id]));
    expect((await storage.snapshots()).map(({ id }) => id)).toEqual([other.id]);
  });

  test.each(['snapshotHandle', 'volumeHandle'] as const)('are not read by a %s of another cluster', async (field) => {
    await using storage = await begin();
    const { clock, fairway } = storage;
    const { snapshots, volumes } = fairway.process.project.client.blockStorage;
    const metadata = {
      'fairway.dev/managed-by': 'fairway',
      'fairway.dev/cluster': 'other',
      'fairway.dev/object': 'some',
    };
    const foreign = await clock.during(volumes.create({ name: 'foreign', size: 1, metadata }));
    await clock.pass(30_000);
    const snapshot = await clock.during(snapshots.create({ name: 'foreign', volume_id: foreign.id, metadata }));
    await clock.pass(30_000);

    const source = field === 'snapshotHandle' ? { snapshotHandle: snapshot.id } : { volumeHandle: foreign.id };
    const volumeSnapshotRef = { namespace: 'default', name: 'first', uid: 'some' };
    await storage.create(
      aContent({ source, volumeSnapshotRef, volumeSnapshotClassName: 'fast', deletionPolicy: 'Delete' }),
    );
    await clock.pass(60_000);
    const [content] = await storage.contents();
    await storage.client.resource(VolumeSnapshotContents).delete('kept');
    await clock.pass(60_000);

    expect(content?.status).toMatchObject({
      readyToUse: false,
      error: { message: expect.stringMatching(/belongs to another cluster/) },
    });
    expect(await storage.snapshots()).toHaveLength(1);
  });
});

describe('a claim from a snapshot', () => {
  test.each([
    {
      reason: 'is smaller than the snapshot',
      claim: restoredClaim('4Gi'),
      reportedText: /a snapshot needs at least its 5Gi/,
    },
    {
      reason: 'references another namespace',
      claim: aClaim(
        {
          dataSourceRef: {
            apiGroup: 'snapshot.storage.k8s.io',
            kind: 'VolumeSnapshot',
            name: 'first',
            namespace: 'other',
          },
        },
        { name: 'restored' },
      ),
      reportedText: /dataSourceRef.namespace is other/,
    },
  ])('is refused if it $reason', async ({ claim, reportedText }) => {
    await using storage = await begin();
    await storage.create(aSnapshot());
    await storage.clock.pass(60_000);

    await storage.create(claim);
    await storage.clock.pass(60_000);

    expect((await storage.messages()).some((text) => reportedText.test(text))).toBe(true);
    expect(await storage.volumes()).toHaveLength(1);
  });

  test('waits until it is ready', async () => {
    await using storage = await begin();
    const { clock } = storage;
    await storage.create(restoredClaim());
    await clock.pass(10_000);
    const before = await storage.messages();

    await storage.create(aSnapshot());
    await clock.pass(120_000);

    expect(before.some((text) => /there is no VolumeSnapshot first/.test(text))).toBe(true);
    expect((await storage.claim('restored'))?.status?.phase).toBe('Bound');
  });
});
