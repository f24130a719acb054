import { PersistentVolumes } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { SHARE_DRIVER } from '../../shares/driver.ts';
import { nodeAddressesOf, rulesOf, sharesOf, startShares } from '../../shares/testing/share-fairway.ts';
import { VOLUME_FINALIZER } from '../../volumes/driver.ts';
import { aClaim, aClass, aVolume } from '../../volumes/testing/objects.ts';

const READ_WRITE_MANY = { accessModes: ['ReadWriteMany'] };

test('uses a StorageClass of upstream’s chart', async () => {
  await using storage = await startShares({ provisioner: 'nfs.manila.csi.openstack.org' });

  await storage.create(aClaim(READ_WRITE_MANY));
  await storage.clock.pass(120_000);

  expect(await storage.claim()).toMatchObject({ status: { phase: 'Bound' } });
  expect(await sharesOf(storage)).toHaveLength(1);
});

test('creates a share for a claim with the tags of its cluster, grants nodes access, and deletes everything with the claim', async () => {
  await using storage = await startShares({ mountOptions: ['nfsvers=4.1'] });
  const { clock, clusterUid } = storage;

  await storage.create(aClaim(READ_WRITE_MANY));
  await clock.pass(120_000);
  const claim = await storage.claim();
  const [share, ...others] = await sharesOf(storage);
  const [volume] = await storage.persistentVolumes();

  const name = `pvc-${claim?.metadata.uid}`;
  expect(claim?.status).toMatchObject({ phase: 'Bound', capacity: { storage: '5Gi' } });
  expect(claim?.spec.volumeName).toBe(name);
  expect(others).toEqual([]);
  expect(share).toMatchObject({
    name,
    size: 5,
    status: 'available',
    share_proto: 'NFS',
    metadata: {
      'fairway.dev/managed-by': 'fairway',
      'fairway.dev/cluster': clusterUid,
      'fairway.dev/object': name,
      'fairway.dev/reclaim-policy': 'Delete',
      'manila.csi.openstack.org/cluster': clusterUid,
      'csi.storage.k8s.io/pvc/name': 'data',
      'csi.storage.k8s.io/pvc/namespace': 'default',
      'csi.storage.k8s.io/pv/name': name,
    },
  });
  expect(volume).toMatchObject({
    metadata: {
      name,
      annotations: { 'pv.kubernetes.io/provisioned-by': SHARE_DRIVER, 'fairway.dev/share': share?.id },
    },
    spec: {
      nfs: { server: '10.254.0.10', path: expect.stringMatching(/^\/shares\/share_/) },
      accessModes: ['ReadWriteMany'],
      mountOptions: ['nfsvers=4.1'],
      claimRef: { namespace: 'default', name: 'data', uid: claim?.metadata.uid },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'standard',
    },
  });
  expect(volume?.spec.csi).toBeUndefined();
  expect(volume?.metadata.finalizers).toContain(VOLUME_FINALIZER);
  expect(await rulesOf(storage, share?.id ?? '')).toMatchObject(
    (await nodeAddressesOf(storage)).map((address) => ({
      access_type: 'ip',
      access_to: address,
      access_level: 'rw',
      state: 'active',
      metadata: { 'fairway.dev/cluster': clusterUid },
    })),
  );
  expect(await storage.messages(SHARE_DRIVER)).toContain(
    `ProvisioningSucceeded: Successfully provisioned volume ${name}`,
  );

  await storage.deleteClaim();
  await clock.pass(120_000);

  expect(await sharesOf(storage)).toEqual([]);
  expect(await storage.persistentVolumes()).toEqual([]);
});

test('gives nodes read-only access for a read-only claim', async () => {
  await using storage = await startShares();
  await storage.create(aClaim({ accessModes: ['ReadOnlyMany'] }));
  await storage.clock.pass(120_000);

  const [share] = await sharesOf(storage);
  expect((await rulesOf(storage, share?.id ?? '')).map(({ access_level: level }) => level)).toEqual(['ro']);
  expect((await storage.persistentVolumes())[0]?.spec.nfs?.readOnly).toBe(true);
});

