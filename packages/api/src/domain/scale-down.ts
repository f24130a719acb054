/** A candidate for removal. */
export interface RemovalCandidate {
  readonly name: string;
  readonly zone: string | undefined;
  /** Already deleted by a user: the machine is removed in any case and counts towards `count`. */
  readonly isBeingDeleted: boolean;
  /** Marked for deletion first by a user. */
  readonly isMarked: boolean;
  readonly isRepairDue: boolean;
  /** The node has been ready before, but is not ready now. */
  readonly isBroken: boolean;
  readonly isUpdateDue: boolean;
  /** Pods are running on the node. */
  readonly isAvailable: boolean;
  /** The autoscaler has marked it as unneeded. */
  readonly isUnneeded: boolean;
  readonly isUpToDate: boolean;
  readonly createdMs: number;
}

/**
 * The `count` machines to remove, in this order: deleted or marked by users, to be repaired, unhealthy, unneeded, to be
 * updated, not yet nodes, outdated, newest. Ties are broken in favour of the zone with the most remaining machines,
 * which keeps zones balanced. A machine whose removal would leave fewer than `needed` machines available is kept as
 * long as another can be removed instead, unless users or the autoscaler selected it.
 */
export function chooseRemovals<T extends RemovalCandidate>(candidates: readonly T[], count: number, needed = 0): T[] {
  const left = new Set(candidates);
  const removals: T[] = [];
  let available = candidates.filter(({ isAvailable }) => isAvailable).length;
  while (removals.length < count && left.size > 0) {
    const isChosen = (each: T) => each.isBeingDeleted || each.isMarked || each.isUnneeded;
    const isRequired = (each: T) => each.isAvailable && !isChosen(each) && available <= needed;
    const harmless = [...left].filter((each) => !isRequired(each));
    const machines = countByZone(left);
    const next = (harmless.length > 0 ? harmless : [...left]).reduce((best, candidate) =>
      isRemovedBefore(candidate, best, machines) ? candidate : best,
    );
    left.delete(next);
    removals.push(next);
    if (next.isAvailable) available--;
  }
  return removals;
}

function isRemovedBefore(a: RemovalCandidate, b: RemovalCandidate, machines: ReadonlyMap<string, number>): boolean {
  const keysOfA = removalKeys(a, machines);
  const keysOfB = removalKeys(b, machines);
  for (const [index, key] of keysOfA.entries()) {
    const other = keysOfB[index] ?? 0;
    if (key !== other) return key > other;
  }
  return a.name < b.name;
}

/** Most significant first; higher numbers are removed sooner. */
function removalKeys(candidate: RemovalCandidate, machines: ReadonlyMap<string, number>): number[] {
  return [
    Number(candidate.isBeingDeleted),
    Number(candidate.isMarked),
    Number(candidate.isRepairDue),
    Number(candidate.isBroken),
    Number(candidate.isUnneeded),
    Number(candidate.isUpdateDue),
    Number(!candidate.isAvailable),
    Number(!candidate.isUpToDate),
    machines.get(candidate.zone ?? '') ?? 0,
    candidate.createdMs,
  ];
}

function countByZone(candidates: Iterable<RemovalCandidate>): Map<string, number> {
  const machines = new Map<string, number>();
  for (const { zone = '' } of candidates) machines.set(zone, (machines.get(zone) ?? 0) + 1);
  return machines;
}
