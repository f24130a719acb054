import type { ObjectMeta } from '@fairway/kube/object/meta';

/** Longer than a request that makes a cluster may take, and than it takes until what a killed process has left is looked at. */
const OWED_MS = 2 * 60_000;

/** Whether what is made together with this object may be on its way still. */
export function isOwed({ creationTimestamp = '' }: Pick<ObjectMeta, 'creationTimestamp'>, nowMs: number): boolean {
  return nowMs - Date.parse(creationTimestamp) < OWED_MS;
}
