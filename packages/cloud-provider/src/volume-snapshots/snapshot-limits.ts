import {
  type EnforcedExcesses,
  enforceLimits,
  enforcementChangeDelayMs,
  featureExcess,
} from '@fairway/api/limits/in-cluster';
import type { Clock } from '@fairway/base/clock';
import type { Pass } from '@fairway/tenancy/reconcile/pass';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { SnapshotScope } from './snapshot-dependencies.ts';

/** How often to check whether the plan now allows snapshots. */
const REFUSED_RETRY_MS = 900_000;

/** Whether the plan of the cluster refuses new snapshots, or warns about them. A refused snapshot is requeued. */
export function snapshotLimit({ limits }: SnapshotScope, clock: Clock, pass: Pass): EnforcedExcesses {
  const excess = featureExcess(limits, 'VolumeSnapshots');
  const enforced = enforceLimits(excess ? [excess] : [], limits, clock.now());
  if (enforced.refusals.length > 0) {
    pass.requeueAfter(REFUSED_RETRY_MS);
    pass.requeueAfter(enforcementChangeDelayMs(limits, clock.now()));
  }
  return enforced;
}

/** Throws a ProblemError if the plan of the cluster refuses new snapshots. */
export function requireSnapshotAllowed(scope: SnapshotScope, clock: Clock, pass: Pass): void {
  const [message] = snapshotLimit(scope, clock, pass).refusals;
  if (message !== undefined) throw new ProblemError({ reason: 'ConfigurationInvalid', message });
}
