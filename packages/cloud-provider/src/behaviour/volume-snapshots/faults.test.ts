import { clusters } from '@fairway/api/kinds/cluster';
import type { ChooseApiFault } from '@fairway/controllers/testing/unreliable-api';
import { storageMetadata } from '@fairway/tenancy/cloud/ownership';
import { expect, test } from 'vitest';
import { aSnapshot, aSnapshotClass } from '../../volume-snapshots/testing/objects.ts';
import { aClaim } from '../../volumes/testing/objects.ts';
import { StorageFairway } from '../../volumes/testing/storage-fairway.ts';

/** Creates a snapshot and deletes it, along with everything created for it. */
async function runScenario(storage: StorageFairway): Promise<void> {
  const { clock } = storage;
  await storage.create(aSnapshotClass());
  await storage.create(aClaim());
  await clock.pass(120_000);
  await storage.create(aSnapshot());
  await clock.pass(300_000);

  expect((await storage.volumeSnapshot())?.status).toMatchObject({ readyToUse: true });
  expect((await storage.volumeSnapshot())?.status?.error).toBeUndefined();
  expect(await storage.snapshots()).toMatchObject([
    { status: 'available', metadata: { 'fairway.dev/reclaim-policy': 'Delete' } },
  ]);

  await storage.deleteSnapshot();
  await clock.pass(300_000);
  await storage.deleteClaim();
  await clock.pass(300_000);

  expect(await storage.volumeSnapshot()).toBeUndefined();
  expect(await storage.contents()).toEqual([]);
  expect(await storage.snapshots()).toEqual([]);
  expect(await storage.claim()).toBeUndefined();
  expect(await storage.volumes()).toEqual([]);
}

test.each(['breaksBefore', 'breaksAfter'] as const)(
  'creates and deletes a snapshot even though every write to the cluster %s once',
  async (kind) => {
    const failed = new Set<string>();
    const tenantFaults: ChooseApiFault = ({ method, path, body }) => {
      if (!/snapshot|persistentvolumeclaims/.test(path) || /customresource/.test(path)) return undefined;
      const write = `${method} ${path} ${method === 'PATCH' ? body : ''}`;
      if (method === 'GET' || failed.has(write)) return undefined;
      failed.add(write);
      return { kind };
    };
    await using storage = await StorageFairway.start({}, { tenantFaults });

    await runScenario(storage);

    // Finalizers, content, both statuses, annotation, deletion, and finalizers again.
    expect(failed.size).toBeGreaterThanOrEqual(9);
  },
);

test.each([
  { fault: 'is refused', action: { kind: 'answer', status: 500 } },
  { fault: 'succeeds, but loses its response', action: { kind: 'drop', when: 'after' } },
  { fault: 'succeeds, but is answered with 503', action: { kind: 'answer', status: 503, when: 'after' } },
] as const)('creates and deletes a snapshot even though every write to the cloud $fault once', async ({ action }) => {
  await using storage = await StorageFairway.start();
  const { faults } = storage.fairway.cloud;
  const ids = [
    { method: 'POST', path: '/snapshots$' },
    { method: 'POST', path: '/snapshots/[^/]*/metadata$' },
    { method: 'DELETE', path: '/snapshots/[^/]*$' },
  ].map((call) => faults.add({ service: 'block-storage', ...call, action }));

  await runScenario(storage);

  // A fault is removed from the list once it has occurred.
  expect(faults.list().filter(({ id }) => ids.includes(id))).toEqual([]);
});

test('leaves one snapshot if the process dies while requesting it from Cinder', async () => {
  await using storage = await StorageFairway.start();
  const { clock, fairway } = storage;
  await storage.create(aSnapshotClass());
  await storage.create(aClaim());
  await clock.pass(60_000);
  const delay = { kind: 'delay', delayMs: 3_000, when: 'before' } as const;
  fairway.cloud.faults.add({ service: 'block-storage', method: 'POST', path: '/snapshots$', action: delay });
  await storage.create(aSnapshot());
  await clock.pass(1_000);
  await clock.during(fairway.process.stop());
  await clock.during(fairway.startProcess());
  await clock.pass(300_000);

  expect((await storage.volumeSnapshot())?.status).toMatchObject({ readyToUse: true });
  expect(await storage.snapshots()).toHaveLength(1);
});

test.each(['Delete', 'Retain'] as const)(
  'snapshots with policy %s are deleted with the cluster, or remain with their volumes',
  async (policy) => {
    await using storage = await StorageFairway.start();
    const { clock, fairway } = storage;
    await storage.create(aSnapshotClass({ deletionPolicy: policy }));
    await storage.create(aClaim());
    await clock.pass(60_000);
    await storage.create(aSnapshot());
    await clock.pass(60_000);

    await fairway.delete(clusters, 'demo');
    await clock.during(fairway.until(clusters, ([cluster]) => cluster === undefined, 'demo'));

    expect((await storage.snapshots()).map(({ metadata }) => metadata['fairway.dev/reclaim-policy'])).toEqual(
      policy === 'Retain' ? ['Retain'] : [],
    );
    expect(await storage.volumes()).toHaveLength(policy === 'Retain' ? 1 : 0);
  },
);

test('deletes a snapshot that Cinder is still creating when its cluster is deleted', async () => {
  await using storage = await StorageFairway.start();
  const { clock, fairway } = storage;
  await storage.create(aSnapshotClass());
  await storage.create(aClaim());
  await clock.pass(60_000);
  const delay = { kind: 'delay', delayMs: 25_000, when: 'before' } as const;
  fairway.cloud.faults.add({ service: 'block-storage', method: 'POST', path: '/snapshots$', action: delay });
  await storage.create(aSnapshot());
  await clock.pass(1_000);

  await fairway.delete(clusters, 'demo');
  await clock.during(fairway.until(clusters, ([cluster]) => cluster === undefined, 'demo'));
  await clock.pass(60_000);

  expect(await storage.snapshots()).toEqual([]);
  expect(await storage.volumes()).toEqual([]);
});

test('deletes a snapshot that appears after its cluster was deleted, with its volume', async () => {
  await using storage = await StorageFairway.start();
  const { clock, fairway, clusterUid } = storage;
  const { snapshots, volumes } = fairway.process.project.client.blockStorage;
  const marked = (object: string) => ({ name: 'late', metadata: storageMetadata({ clusterUid, object }) });
  await fairway.delete(clusters, 'demo');
  await clock.during(fairway.until(clusters, ([cluster]) => cluster === undefined, 'demo'));
  await clock.pass(1_200_000);
  const { id } = await clock.during(volumes.create({ ...marked('pvc-late'), size: 1 }));
  await clock.pass(10_000);
  await clock.during(snapshots.create({ ...marked('snapcontent-late'), volume_id: id }));
  const before = [...(await storage.volumes()), ...(await storage.snapshots())];

  await clock.pass(3_600_000);

  expect(before).toHaveLength(2);
  expect(await storage.snapshots()).toEqual([]);
  expect(await storage.volumes()).toEqual([]);
});
