import { PersistentVolumeClaims } from '@fairway/kube/kinds/resources';
import { expect, test } from 'vitest';
import { SHARE_DRIVER } from '../../shares/driver.ts';
import { sharesOf, startShares } from '../../shares/testing/share-fairway.ts';
import { aClaim } from '../../volumes/testing/objects.ts';
import type { StorageFairway } from '../../volumes/testing/storage-fairway.ts';

/** A bound claim of 5 GiB. */
async function start(allowVolumeExpansion = true): Promise<StorageFairway> {
  const storage = await startShares({ allowVolumeExpansion });
  await storage.create(aClaim({ accessModes: ['ReadWriteMany'] }));
  await storage.clock.pass(120_000);
  return storage;
}

async function grow({ client }: StorageFairway, storage: string): Promise<void> {
  const value = { spec: { resources: { requests: { storage } } } };
  await client.resource(PersistentVolumeClaims).patch('data', { type: 'merge', value }, { namespace: 'default' });
}

test('extends the share of a claim that grows, without involving a node', async () => {
  await using storage = await start();
  await grow(storage, '8Gi');
  await storage.clock.pass(60_000);

  expect(await sharesOf(storage)).toMatchObject([{ size: 8, status: 'available' }]);
  expect((await storage.persistentVolumes()).map(({ spec }) => spec.capacity)).toEqual([{ storage: '8Gi' }]);
  expect((await storage.claim())?.status).toMatchObject({ capacity: { storage: '8Gi' }, conditions: [] });
  expect(await storage.messages(SHARE_DRIVER)).toContain('VolumeResizeSuccessful: Resize volume succeeded');
});

test('calls Manila once, even though Manila’s lists are slow to show that a share is growing', async () => {
  await using storage = await start();
  const { cloud } = storage.fairway;
  const delay = { kind: 'delay', delayMs: 4_000, when: 'before' } as const;
  const path = '/action$';
  cloud.faults.add({ service: 'shared-file-system', method: 'POST', path, times: null, action: delay });
  const requestedSizes: unknown[] = [];
  cloud.calls.onReceived(({ body, path: to }) => {
    if (to.endsWith('/action') && JSON.stringify(body).includes('extend')) requestedSizes.push(body);
  });
  await grow(storage, '8Gi');
  await storage.clock.pass(120_000);

  expect(requestedSizes).toEqual([{ extend: { new_size: 8 } }]);
  expect(await sharesOf(storage)).toMatchObject([{ size: 8 }]);
});

test('does not extend a share whose class does not allow expansion', async () => {
  await using storage = await start(false);
  await grow(storage, '8Gi');
  await storage.clock.pass(60_000);

  expect(await sharesOf(storage)).toMatchObject([{ size: 5 }]);
  expect(await storage.messages(SHARE_DRIVER)).toContainEqual(
    expect.stringMatching(/does not have allowVolumeExpansion/),
  );
});

test('reports the quota that blocks the growth of a share, makes few calls, and loses no data', async () => {
  await using storage = await start();
  const { cloud } = storage.fairway;
  cloud.setQuota('demo', { gigabytes: 6 }, 'shared-file-system');
  await grow(storage, '8Gi');
  await storage.clock.pass(60_000);
  const calls = await storage.callsIn(3_600_000);
  const reported = await storage.messages(SHARE_DRIVER);
  cloud.setQuota('demo', { gigabytes: 100 }, 'shared-file-system');
  await storage.clock.pass(600_000);

  expect(reported).toContainEqual(expect.stringMatching(/^VolumeResizeFailed: .*gigabytes quota/));
  expect(calls).toBeLessThanOrEqual(60 * 6);
  expect(await sharesOf(storage)).toMatchObject([{ size: 8 }]);
});

test('reports who must act if Manila could not extend a share', async () => {
  await using storage = await start();
  storage.fairway.cloud.faults.add({ times: null, action: { kind: 'shareError', step: 'extend' } });
  await grow(storage, '8Gi');
  await storage.clock.pass(120_000);
  const calls = await storage.callsIn(3_600_000);

  expect(await storage.messages(SHARE_DRIVER)).toContainEqual(
    expect.stringMatching(/Manila failed to extend it: the cloud operator must reset its status/),
  );
  expect(calls).toBeLessThanOrEqual(60 * 6);
});
