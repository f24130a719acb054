import type { Shown } from './shown.ts';

/** A pool of Fairway's. */
export interface OuterView extends Shown {
  readonly isDeleting: boolean;
}

/** The object in the cluster that stands for it. */
export interface InnerView {
  /** Of its spec; undefined where that can't be read. */
  readonly hash: string | undefined;
  /** What it showed before somebody changed it there; undefined where Fairway never made it show anything. */
  readonly shown: Shown | undefined;
  readonly isDeleting: boolean;
}

export interface Sides {
  readonly outer: OuterView | undefined;
  readonly inner: InnerView | undefined;
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
 * The rule: what is written in the cluster is a request about the pool as it was shown there. It is carried out while the pool is still like that; else
 * the pool stands, and the cluster is shown it again. Pure.
 */
export function decide({ outer, inner, isDefinitionEnding }: Sides): Decision {
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

function decideDeletion(outer: OuterView | undefined, { shown }: InnerView, isDefinitionEnding: boolean): Decision {
  // A definition takes all its objects along, which nobody has asked to delete.
  if (isDefinitionEnding || outer === undefined || shown?.identity !== outer.identity) return { kind: 'release' };
  if (outer.isDeleting) return { kind: 'none' };
  return isStill(outer, shown) ? { kind: 'delete' } : { kind: 'refuse', because: 'changed' };
}

/** Whether the pool is as it was shown. A change that was taken back is none. */
function isStill(outer: OuterView, shown: Shown): boolean {
  return outer.identity === shown.identity && (outer.generation === shown.generation || outer.hash === shown.hash);
}
