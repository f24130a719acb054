import type { Clock } from '@fairway/base/clock';
import type { VolumeBuilds } from '@fairway/cloud-provider/volumes/volume-builds';
import type { ResourceCache } from '@fairway/openstack/cache/resource-cache';
import type { Identifiable } from '@fairway/openstack/cache/snapshot';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettlingError } from '@fairway/tenancy/cloud/still-settling-error';
import { status } from '@grpc/grpc-js';
import { CallError } from './calls/call-error.ts';
import type { CallTime } from './calls/call-time.ts';
import type { Operations } from './calls/operations.ts';

/** The volumes and snapshots of one cluster, which are in the cluster's project. */
export interface Storage {
  readonly cloud: ProjectCloud;
  /** Identifies the cluster in the marks of its volumes and snapshots. */
  readonly clusterUid: string;
  readonly clock: Clock;
  readonly operations: Operations;
  readonly builds: VolumeBuilds;
  /** Aborts requests already sent to the cloud. Otherwise they continue after their call ends. */
  readonly work: AbortSignal;
}

/** The error for objects with another cluster's marks, or without marks if they are required. */
export function foreignObjectError(message: string): CallError {
  return new CallError(status.PERMISSION_DENIED, message);
}

/** Objects with certain marks: existing objects, and objects that Cinder is deleting. */
export interface MarkedObjects<T> {
  readonly items: readonly T[];
  readonly deleting: readonly T[];
}

/**
 * The current objects with certain marks. Never reuses an older list, because another process may have just
 * created an object. Waits until the list includes all requests that were sent earlier, and until ongoing deletions are
 * complete.
 */
export async function listMarkedObjects<T extends Identifiable>(
  { clock }: Storage,
  cache: ResourceCache<T>,
  time: CallTime,
  find: () => Promise<MarkedObjects<T>>,
): Promise<readonly T[]> {
  const poll = async () => {
    await cache.refreshAfter(clock.now(), time.signal);
    const { items, deleting } = await retryUntilSettled(clock, time, find);
    return items.length === 0 && deleting.length > 0 ? undefined : items;
  };
  return (
    (await poll()) ?? time.pollUntil('delete', 'the previous object with this name is being deleted by Cinder', poll)
  );
}

async function retryUntilSettled<T>(clock: Clock, time: CallTime, find: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof StillSettlingError)) throw error;
      await time.sleepUntil(Math.min(error.untilMs + 1, clock.now() + 1_000), error.message);
    }
  }
}

/** Cinder reports times in UTC without a time zone. */
export function epochMsOf(time: string | null | undefined): number {
  return time == null ? 0 : Date.parse(time.endsWith('Z') ? time : `${time}Z`);
}
