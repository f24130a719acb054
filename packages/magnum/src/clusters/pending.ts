import type { ObjectMeta } from '@fairway/kube/object/meta';

/** Longer than a request that creates a cluster may take, plus the time until the work of a killed process is found. */
const PENDING_MS = 2 * 60_000;

/** Whether objects that are created together with this one may still be on their way. */
export function mayBePending(
  { creationTimestamp = '' }: Pick<ObjectMeta, 'creationTimestamp'>,
  nowMs: number,
): boolean {
  return nowMs - Date.parse(creationTimestamp) < PENDING_MS;
}
