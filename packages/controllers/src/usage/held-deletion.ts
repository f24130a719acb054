import { FINALIZER } from '@fairway/api/group';
import { isPaused } from '@fairway/api/pause';
import type { KubeObject } from '@fairway/kube/object/meta';

/** Those of the API server's own garbage collector, which goes on by itself. */
const COLLECTORS: ReadonlySet<string> = new Set(['foregroundDeletion', 'orphan']);

/**
 * Whether the deletion of a cluster waits for whoever paused it or something of it, or put a finalizer there: its control plane serves on
 * until its nodes are gone. Pure.
 */
export function isHeldByTenant(cluster: KubeObject, parts: readonly KubeObject[]): boolean {
  if (isPaused(cluster)) return true;
  const isForeign = (finalizer: string) => finalizer !== FINALIZER && !COLLECTORS.has(finalizer);
  return parts.some((part) => isPaused(part) || part.metadata.finalizers?.some(isForeign) === true);
}
