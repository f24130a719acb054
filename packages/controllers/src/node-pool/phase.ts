import { actionRequiredBy, ConditionReason } from '@fairway/api/conditions';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePoolStatus } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import type { LastOperation } from '@fairway/api/kinds/status';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { isBroken } from './availability.ts';

/** A pool's machines; those that are being deleted are counted separately. */
export interface Counts {
  readonly desired: number;
  readonly staying: number;
  readonly ready: number;
  readonly leaving: number;
}

export interface PhaseFacts {
  readonly machinesReady: ConditionState;
  readonly counts: Counts;
  /** The machines, excluding those being deleted. */
  readonly staying: readonly Machine[];
  /** The pool's operation: a Scale is requested, a Reconcile is not. */
  readonly operation: LastOperation['type'];
  /** Whether the pool itself has the problem, rather than one of its machines. */
  readonly hasProblem: boolean;
  readonly isUpgrading: boolean;
}

/**
 * The phase of a pool, by cause. Degraded: something that worked no longer does, or a deadline has passed. Scaling: a
 * requested change is not complete yet, no matter who has to act. Failed: a pool that was never ready is waiting for a
 * user or the operator.
 */
export function poolPhase(facts: PhaseFacts, last: NodePoolStatus['phase']): NonNullable<NodePoolStatus['phase']> {
  const { machinesReady, counts, staying, operation, hasProblem, isUpgrading } = facts;
  if (machinesReady.status === 'True') return isUpgrading ? 'Updating' : 'Ready';
  const reason = machinesReady.reason as ConditionReason;
  if (reason === ConditionReason.NodeStartupTimeout) return 'Degraded';
  const wasReady = last !== undefined && last !== 'Pending' && last !== 'Provisioning' && last !== 'Failed';
  if (!wasReady) {
    const turn = actionRequiredBy(reason);
    if (turn === 'user' || turn === 'operator') return 'Failed';
    return counts.staying === 0 ? 'Pending' : 'Provisioning';
  }
  if (staying.some(isBroken)) return 'Degraded';
  if (isUpgrading) return 'Updating';
  // Nothing needs to be created: the existing machines are the problem.
  if (hasProblem && counts.staying >= counts.desired) return 'Degraded';
  return operation === 'Scale' ? 'Scaling' : 'Degraded';
}

/** Operations on existing machines. */
export interface PoolWork {
  readonly isUpgrading: boolean;
  readonly isHealing: boolean;
}

/**
 * Derived from marks set by other controllers. A machine that is deleted because of a mark counts until it no longer
 * exists; one that is reinstalled, and no longer has a mark, counts while the upgrade is running.
 */
export function poolWork(machines: readonly Machine[], upgrade: PoolUpgrade | undefined): PoolWork {
  return {
    isUpgrading: upgrade?.state === 'Running' || machines.some(({ status }) => status?.marks?.renewal?.due),
    isHealing: machines.some(({ status }) => status?.marks?.repair?.due),
  };
}

/** An operation keeps its type until it has succeeded, even if a user changes the size in the meantime. */
export function poolOperation(
  last: LastOperation | undefined,
  counts: Counts,
  isRequested: boolean,
  { isUpgrading, isHealing }: PoolWork,
): LastOperation['type'] {
  if (last === undefined) return 'Create';
  if (last.type !== 'Create' || last.state === 'Succeeded') {
    if (isHealing) return 'Heal';
    if (isUpgrading) return 'Upgrade';
  }
  if (last.state !== 'Succeeded') return isRequested && last.type === 'Reconcile' ? 'Scale' : last.type;
  const hasDesiredSize = counts.staying === counts.desired && counts.leaving === 0;
  return isRequested || !hasDesiredSize ? 'Scale' : 'Reconcile';
}
