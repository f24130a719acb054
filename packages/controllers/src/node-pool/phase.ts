import { ConditionReason, turnOf } from '@fairway/api/conditions';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePoolStatus } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import type { LastOperation } from '@fairway/api/kinds/status';
import type { ConditionState } from '@fairway/kube/controller/conditions';
import { isBroken } from './availability.ts';

/** Machines of a pool; those that are leaving count apart from all others. */
export interface Counts {
  readonly desired: number;
  readonly staying: number;
  readonly ready: number;
  readonly leaving: number;
}

export interface PhaseFacts {
  readonly machinesReady: ConditionState;
  readonly counts: Counts;
  /** Without those that are leaving. */
  readonly staying: readonly Machine[];
  /** What the pool does: a Scale is asked for, a Reconcile is not. */
  readonly operation: LastOperation['type'];
  /** Whether it is the pool itself that cannot be as it should, rather than one of its machines. */
  readonly hasProblem: boolean;
  readonly isRenewing: boolean;
}

/**
 * The phase of a pool, by cause. Degraded: something that was right is wrong, or a deadline has passed. Scaling: something was asked for and
 * is not there yet, whoever has to act for it. Failed: one that never was ready waits for a user or the operator.
 */
export function poolPhase(facts: PhaseFacts, last: NodePoolStatus['phase']): NonNullable<NodePoolStatus['phase']> {
  const { machinesReady, counts, staying, operation, hasProblem, isRenewing } = facts;
  if (machinesReady.status === 'True') return isRenewing ? 'Updating' : 'Ready';
  const reason = machinesReady.reason as ConditionReason;
  if (reason === ConditionReason.NodeStartupTimeout) return 'Degraded';
  const wasReady = last !== undefined && last !== 'Pending' && last !== 'Provisioning' && last !== 'Failed';
  if (!wasReady) {
    const turn = turnOf(reason);
    if (turn === 'user' || turn === 'operator') return 'Failed';
    return counts.staying === 0 ? 'Pending' : 'Provisioning';
  }
  if (staying.some(isBroken)) return 'Degraded';
  if (isRenewing) return 'Updating';
  // Nothing is to be made: what is there is in question.
  if (hasProblem && counts.staying >= counts.desired) return 'Degraded';
  return operation === 'Scale' ? 'Scaling' : 'Degraded';
}

/** What is done to machines that are there. */
export interface PoolWork {
  readonly isRenewing: boolean;
  readonly isHealing: boolean;
}

/** As marked by others; a machine that goes for it counts until it is gone, one that is reinstalled, and has no mark any more, while the upgrade runs. */
export function poolWork(machines: readonly Machine[], upgrade: PoolUpgrade | undefined): PoolWork {
  return {
    isRenewing: upgrade?.state === 'Running' || machines.some(({ status }) => status?.marks?.renewal?.due),
    isHealing: machines.some(({ status }) => status?.marks?.repair?.due),
  };
}

/** An operation keeps its type until it has succeeded; what a person asks for meanwhile is one too. */
export function poolOperation(
  last: LastOperation | undefined,
  counts: Counts,
  isAsked: boolean,
  { isRenewing, isHealing }: PoolWork,
): LastOperation['type'] {
  if (last === undefined) return 'Create';
  if (last.type !== 'Create' || last.state === 'Succeeded') {
    if (isHealing) return 'Heal';
    if (isRenewing) return 'Upgrade';
  }
  if (last.state !== 'Succeeded') return isAsked && last.type === 'Reconcile' ? 'Scale' : last.type;
  const isAsWanted = counts.staying === counts.desired && counts.leaving === 0;
  return isAsked || !isAsWanted ? 'Scale' : 'Reconcile';
}
