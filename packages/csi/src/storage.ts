import type { Clock } from '@fairway/base/clock';
import type { VolumeBuilds } from '@fairway/cloud-provider/volumes/volume-builds';
import type { ProjectCloud } from '@fairway/tenancy/cloud/project-cloud';
import { StillSettling } from '@fairway/tenancy/cloud/still-settling';
import { status } from '@grpc/grpc-js';
import { CallError } from './calls/call-error.ts';
import type { CallTime } from './calls/call-time.ts';
import type { Operations } from './calls/operations.ts';

/** The volumes and snapshots of one cluster, in the project that they are in. */
export interface Storage {
  readonly cloud: ProjectCloud;
  /** What marks its volumes and snapshots. */
  readonly clusterUid: string;
  readonly clock: Clock;
  readonly operations: Operations;
  readonly builds: VolumeBuilds;
  /** Aborts requests to the cloud that were sent; a call that nobody waits for does not. */
  readonly work: AbortSignal;
}

/** Refuses what carries the marks of another cluster, or none where there have to be some. */
export function notOurs(message: string): CallError {
  return new CallError(status.PERMISSION_DENIED, message);
}

/** What `find` resolves with, as soon as the cloud has told of all requests that were sent before. */
export async function whenSettled<T>({ clock }: Storage, time: CallTime, find: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await find();
    } catch (error) {
      if (!(error instanceof StillSettling)) throw error;
      const untilMs = Math.min(error.untilMs + 1, clock.now() + 1_000);
      await time.passUntil(untilMs, error.message);
    }
  }
}

/** Cinder's times are in UTC and don't say so. */
export function epochMsOf(time: string | null | undefined): number {
  return time == null ? 0 : Date.parse(time.endsWith('Z') ? time : `${time}Z`);
}
