import { type ConditionReason, turnOf } from '@fairway/api/conditions';
import { counted } from '@fairway/api/domain/counted';
import type { Machine } from '@fairway/api/kinds/machine';
import type { RenewalMark } from '@fairway/api/kinds/machine-marks';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import type { EventRecorder } from '@fairway/kube/events/recorder';

export type Announcer = Pick<EventRecorder, 'normal' | 'warning'>;

/** Tells on a pool what has become of its upgrade since it was last written. */
export function announceUpgrade(events: Announcer, pool: NodePool, upgrade: PoolUpgrade): void {
  const last = pool.status?.upgrade;
  const { state, reason, message = '', summary, target, total, strategy } = upgrade;
  const isNew = last?.target !== target || (last.startTime === undefined && upgrade.startTime !== undefined);
  if (isNew && upgrade.startTime !== undefined) {
    events.normal(pool, 'UpgradeStarted', `${counted(total, 'node')} to renew to ${target} (${strategy})`);
  }
  if (last?.target === target && upgrade.done > last.done)
    events.normal(pool, 'NodeRenewed', `${summary} nodes are renewed`);
  if (state === 'Complete') {
    if (last?.state !== 'Complete' || last.target !== target) {
      const what =
        total === 0
          ? `nothing is left to renew: all nodes are of ${target}`
          : `all nodes are renewed to ${target} (${summary})`;
      events.normal(pool, 'UpgradeComplete', what);
    }
    return;
  }
  if (reason === undefined) {
    if (last?.target === target && last.reason !== undefined && state === 'Running') {
      events.normal(pool, 'UpgradeContinued', `nodes are renewed again, ${summary} are done`);
    }
    return;
  }
  if (last?.target === target && last.reason === reason) return;
  const tell = turnOf(reason as ConditionReason) === 'fairway' ? events.normal : events.warning;
  tell.call(events, pool, reason, `${summary} nodes are renewed: ${message}`);
}

/** Tells on a Machine that its turn has come. */
export function announceTurn(events: Announcer, machine: Machine, mark: RenewalMark): void {
  if (!mark.due || machine.status?.marks?.renewal?.due) return;
  const how =
    mark.strategy === 'Rolling' ? 'a new node is made, then this one goes' : 'it is drained and installed again';
  events.normal(machine, 'RenewalStarted', `${how}: ${mark.message}`);
}
