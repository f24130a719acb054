import { Nodes, PersistentVolumeClaims, PersistentVolumes } from '@fairway/kube/kinds/resources';
import { DEFAULT_CONFIG } from '@fairway/simulator/default-config';
import { expect, test } from 'vitest';
import { DRIVER, SELECTED_NODE_ANNOTATION, VOLUME_FINALIZER } from '../../volumes/driver.ts';
import { aClaim, aVolume } from '../../volumes/testing/objects.ts';
import { StorageFairway } from '../../volumes/testing/storage-fairway.ts';

test('creates a volume for a claim with the tags of its cluster, and deletes the volume and its PersistentVolume with the claim', async () => {
  await using storage = await StorageFairway.start();
  const { clock, clusterUid } = storage;

  await storage.create(aClaim());
  await clock.pass(60_000);
  const claim = await storage.claim();
  const [volume, ...others] = await storage.volumes();
  const [persistentVolume] = await storage.persistentVolumes();

  const name = `pvc-${claim?.metadata.uid}`;
  expect(claim?.status).toMatchObject({ phase: 'Bound', capacity: { storage: '5Gi' } });
  expect(claim?.spec.volumeName).toBe(name);
  expect(others).toEqual([]);
  expect(volume).toMatchObject({
    name,
    size: 5,
    status: 'available',
    metadata: {
      'fairway.dev/managed-by': 'fairway',
      'fairway.dev/cluster': clusterUid,
      'fairway.dev/object': name,
      'fairway.dev/reclaim-policy': 'Delete',
      'cinder.csi.openstack.org/cluster': clusterUid,
      'csi.storage.k8s.io/pvc/name': 'data',
      'csi.storage.k8s.io/pvc/namespace': 'default',
      'csi.storage.k8s.io/pv/name': name,
    },
  });
  expect(persistentVolume).toMatchObject({
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': DRIVER } },
    spec: {
      csi: { driver: DRIVER, volumeHandle: volume?.id, fsType: 'ext4' },
      claimRef: { namespace: 'default', name: 'data', uid: claim?.metadata.uid },
      persistentVolumeReclaimPolicy: 'Delete',
      storageClassName: 'standard',
      volumeMode: 'Filesystem',
    },
  });
  expect(persistentVolume?.metadata.finalizers).toContain(VOLUME_FINALIZER);
  expect(await storage.messages()).toContain(`ProvisioningSucceeded: Successfully provisioned volume ${name}`);

  await storage.deleteClaim();
  await clock.pass(60_000);

  expect(await storage.volumes()).toEqual([]);
  expect(await storage.persistentVolumes()).toEqual([]);
});

test('creates the volume of a claim that waits for its pod in the zone of the pod’s node', async () => {
  await using storage = await StorageFairway.start({ volumeBindingMode: 'WaitForFirstConsumer' });
  const { clock, client } = storage;
  const { items: nodes } = await client.resource(Nodes).list();
  const node = nodes[0]?.metadata;

  await storage.create(aClaim());
  await clock.pass(30_000);
  const before = await storage.volumes();
  const value = { metadata: { annotations: { [SELECTED_NODE_ANNOTATION]: node?.name } } };
  await client.resource(PersistentVolumeClaims).patch('data', { type: 'merge', value }, { namespace: 'default' });
  await clock.pass(30_000);

  const zone = node?.labels?.['topology.kubernetes.io/zone'];
  const [volume] = await storage.volumes();
  const [persistentVolume] = await storage.persistentVolumes();
  expect(before).toEqual([]);
  expect(zone).toMatch(/nova/);
  expect(volume?.availability_zone).toBe(zone);
  expect(persistentVolume?.spec.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
    { matchExpressions: [{ key: 'topology.cinder.csi.openstack.org/zone', operator: 'In', values: [zone] }] },
  ]);
});

test('creates a volume in a zone whose name is not a valid label, with the label as topology', async () => {
  const [spec] = DEFAULT_CONFIG.zones;
  const zones = spec ? [{ ...spec, name: 'AZ 1' }] : [];
  await using storage = await StorageFairway.start({ volumeBindingMode: 'WaitForFirstConsumer' }, { cloud: { zones } });
  const { items: nodes } = await storage.client.resource(Nodes).list();
  const node = nodes[0]?.metadata;

  await storage.create(aClaim({}, { annotations: { [SELECTED_NODE_ANNOTATION]: node?.name ?? '' } }));
  await storage.clock.pass(30_000);

  expect(node?.labels?.['topology.kubernetes.io/zone']).toBe('AZ-1');
  expect((await storage.volumes()).map(({ availability_zone }) => availability_zone)).toEqual(['AZ 1']);
  const [persistentVolume] = await storage.persistentVolumes();
  expect(persistentVolume?.spec.nodeAffinity?.required?.nodeSelectorTerms).toEqual([
    { matchExpressions: [{ key: 'topology.cinder.csi.openstack.org/zone', operator: 'In', values: ['AZ-1'] }] },
  ]);
});

