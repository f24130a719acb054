import { plans } from '@fairway/api/kinds/plan';
import { expect, test } from 'vitest';
import { aClaim } from '../../volumes/testing/objects.ts';
import { StorageFairway } from '../../volumes/testing/storage-fairway.ts';

test.each([
  {
    reason: 'an access mode',
    storage: { accessModes: ['ReadWriteOncePod'] },
    says: "ProvisioningFailed: accessModes contains ReadWriteOnce, which the cluster's plan does not allow for volumes: use ReadWriteOncePod",
  },
  {
    reason: "a class of the tenant's own",
    storage: { tenantClasses: 'Refused' },
    says: expect.stringMatching(
      /StorageClass standard is not in the cluster's plan, which allows no others: use csi-cinder-high-speed, default, /,
    ) as string,
  },
])('a claim for $reason that the plan forbids waits at few calls, until it is allowed', async ({ storage, says }) => {
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

  expect(told).toEqual([says]);
  expect(refused).toEqual([]);
  expect(calls).toBeLessThanOrEqual(40);
  expect((await story.volumes()).map(({ status }) => status)).toEqual(['available']);
  expect((await story.claim())?.status?.phase).toBe('Bound');
});
