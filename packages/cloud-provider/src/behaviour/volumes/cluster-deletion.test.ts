import { clusters } from '@fairway/api/kinds/cluster';
import { expect, test } from 'vitest';
import { aClaim, aClass } from '../../volumes/testing/objects.ts';
import { StorageFairway } from '../../volumes/testing/storage-fairway.ts';

test('deletes a cluster’s volumes with the cluster, except for retained volumes and those of another cluster in the project', async () => {
  await using storage = await StorageFairway.start();
  const { clock, fairway } = storage;
  await fairway.createCluster({}, 'other');
  const other = await clock.during(fairway.clusterReady('other'));
  const otherStorage = storage.in(other.metadata.uid ?? '');
  await otherStorage.begin();
  await otherStorage.create(aClaim());
  await storage.create(aClass({ reclaimPolicy: 'Retain' }, 'kept'));
  await storage.create(aClaim());
  await storage.create(aClaim({ storageClassName: 'kept' }, { name: 'kept' }));
  await clock.pass(60_000);
  const before = await storage.volumes();

  await fairway.delete(clusters, 'demo');
  await clock.during(fairway.until(clusters, ([cluster]) => cluster === undefined, 'demo'));

  const left = await storage.volumes();
  expect(before).toHaveLength(3);
  const policies = left.map(
    ({ metadata }) => `${metadata['fairway.dev/cluster']} ${metadata['fairway.dev/reclaim-policy']}`,
  );
  expect(new Set(policies)).toEqual(new Set([`${storage.clusterUid} Retain`, `${other.metadata.uid} Delete`]));
});

test('deletes a volume that Cinder is still creating when its cluster is deleted', async () => {
  await using storage = await StorageFairway.start();
  const { clock, fairway } = storage;
  const delay = { kind: 'delay', delayMs: 25_000, when: 'before' } as const;
  fairway.cloud.faults.add({ service: 'block-storage', method: 'POST', path: '/volumes$', action: delay });
  await storage.create(aClaim());
  await clock.pass(1_000);

  await fairway.delete(clusters, 'demo');
  await clock.during(fairway.until(clusters, ([cluster]) => cluster === undefined, 'demo'));
  await clock.pass(60_000);

  expect(await storage.volumes()).toEqual([]);
});
