import { actionRequiredBy, type ConditionReason } from '@fairway/api/conditions';
import type { Machine } from '@fairway/api/kinds/machine';
import type { ClusterView } from './cluster-view.ts';
import { type Goal, poolReady } from './goal.ts';
import { DONE, type Outcome, RUNNING } from './step.ts';

/** A machine was reinstalled for this request and is Ready, or it was deleted and its pool is complete. */
export function machineRepaired(target: Machine, requested: string, poolName: string): Goal {
  const pool = poolReady(poolName);
  const { name, uid } = target.metadata;
  const find = ({ machines }: ClusterView) => machines.find(({ metadata }) => metadata.uid === uid);
  const hasStarted = ({ pools }: ClusterView) =>
    pools
      .find(({ metadata }) => metadata.name === poolName)
      ?.status?.healing?.requests?.some((request) => request.machine === name && request.value === requested) === true;
  return {
    subject: `machine "${name}"`,
    steps: (view) => {
      const machine = find(view);
      const title = `machine ${name}`;
      const isDone = machine === undefined || outcomeOf(machine, hasStarted(view)).state === 'done';
      const state = isDone ? ('done' as const) : ('running' as const);
      return [{ key: title, title, state, detail: detailOf(machine) }, ...pool.steps(view)];
    },
    outcome: (view) => {
      const machine = find(view);
      return machine === undefined ? pool.outcome(view) : outcomeOf(machine, hasStarted(view));
    },
  };
}

function outcomeOf({ metadata, status }: Machine, hasStarted: boolean): Outcome {
  if (metadata.deletionTimestamp !== undefined) return RUNNING;
  const { repair } = status?.marks ?? {};
  if (repair?.due) return RUNNING;
  if (repair !== undefined) {
    // A newer server may have reasons that this client does not recognise.
    const turn: string | undefined = actionRequiredBy(repair.reason as ConditionReason);
    const { reason, message } = repair;
    return turn === 'user' || turn === 'operator' ? { state: 'blocked', reason, message } : RUNNING;
  }
  return hasStarted && status?.phase === 'Ready' ? DONE : RUNNING;
}

function detailOf(machine: Machine | undefined): string {
  if (machine === undefined) return 'replaced';
  const { marks, lastOperation } = machine.status ?? {};
  if (marks?.repair?.due === false) return marks.repair.message;
  return marks?.repair === undefined ? '' : (lastOperation?.description ?? '');
}
