import { plans } from '@fairway/api/kinds/plan';
import { expect, test } from 'vitest';
import { aClaim } from './testing/objects.ts';
import { StorageFairway } from './testing/storage-fairway.ts';

test.each([
  {
    reason: 'an access mode',
    storage: { accessModes: ['ReadWriteOncePod'] },
    says: 'accessModes has ReadWriteOnce, which the plan of the cluster does not allow for volumes: use ReadWriteOncePod',
  },
  {
    reason: "a class of the tenant's own",
    storage: { tenantClasses: 'Refused' },
    says: 'StorageClass standard is not one of the plan of the cluster, which allows no others: use default',
  },
])('a claim for $reason that the plan does not allow waits at few calls, until it does', async ({ storage, says }) => {
  await using story = await StorageFairway.start();
  const { clock, fairway } = story;
  await fairway.patch(plans, 'free', { spec: { storage } });
  await clock.pass(1_000);

  await story.create(aClaim());
  await clock.pass(60_000);
  const told = await story.told();
  const calls = await story.callsIn(600_000);
  const refused = await story.volumes();
  await fairway.patch(plans, 'free', { spec: { storage: null } });
  await clock.pass(1_000_000);

  expect(told).toEqual([`ProvisioningFailed: ${says}`]);
  expect(refused).toEqual([]);
  expect(calls).toBeLessThanOrEqual(40);
  expect((await story.volumes()).map(({ status }) => status)).toEqual(['available']);
  expect((await story.claim())?.status?.phase).toBe('Bound');
});
