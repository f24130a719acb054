import type { TestFairwayOptions } from '@fairway/controllers/testing/test-fairway';
import type { StorageClass } from '@fairway/kube/kinds/generated/types';
import type { AccessRule, Share } from '@fairway/openstack/types/shared-file-system';
import { StorageFairway } from '../../volumes/testing/storage-fairway.ts';
import { SHARE_DRIVER } from '../driver.ts';

/** A Fairway instance with a one-node cluster, `demo`, and a StorageClass for shares. */
export function startShares(
  storageClass: Partial<StorageClass> = {},
  options: TestFairwayOptions = {},
): Promise<StorageFairway> {
  return StorageFairway.start({ provisioner: SHARE_DRIVER, ...storageClass }, options);
}

/** All shares in the project, oldest first. */
export function sharesOf({ clock, fairway }: StorageFairway): Promise<readonly Share[]> {
  return clock.during(Array.fromAsync(fairway.process.project.client.sharedFileSystem.shares.list()));
}

export function rulesOf({ clock, fairway }: StorageFairway, shareId: string): Promise<readonly AccessRule[]> {
  return clock.during(fairway.process.project.client.sharedFileSystem.accessRules.list(shareId));
}

/** First internal addresses of the cluster's nodes, sorted. */
export async function nodeAddressesOf({ fairway }: StorageFairway): Promise<readonly string[]> {
  const machines = await fairway.machines();
  return machines.map(({ status }) => status?.address ?? '').toSorted();
}

/** Total number of calls to Manila. */
export function manilaCalls({ fairway }: StorageFairway): number {
  return fairway.cloud.calls
    .counts()
    .filter(({ service }) => service === 'shared-file-system')
    .reduce((sum, { count }) => sum + count, 0);
}
