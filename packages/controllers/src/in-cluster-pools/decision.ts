import type { MergeBase } from './merge-base.ts';

/** A pool of Fairway. */
export interface ManagementView extends MergeBase {
  readonly isDeleting: boolean;
}

/** The object in the cluster that represents the pool. */
export interface ClusterSideView {
  /** A hash of its spec; undefined if the spec cannot be read. */
  readonly hash: string | undefined;
  /** The pool state that it reflected before the change in the cluster; undefined if it never reflected a pool. */
  readonly shown: MergeBase | undefined;
  readonly isDeleting: boolean;
}

export interface PoolViews {
  readonly outer: ManagementView | undefined;
  readonly inner: ClusterSideView | undefined;
  /** Whether the cluster's definition of the kind is being deleted, along with all of its objects. */
  readonly isDefinitionDeleting: boolean;
}

/**
 * The action that follows from the two sides of a pool:
 * - `none`: nothing, or nothing yet;
 * - `show`: the object is updated from the pool;
 * - `settle`: both are the same; mark and status are updated;
 * - `create`, `change`, `delete`: the pool is created, updated or deleted to match the object;
 * - `refuse`: someone has changed the pool since, so the object is reset; a deleted object is created again;
 * - `withdraw`: the object is deleted, because the pool was deleted;
 * - `release`: the object's finalizer is removed.
 */
export type Decision =
  | { readonly kind: 'none' | 'show' | 'settle' | 'create' | 'change' | 'delete' | 'withdraw' | 'release' }
  | { readonly kind: 'refuse'; readonly conflict: 'changed' | 'exists' };

/**
 * The rule: a change in the cluster is a request to change the pool as it was reflected there. It is applied if the
 * pool is still in that state. Otherwise the pool takes precedence, and the object is updated from it. Pure.
 */
export function decide({ outer, inner, isDefinitionDeleting }: PoolViews): Decision {
  if (inner === undefined) {
    return { kind: outer && !outer.isDeleting && !isDefinitionDeleting ? 'show' : 'none' };
  }
  if (inner.isDeleting) return decideDeletion(outer, inner, isDefinitionDeleting);
  if (isDefinitionDeleting) return { kind: 'none' };
  const { shown } = inner;
  if (outer === undefined) return { kind: shown ? 'withdraw' : 'create' };
  if (outer.isDeleting) return { kind: shown?.identity === outer.identity ? 'withdraw' : 'none' };
  if (inner.hash === outer.hash) return { kind: 'settle' };
  if (shown === undefined) return { kind: 'refuse', conflict: 'exists' };
  if (inner.hash === shown.hash) return { kind: 'show' };
  return isUnchanged(outer, shown) ? { kind: 'change' } : { kind: 'refuse', conflict: 'changed' };
}

function decideDeletion(
  outer: ManagementView | undefined,
  { shown }: ClusterSideView,
  isDefinitionDeleting: boolean,
): Decision {
  // Deleting a definition deletes all its objects, which no user has requested.
  if (isDefinitionDeleting || outer === undefined || shown?.identity !== outer.identity) return { kind: 'release' };
  if (outer.isDeleting) return { kind: 'none' };
  return isUnchanged(outer, shown) ? { kind: 'delete' } : { kind: 'refuse', conflict: 'changed' };
}

/** Whether the pool still matches what was reflected. A change that was reverted does not matter. */
function isUnchanged(outer: ManagementView, shown: MergeBase): boolean {
  return outer.identity === shown.identity && (outer.generation === shown.generation || outer.hash === shown.hash);
}
