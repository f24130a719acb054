import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import type { ChooseApiFault } from '@fairway/controllers/testing/unreliable-api';
import { type VolumeSnapshotContent, VolumeSnapshotContents } from '@fairway/kube/kinds/volume-snapshots';
import { expect, test } from 'vitest';
import { BEING_DELETED_ANNOTATION, CONTENT_FINALIZER } from '../../volume-snapshots/snapshot-names.ts';
import { aContent, aSnapshot, aSnapshotClass } from '../../volume-snapshots/testing/objects.ts';
import { DRIVER } from '../../volumes/driver.ts';
import { aClaim } from '../../volumes/testing/objects.ts';
import { StorageFairway } from '../../volumes/testing/storage-fairway.ts';

const DEFINITION = 'volumesnapshots.snapshot.storage.k8s.io';
const MINUTE_MS = 60_000;

/** A claim with its volume, in a cluster whose snapshot requests are counted. */
async function begin() {
  const requests = { count: 0 };
  const tenantFaults: ChooseApiFault = ({ path }) => {
    if (path.includes('/snapshot.storage.k8s.io/')) requests.count++;
    return undefined;
  };
  const storage = await StorageFairway.start({}, { tenantFaults });
  await storage.create(aClaim());
  await storage.clock.pass(MINUTE_MS);
  return { storage, requests, definitions: storage.client.resource(CustomResourceDefinitions) };
}

test('serves only VolumeSnapshotContents in a cluster with its own snapshot-controller', async () => {
  await using own = await startOwnController();
  const { storage, contents } = own;
  const { clock } = storage;
  const [volume] = await storage.volumes();

  await storage.create(aSnapshotClass());
  await storage.create(aSnapshot());
  await clock.pass(MINUTE_MS);
  const snapshot = await storage.volumeSnapshot();
  const unbound = await storage.contents();
  const volumeSnapshotRef = { namespace: 'default', name: 'first', uid: snapshot?.metadata.uid ?? '' };
  const name = `snapcontent-${snapshot?.metadata.uid}`;
  const source = { volumeHandle: volume?.id ?? '' };
  const spec = { deletionPolicy: 'Delete', source, volumeSnapshotRef, volumeSnapshotClassName: 'fast' } as const;
  await storage.create(aContent(spec, { metadata: { name } }));
  await clock.pass(MINUTE_MS);
  const [createdContent] = await storage.contents();
  const snapshots = await storage.snapshots();
  await contents.delete(name);
  await clock.pass(MINUTE_MS);
  const held = await storage.snapshots();
  const value = { metadata: { annotations: { [BEING_DELETED_ANNOTATION]: 'yes' } } };
  await contents.patch(name, { type: 'merge', value });
  await clock.pass(MINUTE_MS);

  expect(snapshot?.metadata.finalizers).toBeUndefined();
  expect(snapshot?.status).toBeUndefined();
  expect(unbound).toEqual([]);
  expect(createdContent?.status).toMatchObject({ readyToUse: true, snapshotHandle: snapshots[0]?.id });
  expect(createdContent?.metadata.finalizers).toEqual([CONTENT_FINALIZER]);
  expect((await storage.volumeSnapshot())?.status).toBeUndefined();
  expect(held).toHaveLength(1);
  expect(await storage.snapshots()).toEqual([]);
  expect(await storage.contents()).toEqual([]);
});

async function startOwnController() {
  const { storage, definitions } = await begin();
  const value = { metadata: { annotations: { 'fairway.dev/snapshot-controller': 'own' } } };
  await definitions.patch(DEFINITION, { type: 'merge', value }, { fieldManager: 'kubectl-annotate' });
  await storage.clock.pass(MINUTE_MS);
  const contents = storage.client.resource(VolumeSnapshotContents);
  return { storage, contents, [Symbol.asyncDispose]: () => storage[Symbol.asyncDispose]() };
}

test('makes no calls while the kinds are removed, and serves them once they are restored', async () => {
  const { storage, requests, definitions } = await begin();
  await using _ = storage;
  const { clock } = storage;
  const { items } = await definitions.list();
  const owned = items.filter(({ spec }) => spec.group === 'snapshot.storage.k8s.io');
  for (const { metadata } of owned) await definitions.delete(metadata.name ?? '');
  await clock.pass(15_000);
  const before = requests.count;
  // Fairway does not restore them before then.
  await clock.pass(5_000);
  const requestsDuring404 = requests.count - before;
  await clock.pass(5 * MINUTE_MS);
  await storage.create(aSnapshotClass());
  await storage.create(aSnapshot());
  await clock.pass(MINUTE_MS);

  expect(owned).toHaveLength(3);
  expect(requestsDuring404).toBeLessThanOrEqual(3);
  expect((await storage.volumeSnapshot())?.status).toMatchObject({ readyToUse: true });
});

test('ignores kinds with different definitions, no matter what they contain', async () => {
  const { storage, definitions } = await begin();
  await using _ = storage;
  const { clock } = storage;
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;
  const { items } = await definitions.list();
  const owned = items.filter(({ spec }) => spec.group === 'snapshot.storage.k8s.io');
  for (const { metadata, spec } of owned) {
    const versions = spec.versions.map((version) => ({ ...version, schema: { openAPIV3Schema: anything } }));
    const value = { spec: { versions } };
    await definitions.patch(metadata.name ?? '', { type: 'merge', value }, { fieldManager: 'kubectl-edit' });
  }
  await clock.pass(10_000);
  const contents = storage.client.resource(VolumeSnapshotContents);
  const invalidContents = [
    { spec: 5 },
    { spec: { driver: DRIVER } },
    { spec: { driver: DRIVER, source: 'x', volumeSnapshotRef: [] } },
    { spec: { driver: DRIVER, source: { volumeHandle: {} }, deletionPolicy: 1, volumeSnapshotRef: { name: 3 } } },
    { spec: aContent().spec, status: 'ready' },
    {},
  ];
  for (const [index, fields] of invalidContents.entries()) {
    await contents.create({ ...fields, metadata: { name: `odd-${index}` } } as unknown as VolumeSnapshotContent);
  }
  await clock.pass(MINUTE_MS);
  await storage.create(aSnapshotClass());
  await storage.create(aSnapshot());
  await clock.pass(MINUTE_MS);

  expect((await storage.volumeSnapshot())?.status).toMatchObject({ readyToUse: true });
  expect(await storage.snapshots()).toHaveLength(1);
});
