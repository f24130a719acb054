import { FINALIZER } from '@fairway/api/group';
import { isPaused } from '@fairway/api/pause';
import type { KubeObject } from '@fairway/kube/object/meta';

/** Finalizers of the API server's own garbage collector, which continues automatically. */
const GC_FINALIZERS: ReadonlySet<string> = new Set(['foregroundDeletion', 'orphan']);

/**
 * Whether the deletion of a cluster is blocked because it or a part of it is paused, or has a finalizer that the tenant
 * added: its control plane keeps running until its nodes are deleted. Pure.
 */
export function isHeldByTenant(cluster: KubeObject, parts: readonly KubeObject[]): boolean {
  if (isPaused(cluster)) return true;
  const isForeign = (finalizer: string) => finalizer !== FINALIZER && !GC_FINALIZERS.has(finalizer);
  return parts.some((part) => isPaused(part) || part.metadata.finalizers?.some(isForeign) === true);
}
