import { clusters } from '@fairway/api/kinds/cluster';
import { expect, test } from 'vitest';
import { SHARE_DRIVER } from '../../shares/driver.ts';
import { sharesOf, startShares } from '../../shares/testing/share-fairway.ts';
import { aClaim, aClass } from '../../volumes/testing/objects.ts';

test('deletes a cluster’s shares with the cluster, except for retained shares and those of another cluster in the project', async () => {
  await using storage = await startShares();
  const { clock, fairway } = storage;
  await fairway.createCluster({}, 'other');
  const other = await clock.during(fairway.clusterReady('other'));
  const otherStorage = storage.in(other.metadata.uid ?? '');
  await otherStorage.begin({ provisioner: SHARE_DRIVER });
  await otherStorage.create(aClaim());
  await storage.create(aClass({ provisioner: SHARE_DRIVER, reclaimPolicy: 'Retain' }, 'kept'));
  await storage.create(aClaim());
  await storage.create(aClaim({ storageClassName: 'kept' }, { name: 'kept' }));
  await clock.pass(120_000);
  const before = await sharesOf(storage);

  await fairway.delete(clusters, 'demo');
  await clock.during(fairway.until(clusters, ([cluster]) => cluster === undefined, 'demo'));

  const left = await sharesOf(storage);
  expect(before).toHaveLength(3);
  const policies = left.map(
    ({ metadata }) => `${metadata['fairway.dev/cluster']} ${metadata['fairway.dev/reclaim-policy']}`,
  );
  expect(new Set(policies)).toEqual(new Set([`${storage.clusterUid} Retain`, `${other.metadata.uid} Delete`]));
});

test('deletes a share that Manila is still creating when its cluster is deleted', async () => {
  await using storage = await startShares();
  const { clock, fairway } = storage;
  const delay = { kind: 'delay', delayMs: 25_000, when: 'before' } as const;
  fairway.cloud.faults.add({ service: 'shared-file-system', method: 'POST', path: '/shares$', action: delay });
  await storage.create(aClaim());
  await clock.pass(1_000);

  await fairway.delete(clusters, 'demo');
  await clock.during(fairway.until(clusters, ([cluster]) => cluster === undefined, 'demo'));
  await clock.pass(60_000);

  expect(await sharesOf(storage)).toEqual([]);
});
