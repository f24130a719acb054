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
    reason: 'a class of the tenant',
    storage: { tenantClasses: 'Refused' },
    says: expect.stringMatching(
      /StorageClass standard is not in the cluster's plan, which allows no others: use csi-cinder-high-speed, default, /,
    ) as string,
  },
])(
  'makes few calls for a claim with $reason that the plan forbids, until the plan allows it',
  async ({ storage, says }) => {
    await using storageFairway = await StorageFairway.start();
    const { clock, fairway } = storageFairway;
    await fairway.patch(plans, 'free', { spec: { storage } });
    await clock.pass(1_000);

    await storageFairway.create(aClaim());
    await clock.pass(60_000);
    const reported = await storageFairway.messages();
    const calls = await storageFairway.callsIn(600_000);
    const refused = await storageFairway.volumes();
    await fairway.patch(plans, 'free', { spec: { storage: null } });
    await clock.pass(1_000_000);

    expect(reported).toEqual([says]);
    expect(refused).toEqual([]);
    expect(calls).toBeLessThanOrEqual(40);
    expect((await storageFairway.volumes()).map(({ status }) => status)).toEqual(['available']);
    expect((await storageFairway.claim())?.status?.phase).toBe('Bound');
  },
);
