import { actionRequiredBy, ConditionReason } from '@fairway/api/conditions';
import { requiredUpdate, updateTarget } from '@fairway/api/domain/required-update';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import type { LastOperation } from '@fairway/api/kinds/status';
import { formatTime } from '@fairway/base/clock';
import { isOver, type Operation, percentDone } from '../operation.ts';
import { isUnderWay, targetName } from '../upgrade/progress.ts';
import { measuredSeconds } from './durations.ts';
import type { VersionChoice } from './version-facts.ts';

export interface UpgradeFacts {
  /** Undefined if not decided in this pass. */
  readonly choice: VersionChoice | undefined;
  /** The control plane's version. */
  readonly version: string | undefined;
  readonly pools: readonly NodePool[];
  /** Called only between the control plane's upgrade and the first check of its pools. */
  readonly machinesOf: (pool: NodePool) => readonly Machine[];
  /**
   * How long the nodes take to upgrade; undefined if not observed yet. Called only while the control plane is updated.
   */
  readonly nodeUpgradeSeconds: (version: string) => number | undefined;
}

/** The remaining work in a pool. */
interface RemainingWork {
  readonly pool: NodePool;
  readonly pending: number;
  readonly done: number;
  /** Undefined until the pool has been checked after a change of its target. */
  readonly upgrade: PoolUpgrade | undefined;
}

/**
 * An upgrade of a cluster as one operation: the control plane is a step, and so is each node of its pools. Undefined if
 * none is in progress: an upgrade that waits for its window, its rollout slot or the user is reported by the condition
 * UpToDate. Pure: the total number of steps is stored in the operation itself.
 */
export function upgradeOperation(stored: Cluster, facts: UpgradeFacts): Operation | undefined {
  const { choice, version } = facts;
  const last = stored.status?.lastOperation;
  const isInProgress = last?.type === 'Upgrade' && !isOver(last);
  if (version === undefined) return undefined;
  const cluster = { ...stored, status: { ...stored.status, version } };
  const pools = facts.pools.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const isControlPlaneDue = (choice?.version ?? stored.status?.desiredVersion ?? version) !== version;
  const before = stored.status?.version;
  const isControlPlaneDone = before !== undefined && before !== version;
  const isKnownInProgress = isInProgress || isControlPlaneDone;
  const remaining = pools.flatMap((pool) =>
    remainingWork(pool, cluster, isControlPlaneDue, isKnownInProgress ? facts : undefined),
  );
  const pending = sum(remaining.map((rest) => rest.pending)) + Number(isControlPlaneDue);
  const hasStarted =
    isControlPlaneDue || isKnownInProgress || remaining.some(({ upgrade }) => upgrade?.startTime !== undefined);
  if (pending === 0)
    return last?.type === 'Upgrade' && last.state !== 'Succeeded' ? abortedOperation(pools, last) : undefined;
  if (!hasStarted) return undefined;
  const counted = sum(remaining.map((rest) => rest.done)) + pending;
  const total = isInProgress ? Math.max(last.steps?.total ?? 0, counted) : counted + Number(isControlPlaneDone);
  const steps = { done: total - pending, total };
  const base = { type: 'Upgrade', progress: percentDone(steps), steps } as const;
  if (isControlPlaneDue) {
    const description = choice?.waiting?.message ?? 'the control plane is being updated';
    // If the nodes were updated first, the total duration was never measured.
    const expectedSeconds = isInProgress && steps.done > 0 ? undefined : totalSeconds(stored, facts);
    return { ...base, state: 'Processing', description, expectedSeconds };
  }
  return {
    ...base,
    expectedSeconds: isInProgress ? estimatedSeconds(last) : undefined,
    ...operationStateOf(remaining),
  };
}

/** The earlier estimate, until the nodes provide a better one. */
function estimatedSeconds({ startTime, estimatedEndTime, waitedSeconds = 0 }: LastOperation): number | undefined {
  if (startTime === undefined || estimatedEndTime === undefined) return undefined;
  return (Date.parse(estimatedEndTime) - Date.parse(startTime)) / 1000 - waitedSeconds;
}

/** How long the control plane and the nodes took last time. */
function totalSeconds({ status }: Cluster, { choice, nodeUpgradeSeconds }: UpgradeFacts): number | undefined {
  const first = measuredSeconds(status?.durations, 'ControlPlane');
  const targetVersion = choice?.version ?? status?.desiredVersion;
  const nodes = first === undefined || targetVersion === undefined ? undefined : nodeUpgradeSeconds(targetVersion);
  return first === undefined || nodes === undefined ? undefined : first + nodes;
}

