import type { MergeBase } from './merge-base.ts';

/** A pool of Fairway. */
export interface ManagementView extends MergeBase {
  readonly isDeleting: boolean;
}

/** The object in the cluster that represents it. */
export interface ClusterSideView {
  /** A hash of its spec; undefined if the spec cannot be read. */
  readonly hash: string | undefined;
  /** The state that it reflected before the change in the cluster; undefined if it never reflected a pool. */
  readonly shown: MergeBase | undefined;
  readonly isDeleting: boolean;
}

export interface BothSides {
  readonly outer: ManagementView | undefined;
  readonly inner: ClusterSideView | undefined;
  /** Whether the cluster's definition of the kind is being deleted, and all its objects with it. */
  readonly isDefinitionEnding: boolean;
}

/**
 * What follows from the two sides of a pool:
 * - `none`: nothing, or nothing yet;
 * - `show`: the object is made as the pool is;
 * - `settle`: both are the same; marks and status follow;
 * - `create`, `change`, `delete`: the pool is made as the object is, or goes;
 * - `refuse`: somebody has changed the pool since, so the object is set back; a deletion is let through there, and the object made again;
 * - `withdraw`: the object goes, since the pool has gone;
 * - `release`: the object may go.
 */
export type Decision =
  | { readonly kind: 'none' | 'show' | 'settle' | 'create' | 'change' | 'delete' | 'withdraw' | 'release' }
  | { readonly kind: 'refuse'; readonly because: 'changed' | 'exists' };

/**
 * The rule: a change in the cluster is a request about the pool as it was reflected there. It is applied if the pool is still in that
 * state; otherwise the pool takes precedence, and the object is updated from it. Pure.
 */
export function decide({ outer, inner, isDefinitionEnding }: BothSides): Decision {
  if (inner === undefined) {
    return { kind: outer && !outer.isDeleting && !isDefinitionEnding ? 'show' : 'none' };
  }
  if (inner.isDeleting) return decideDeletion(outer, inner, isDefinitionEnding);
  if (isDefinitionEnding) return { kind: 'none' };
  const { shown } = inner;
  if (outer === undefined) return { kind: shown ? 'withdraw' : 'create' };
  if (outer.isDeleting) return { kind: shown?.identity === outer.identity ? 'withdraw' : 'none' };
  if (inner.hash === outer.hash) return { kind: 'settle' };
  if (shown === undefined) return { kind: 'refuse', because: 'exists' };
  if (inner.hash === shown.hash) return { kind: 'show' };
  return isStill(outer, shown) ? { kind: 'change' } : { kind: 'refuse', because: 'changed' };
}

function decideDeletion(
  outer: ManagementView | undefined,
  { shown }: ClusterSideView,
  isDefinitionEnding: boolean,
): Decision {
  // Deleting a definition deletes all its objects, whose deletion nobody has requested.
  if (isDefinitionEnding || outer === undefined || shown?.identity !== outer.identity) return { kind: 'release' };
  if (outer.isDeleting) return { kind: 'none' };
  return isStill(outer, shown) ? { kind: 'delete' } : { kind: 'refuse', because: 'changed' };
}

/** Whether the pool still matches what was reflected. A reverted change does not count. */
function isStill(outer: ManagementView, shown: MergeBase): boolean {
  return outer.identity === shown.identity && (outer.generation === shown.generation || outer.hash === shown.hash);
}
