import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusters } from '../../api/resources.ts';
import { serverClock } from '../../api/server-clock.ts';
import { change } from '../../api/write.ts';
import { isoOf } from '../../text/time.ts';

const SECOND_MS = 1000;

/** Whether the cluster is hibernated or being hibernated. */
export function isHibernating({ spec, status }: Cluster): boolean {
  return status?.hibernation?.wanted ?? spec.hibernation?.enabled ?? false;
}

/** Hibernates or wakes the cluster, even if a schedule has since done the opposite: a later time is a new request. */
export async function hibernate(cluster: Cluster, enabled: boolean, nowMs = serverClock.nowMs()): Promise<void> {
  const requestedAt = requestTime(cluster, nowMs);
  await change(clusters, cluster, { spec: { hibernation: { enabled, requestedAt } } });
}

/** The current time, or just after the last request if that is later. */
export function requestTime({ spec, status }: Pick<Cluster, 'spec' | 'status'>, nowMs: number): string {
  const before = [spec.hibernation?.requestedAt, status?.hibernation?.followed?.requestedAt].map((time) =>
    time === undefined ? 0 : Date.parse(time) + SECOND_MS,
  );
  return isoOf(Math.max(nowMs, ...before)).replace(/\.\d+Z$/, 'Z');
}