function remainingWork(
  pool: NodePool,
  cluster: Cluster,
  isControlPlaneDue: boolean,
  facts: Pick<UpgradeFacts, 'machinesOf'> | undefined,
): RemainingWork[] {
  const { replicas = 0, upgrade } = pool.status ?? {};
  if (isControlPlaneDue) return [{ pool, pending: replicas, done: 0, upgrade: undefined }];
  const target = updateTarget(pool, cluster);
  if (target !== undefined && upgrade?.target === targetName(target)) {
    return isUnderWay(upgrade) ? [{ pool, pending: upgrade.total - upgrade.done, done: upgrade.done, upgrade }] : [];
  }
  const outdated = facts?.machinesOf(pool).filter(({ spec }) => requiredUpdate(pool, cluster, spec)) ?? [];
  return outdated.length === 0 ? [] : [{ pool, pending: outdated.length, done: 0, upgrade: undefined }];
}

/** An aborted operation ends, and reports the abort until another operation starts. */
function abortedOperation(pools: readonly NodePool[], last: Operation): Operation | undefined {
  const aborted = pools.find(({ status }) => status?.upgrade?.state === 'Aborted');
  if (aborted === undefined) return undefined;
  const { progress, steps } = last;
  const { reason, since } = aborted.status?.upgrade ?? {};
  const description = `the upgrade of pool ${aborted.metadata.name} was aborted: its remaining nodes are left unchanged`;
  return { type: 'Upgrade', state: 'Failed', progress, description, steps, reason, since };
}

/** What is in progress, or what it is waiting for: taken from the pool on which someone must act, if there is one. */
function operationStateOf(
  remaining: readonly RemainingWork[],
): Pick<Operation, 'state' | 'description'> & Partial<Operation> {
  const running = remaining.filter(({ upgrade }) => upgrade?.state === 'Running');
  const halted = remaining.find(({ upgrade }) => upgrade?.state === 'Halted');
  const isAdvancing = running.some(({ upgrade }) => upgrade?.reason === undefined);
  const waiting = isAdvancing ? undefined : (running[0] ?? remaining.find(isNextPool) ?? remaining[0]);
  const reportedWork = halted ?? waiting;
  if (reportedWork?.upgrade?.reason !== undefined && reportedWork.upgrade.reason !== ConditionReason.WaitingForPools) {
    const { reason, message, since } = reportedWork.upgrade;
    const isOwn = actionRequiredBy(reason as ConditionReason) === 'fairway';
    const isPending = running.length === 0 && halted === undefined;
    return {
      state: isOwn && !isPending ? 'Processing' : isPending ? 'Pending' : 'Error',
      description: `pool ${reportedWork.pool.metadata.name}: ${message}`,
      reason,
      since,
    };
  }
  if (running.length === 0) {
    const isNext = reportedWork?.upgrade !== undefined;
    const description = isNext
      ? `pool ${reportedWork.pool.metadata.name} is next`
      : 'the nodes are updated after the control plane';
    return { state: 'Processing', description };
  }
  const names = running.map(({ pool }) => pool.metadata.name ?? '').sort();
  const listed = `${names.slice(0, MAX_NAMED_POOLS).join(', ')}${names.length > MAX_NAMED_POOLS ? ', …' : ''}`;
  return {
    state: 'Processing',
    description: `the nodes of pool ${listed} are being updated`,
    estimatedEndTime: estimateOf(remaining),
  };
}

const MAX_NAMED_POOLS = 3;

function isNextPool({ upgrade }: RemainingWork): boolean {
  return upgrade !== undefined && upgrade.reason !== ConditionReason.WaitingForPools;
}

/**
 * When the last pool is done, assuming that pools upgraded later take as long per node as the slowest active one;
 * undefined if none has an estimate.
 */
function estimateOf(remaining: readonly RemainingWork[]): string | undefined {
  let endMs = Number.NEGATIVE_INFINITY;
  let perNodeMs = 0;
  let later = 0;
  for (const { upgrade, pending } of remaining) {
    if (upgrade?.state === 'Running') {
      const { estimatedEndTime, pace, done } = upgrade;
      if (estimatedEndTime === undefined || pace?.lastTime === undefined) return undefined;
      endMs = Math.max(endMs, Date.parse(estimatedEndTime));
      perNodeMs = Math.max(
        perNodeMs,
        (Date.parse(pace.lastTime) - Date.parse(pace.time)) / Math.max(done - pace.done, 1),
      );
    } else if (upgrade?.reason === ConditionReason.WaitingForPools) later += pending;
    else return undefined;
  }
  return Number.isFinite(endMs) ? formatTime(endMs + perNodeMs * later) : undefined;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => a + b, 0);
}