test('reports a claim that cannot be satisfied, and still creates Cinder volumes in the same cluster', async () => {
  await using storage = await startShares({ parameters: { 'cephfs-mounter': 'kernel' } });
  await storage.create(aClass({}, 'disks'));
  await storage.create(aClaim(READ_WRITE_MANY));
  await storage.create(aClaim({ storageClassName: 'disks' }, { name: 'disk' }));
  await storage.clock.pass(120_000);

  expect(await sharesOf(storage)).toEqual([]);
  expect((await storage.claim('disk'))?.status?.phase).toBe('Bound');
  expect(await storage.messages(SHARE_DRIVER)).toEqual([
    'ProvisioningFailed: StorageClass standard: parameter "cephfs-mounter" is for CephFS, but Fairway supports only NFS shares: remove it',
  ]);
});

test('keeps a retained share, and lets its PersistentVolume be deleted', async () => {
  await using storage = await startShares({ reclaimPolicy: 'Retain' });
  const { clock, client } = storage;
  await storage.create(aClaim(READ_WRITE_MANY));
  await clock.pass(120_000);

  await storage.deleteClaim();
  await clock.pass(60_000);
  const [released] = await storage.persistentVolumes();
  await client.resource(PersistentVolumes).delete(released?.metadata.name ?? '');
  await clock.pass(60_000);

  expect(released?.status?.phase).toBe('Released');
  expect(await storage.persistentVolumes()).toEqual([]);
  expect(await sharesOf(storage)).toMatchObject([
    { status: 'available', metadata: { 'fairway.dev/reclaim-policy': 'Retain' } },
  ]);
});

test('neither grants access to nor deletes a share that was not created for the PersistentVolume that refers to it', async () => {
  await using storage = await startShares();
  const { clock, fairway } = storage;
  const { shares } = fairway.process.project.client.sharedFileSystem;
  const own = await clock.during(shares.create({ name: 'by hand', size: 1, share_proto: 'NFS' }));
  const nfs = { server: '10.254.0.10', path: '/shares/by-hand' };
  const annotations = { 'pv.kubernetes.io/provisioned-by': SHARE_DRIVER, 'fairway.dev/share': own.id };
  const { csi: _, ...spec } = aVolume({ nfs, claimRef: { namespace: 'default', name: 'gone', uid: 'gone' } }).spec;
  await storage.create({
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'forged', annotations },
    spec,
  });
  await clock.pass(120_000);

  expect(await sharesOf(storage)).toMatchObject([{ id: own.id, status: 'available' }]);
  expect(await rulesOf(storage, own.id)).toEqual([]);
  expect(await storage.messages(SHARE_DRIVER)).toContainEqual(
    expect.stringMatching(/^VolumeFailedDelete: share .* was not created for this PersistentVolume/),
  );
});

test('reports how to convert a PersistentVolume of upstream’s driver', async () => {
  await using storage = await startShares();
  const csi = { driver: SHARE_DRIVER, volumeHandle: 'x', volumeAttributes: { shareID: 'x', shareAccessID: 'y' } };
  await storage.create(aVolume({ csi }, { metadata: { name: 'static', annotations: {}, finalizers: [] } }));
  await storage.clock.pass(60_000);

  expect(await storage.messages(SHARE_DRIVER)).toEqual([
    expect.stringMatching(/^VolumeNotServed: spec.csi refers to the upstream driver.* use spec.nfs/),
  ]);
});

test('leaves nothing behind if a claim is deleted while its share is being created', async () => {
  await using storage = await startShares();
  const dropResponse = { kind: 'answer', status: 503, when: 'after' } as const;
  storage.fairway.cloud.faults.add({
    service: 'shared-file-system',
    method: 'POST',
    path: '/shares$',
    action: dropResponse,
  });
  await storage.create(aClaim(READ_WRITE_MANY));
  await storage.clock.pass(100);
  await storage.deleteClaim();
  await storage.clock.pass(120_000);

  expect(await sharesOf(storage)).toEqual([]);
  expect(await storage.persistentVolumes()).toEqual([]);
});

test('continues after a restart without creating a second share', async () => {
  await using storage = await startShares();
  const { clock, fairway } = storage;
  await storage.create(aClaim(READ_WRITE_MANY));
  await clock.pass(1_000);
  const before = await sharesOf(storage);
  await clock.during(fairway.stopProcess());
  await clock.during(fairway.startProcess());
  await clock.pass(120_000);

  expect(before).toHaveLength(1);
  expect((await sharesOf(storage)).map(({ id }) => id)).toEqual(before.map(({ id }) => id));
  expect((await storage.claim())?.status?.phase).toBe('Bound');
});
