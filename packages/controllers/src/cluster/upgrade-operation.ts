import { ConditionReason, turnOf } from '@fairway/api/conditions';
import { renewalNeed, renewalTarget } from '@fairway/api/domain/renewal-need';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { PoolUpgrade } from '@fairway/api/kinds/node-pool-upgrade';
import type { LastOperation } from '@fairway/api/kinds/status';
import { formatTime } from '@fairway/base/clock';
import { isOver, type Operation, percentOf } from '../operation.ts';
import { isUnderWay, targetName } from '../upgrade/progress.ts';
import { measuredSeconds } from './durations.ts';
import type { VersionChoice } from './version-facts.ts';

export interface UpgradeFacts {
  /** Undefined: not decided in this pass. */
  readonly choice: VersionChoice | undefined;
  /** Of the control plane. */
  readonly version: string | undefined;
  readonly pools: readonly NodePool[];
  /** Asked only between the control plane's upgrade and the first look at its pools. */
  readonly machinesOf: (pool: NodePool) => readonly Machine[];
  /** How long the nodes take; undefined: nothing was seen of them yet. Asked only while the control plane is updated. */
  readonly renewalSeconds: (version: string) => number | undefined;
}

/** What is left to do in a pool. */
interface Rest {
  readonly pool: NodePool;
  readonly pending: number;
  readonly done: number;
  /** Undefined as long as the pool has not been looked at since its target changed. */
  readonly upgrade: PoolUpgrade | undefined;
}

/**
 * An upgrade of a cluster as one operation: the control plane is a step, and so is each node of its pools. Undefined while there is none: what only waits for its
 * window, its turn or the user to begin is told by the condition UpToDate. Pure: how many steps it has in all is remembered in the operation itself.
 */
export function upgradeOperation(stored: Cluster, facts: UpgradeFacts): Operation | undefined {
  const { choice, version } = facts;
  const last = stored.status?.lastOperation;
  const isGoingOn = last?.type === 'Upgrade' && !isOver(last);
  if (version === undefined) return undefined;
  const cluster = { ...stored, status: { ...stored.status, version } };
  const pools = facts.pools.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const isControlPlaneDue = (choice?.version ?? stored.status?.desiredVersion ?? version) !== version;
  const before = stored.status?.version;
  const isControlPlaneDone = before !== undefined && before !== version;
  const isKnownToGoOn = isGoingOn || isControlPlaneDone;
  const rests = pools.flatMap((pool) => restOf(pool, cluster, isControlPlaneDue, isKnownToGoOn ? facts : undefined));
  const pending = sum(rests.map((rest) => rest.pending)) + Number(isControlPlaneDue);
  const isBegun = isControlPlaneDue || isKnownToGoOn || rests.some(({ upgrade }) => upgrade?.startTime !== undefined);
  if (pending === 0)
    return last?.type === 'Upgrade' && last.state !== 'Succeeded' ? abortedOperation(pools, last) : undefined;
  if (!isBegun) return undefined;
  const counted = sum(rests.map((rest) => rest.done)) + pending;
  const total = isGoingOn ? Math.max(last.steps?.total ?? 0, counted) : counted + Number(isControlPlaneDone);
  const steps = { done: total - pending, total };
  const base = { type: 'Upgrade', progress: percentOf(steps), steps } as const;
  if (isControlPlaneDue) {
    const description = choice?.waiting?.message ?? 'the control plane is being updated';
    // Where nodes came first, nobody has measured what all of it takes.
    const expectedSeconds = isGoingOn && steps.done > 0 ? undefined : secondsOfAll(stored, facts);
    return { ...base, state: 'Processing', description, expectedSeconds };
  }
  return { ...base, expectedSeconds: isGoingOn ? secondsToldBy(last) : undefined, ...standingOf(rests) };
}

/** As estimated before, until the nodes tell better. */
function secondsToldBy({ startTime, estimatedEndTime, waitedSeconds = 0 }: LastOperation): number | undefined {
  if (startTime === undefined || estimatedEndTime === undefined) return undefined;
  return (Date.parse(estimatedEndTime) - Date.parse(startTime)) / 1000 - waitedSeconds;
}

