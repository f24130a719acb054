import type { PriorityLevelConfiguration } from '@fairway/kube/kinds/generated/types';

/** Seats of a priority level: nominal share, minimum that is never lent, and maximum with borrowing. */
export interface SeatBounds {
  readonly nominal: number;
  readonly min: number;
  readonly max: number;
}

/** The seats of each level, in order: shares of a server's `total`, rounded up as in upstream. */
export function boundsOf(total: number, levels: readonly PriorityLevelConfiguration[]): SeatBounds[] {
  const shares = levels.map(({ spec }) => (spec.limited ?? spec.exempt)?.nominalConcurrencyShares ?? 0);
  const sum = shares.reduce((acc, share) => acc + share, 0);
  return levels.map(({ spec }, index) => {
    const nominal = sum === 0 ? 0 : Math.ceil((total * (shares[index] ?? 0)) / sum);
    const lendable = (spec.limited ?? spec.exempt)?.lendablePercent ?? 0;
    const borrowing = spec.limited?.borrowingLimitPercent;
    return {
      nominal,
      min: nominal - Math.round((nominal * lendable) / 100),
      max: nominal + (borrowing === undefined ? total : Math.round((nominal * borrowing) / 100)),
    };
  });
}

/** A level's claim: `target` seats, between its bounds. */
export interface SeatClaim {
  readonly min: number;
  readonly max: number;
  readonly target: number;
}

/** Minimum target, so that levels without demand also get a proportional number of seats. */
const MIN_TARGET = 0.001;
const STEPS = 60;

/** Divides `total`: each claim gets the same fraction of its target, within its bounds. */
export function allocateSeats(total: number, claims: readonly SeatClaim[]): number[] {
  const targets = claims.map(({ target }) => Math.max(target, MIN_TARGET));
  const at = (fraction: number) =>
    claims.map(({ min, max }, index) => Math.min(max, Math.max(min, fraction * (targets[index] ?? 0))));
  const sumAt = (fraction: number) => at(fraction).reduce((acc, seats) => acc + seats, 0);
  let low = 0;
  let high = Math.max(0, ...claims.map(({ max }, index) => max / (targets[index] ?? 1)));
  if (sumAt(high) <= total) return at(high);
  for (let step = 0; step < STEPS; step++) {
    const middle = (low + high) / 2;
    if (sumAt(middle) <= total) low = middle;
    else high = middle;
  }
  return at(low);
}
