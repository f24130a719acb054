import { actionRequiredBy, type ConditionReason } from '@fairway/api/conditions';
import { pluralize } from '@fairway/api/domain/pluralize';
import { versionOfTarget } from '@fairway/api/domain/upgrade-target';
import type { Machine } from '@fairway/api/kinds/machine';
import type { RenewalMark } from '@fairway/api/kinds/machine-marks';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import type { EventRecorder } from '@fairway/kube/events/recorder';

export type Announcer = Pick<EventRecorder, 'normal' | 'warning'>;

/** Records Events about a pool's upgrade since it was last written. */
export function recordPoolUpgradeEvents(events: Announcer, pool: NodePool, upgrade: PoolUpgrade): void {
  const last = pool.status?.upgrade;
  const { state, reason, message = '', summary, target, total, strategy } = upgrade;
  const isNew = last?.target !== target || (last.startTime === undefined && upgrade.startTime !== undefined);
  if (isNew && upgrade.startTime !== undefined) {
    events.normal(
      pool,
      'UpgradeStarted',
      `${pluralize(total, 'node')} to update to ${describeTarget(pool, target)} (${strategy})`,
    );
  }
  if (last?.target === target && upgrade.done > last.done)
    events.normal(pool, 'NodeRenewed', `${summary} nodes are updated`);
  if (state === 'Complete') {
    if (last?.state !== 'Complete' || last.target !== target) {
      const what =
        total === 0
          ? `no node left to update: all have ${describeTarget(pool, target)}`
          : `all nodes are updated to ${describeTarget(pool, target)} (${summary})`;
      events.normal(pool, 'UpgradeComplete', what);
    }
    return;
  }
  if (reason === undefined) {
    if (last?.target === target && last.reason !== undefined && state === 'Running') {
      events.normal(pool, 'UpgradeContinued', `the upgrade has resumed: ${summary} nodes are done`);
    }
    return;
  }
  if (last?.target === target && last.reason === reason) return;
  const record = actionRequiredBy(reason as ConditionReason) === 'fairway' ? events.normal : events.warning;
  record.call(events, pool, reason, `${summary} nodes are updated: ${message}`);
}

/** What nodes are updated to, in terms of the pool's spec. */
function describeTarget({ spec: { flavor, image } }: NodePool, target: string): string {
  return `version ${versionOfTarget(target)}, flavor ${flavor}${image ? `, image ${image}` : ''}`;
}

/** Records an Event on a Machine when its update starts. */
export function recordUpdateEvent(events: Announcer, machine: Machine, mark: RenewalMark): void {
  if (!mark.due || machine.status?.marks?.renewal?.due) return;
  const how =
    mark.strategy === 'Rolling'
      ? 'a new node is created, then this one is deleted'
      : 'the node is drained and reinstalled';
  events.normal(machine, 'RenewalStarted', `${how}: ${mark.message}`);
}