/** As long as the control plane and the nodes took before. */
function secondsOfAll({ status }: Cluster, { choice, renewalSeconds }: UpgradeFacts): number | undefined {
  const first = measuredSeconds(status?.durations, 'ControlPlane');
  const wanted = choice?.version ?? status?.desiredVersion;
  const nodes = first === undefined || wanted === undefined ? undefined : renewalSeconds(wanted);
  return first === undefined || nodes === undefined ? undefined : first + nodes;
}

function restOf(
  pool: NodePool,
  cluster: Cluster,
  isControlPlaneDue: boolean,
  facts: Pick<UpgradeFacts, 'machinesOf'> | undefined,
): Rest[] {
  const { replicas = 0, upgrade } = pool.status ?? {};
  if (isControlPlaneDue) return [{ pool, pending: replicas, done: 0, upgrade: undefined }];
  const target = renewalTarget(pool, cluster);
  if (target !== undefined && upgrade?.target === targetName(target)) {
    return isUnderWay(upgrade) ? [{ pool, pending: upgrade.total - upgrade.done, done: upgrade.done, upgrade }] : [];
  }
  const outdated = facts?.machinesOf(pool).filter(({ spec }) => renewalNeed(pool, cluster, spec)) ?? [];
  return outdated.length === 0 ? [] : [{ pool, pending: outdated.length, done: 0, upgrade: undefined }];
}

/** It ends where its user has ended it, and says so until another operation begins. */
function abortedOperation(pools: readonly NodePool[], last: Operation): Operation | undefined {
  const aborted = pools.find(({ status }) => status?.upgrade?.state === 'Aborted');
  if (aborted === undefined) return undefined;
  const { progress, steps } = last;
  const { reason, since } = aborted.status?.upgrade ?? {};
  const description = `the upgrade of pool ${aborted.metadata.name} was aborted: its other nodes stay as they are`;
  return { type: 'Upgrade', state: 'Failed', progress, description, steps, reason, since };
}

/** What goes on, or what is waited for: by the pool that somebody has to look at, if there is one. */
function standingOf(rests: readonly Rest[]): Pick<Operation, 'state' | 'description'> & Partial<Operation> {
  const running = rests.filter(({ upgrade }) => upgrade?.state === 'Running');
  const halted = rests.find(({ upgrade }) => upgrade?.state === 'Halted');
  const isMoving = running.some(({ upgrade }) => upgrade?.reason === undefined);
  const waiting = isMoving ? undefined : (running[0] ?? rests.find(isFirstInLine) ?? rests[0]);
  const told = halted ?? waiting;
  if (told?.upgrade?.reason !== undefined && told.upgrade.reason !== ConditionReason.WaitingForPools) {
    const { reason, message, since } = told.upgrade;
    const isOwn = turnOf(reason as ConditionReason) === 'fairway';
    const isResting = running.length === 0 && halted === undefined;
    return {
      state: isOwn && !isResting ? 'Processing' : isResting ? 'Pending' : 'Error',
      description: `pool ${told.pool.metadata.name}: ${message}`,
      reason,
      since,
    };
  }
  if (running.length === 0) {
    const isNext = told?.upgrade !== undefined;
    const description = isNext ? `pool ${told.pool.metadata.name} is next` : 'the nodes follow the control plane';
    return { state: 'Processing', description };
  }
  const names = running.map(({ pool }) => pool.metadata.name ?? '').sort();
  const listed = `${names.slice(0, NAMED).join(', ')}${names.length > NAMED ? ', …' : ''}`;
  return {
    state: 'Processing',
    description: `the nodes of pool ${listed} are being renewed`,
    estimatedEndTime: estimateOf(rests),
  };
}

const NAMED = 3;

function isFirstInLine({ upgrade }: Rest): boolean {
  return upgrade !== undefined && upgrade.reason !== ConditionReason.WaitingForPools;
}

/** When the last pool is done, if those that come later take as long for a node as the slowest that is at work; undefined while none can tell. */
function estimateOf(rests: readonly Rest[]): string | undefined {
  let endMs = Number.NEGATIVE_INFINITY;
  let perNodeMs = 0;
  let later = 0;
  for (const { upgrade, pending } of rests) {
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