test('hands a claim back to the scheduler if its selected node was deleted', async () => {
  await using storage = await StorageFairway.start({ volumeBindingMode: 'WaitForFirstConsumer' });

  await storage.create(aClaim({}, { annotations: { [SELECTED_NODE_ANNOTATION]: 'gone' } }));
  await storage.clock.pass(30_000);

  expect((await storage.claim())?.metadata.annotations?.[SELECTED_NODE_ANNOTATION]).toBeUndefined();
  expect(await storage.volumes()).toEqual([]);
});

test('keeps a retained volume, and lets its PersistentVolume be deleted', async () => {
  await using storage = await StorageFairway.start({ reclaimPolicy: 'Retain' });
  const { clock, client } = storage;
  await storage.create(aClaim());
  await clock.pass(60_000);

  await storage.deleteClaim();
  await clock.pass(60_000);
  const [released] = await storage.persistentVolumes();
  await client.resource(PersistentVolumes).delete(released?.metadata.name ?? '');
  await clock.pass(60_000);

  expect(released?.status?.phase).toBe('Released');
  expect(await storage.persistentVolumes()).toEqual([]);
  expect(await storage.volumes()).toMatchObject([
    { status: 'available', metadata: { 'fairway.dev/reclaim-policy': 'Retain' } },
  ]);
});

test('applies a reclaim policy that is changed later', async () => {
  await using storage = await StorageFairway.start({ reclaimPolicy: 'Retain' });
  const { clock, client } = storage;
  await storage.create(aClaim());
  await clock.pass(60_000);
  const [kept] = await storage.persistentVolumes();
  const value = { spec: { persistentVolumeReclaimPolicy: 'Delete' } };
  await client.resource(PersistentVolumes).patch(kept?.metadata.name ?? '', { type: 'merge', value });
  await clock.pass(60_000);
  const [marked] = await storage.volumes();

  await storage.deleteClaim();
  await clock.pass(60_000);

  expect(marked?.metadata['fairway.dev/reclaim-policy']).toBe('Delete');
  expect(await storage.volumes()).toEqual([]);
});

test('does not delete a volume that was not created for the PersistentVolume that refers to it', async () => {
  await using storage = await StorageFairway.start();
  const { clock, fairway, client } = storage;
  const { volumes } = fairway.process.project.client.blockStorage;
  const own = await clock.during(volumes.create({ name: 'by hand', size: 1 }));
  await storage.create(aClaim());
  await clock.pass(60_000);
  const [createdVolume] = await storage.persistentVolumes();

  for (const [index, volumeHandle] of [own.id, createdVolume?.spec.csi?.volumeHandle ?? ''].entries()) {
    const name = `forged-${index}`;
    const claimRef = { namespace: 'default', name: 'gone', uid: 'gone' };
    await storage.create(
      aVolume({ csi: { driver: DRIVER, volumeHandle }, claimRef }, { metadata: { name, finalizers: [] } }),
    );
  }
  await clock.pass(120_000);

  const { items } = await client.resource(PersistentVolumes).list();
  expect(items.filter(({ status }) => status?.phase === 'Released')).toHaveLength(2);
  expect((await storage.volumes()).map(({ status }) => status)).toEqual(['available', 'available']);
  expect(
    (await storage.messages()).filter((text) => /^VolumeFailedDelete: .*was not created for this/.test(text)),
  ).toHaveLength(2);
});

test('leaves nothing behind if a claim is deleted while its volume is being created', async () => {
  await using storage = await StorageFairway.start();
  const dropResponse = { kind: 'answer', status: 503, when: 'after' } as const;
  storage.fairway.cloud.faults.add({
    service: 'block-storage',
    method: 'POST',
    path: '/volumes$',
    action: dropResponse,
  });
  await storage.create(aClaim());
  await storage.clock.pass(100);
  await storage.deleteClaim();
  await storage.clock.pass(120_000);

  expect(await storage.volumes()).toEqual([]);
  expect(await storage.persistentVolumes()).toEqual([]);
});
