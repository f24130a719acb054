import { ConditionReason } from '@fairway/api/conditions';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { HealingRecord, PastRepair } from '@fairway/api/kinds/node-pool-healing';
import type { EventRecorder } from '@fairway/kube/events/recorder';
import type { HealingMetrics } from './metrics.ts';
import type { RepairDecision } from './repair-plan.ts';

/** Records Events about the decision for a machine, once for each change of its mark. */
export function recordRepairEvents(
  { machine, mark }: RepairDecision,
  events: EventRecorder,
  metrics: HealingMetrics | undefined,
): void {
  const last = machine.status?.marks?.repair;
  if (mark === undefined || mark === last) return;
  const { reason, strategy, message } = mark;
  if (!mark.due) {
    if (last !== undefined && !last.due && last.reason === reason) return;
    events.warning(machine, 'RepairHeld', message);
    metrics?.held(reason);
    return;
  }
  metrics?.started(mark);
  if (reason === ConditionReason.ServerVanished) {
    events.warning(machine, reason, `${message}; the machine is replaced`);
    return;
  }
  const strategyNote = strategy === 'Reinstall' ? 'the server is reinstalled' : 'another machine replaces it';
  const { console = [] } = machine.status?.startup ?? {};
  const lines = reason === ConditionReason.NodeStartupTimeout ? console.slice(-3).join(' | ') : '';
  events.warning(
    machine,
    'RepairStarted',
    `${strategyNote}: ${message}${lines === '' ? '' : `; its console: ${lines}`}`,
  );
}

/** Records the results of repairs on the pool: the machine may no longer exist. */
export function recordRepairOutcomes(
  pool: NodePool,
  next: HealingRecord | undefined,
  events: EventRecorder,
  metrics: HealingMetrics | undefined,
): void {
  const known = pool.status?.healing?.repairs ?? [];
  for (const repair of next?.repairs ?? []) {
    const last = known.find(({ machine, time }) => machine === repair.machine && time === repair.time);
    if (repair.hasFailed && !last?.hasFailed) {
      metrics?.ended(repair, 'failed');
      events.warning(
        pool,
        'RepairFailed',
        `${describe(repair)} did not help; the next one starts no earlier than ${next?.notBefore}`,
      );
    } else if (repair.endTime !== undefined && last?.endTime === undefined) {
      metrics?.ended(repair, 'ended');
      events.normal(pool, 'Repaired', `${describe(repair)} is complete`);
    }
  }
}

function describe({ machine, time, reason, strategy }: PastRepair): string {
  return `the repair of ${machine} (${reason}, ${strategy}, started at ${time})`;
}
