import type { ObjectMeta } from '@fairway/kube/object/meta';

/**
 * Longer than a request that creates a cluster may take, plus the time until a pass finds the work of a killed process.
 */
const PENDING_MS = 2 * 60_000;

/** Whether objects that are created together with this one may still be missing. */
export function mayBePending(
  { creationTimestamp = '' }: Pick<ObjectMeta, 'creationTimestamp'>,
  nowMs: number,
): boolean {
  return nowMs - Date.parse(creationTimestamp) < PENDING_MS;
}
