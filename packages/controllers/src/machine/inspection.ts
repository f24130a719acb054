import { ConditionReason, ConditionType } from '@fairway/api/conditions';
import { keepWish, MAX_KEPT } from '@fairway/api/domain/inspection';
import { isWithoutNodes } from '@fairway/api/domain/reset';
import { KEEP_ANNOTATION } from '@fairway/api/group';
import type { Machine } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import { keyOf } from '@fairway/kube/client/object-key';
import { type ConditionState, findCondition } from '@fairway/kube/controller/conditions';
import { isBeingDeleted } from '@fairway/kube/controller/finalizers';
import { machinesByPool } from '@fairway/tenancy/cache-indexes';
import type { Problem } from '@fairway/tenancy/problem';
import type { MachineScope } from './scope.ts';

/** How long before its end people are told of it once more. */
const ENDING_MS = 3_600_000;
/** How often a kept server is looked at besides. */
const LOOK_AGAIN_MS = 600_000;

/** What is said of a machine that stays, and is to be kept once it is replaced; undefined if nobody asks for it. Pure. */
export function keepCondition(machine: Machine, nowMs: number): ConditionState | undefined {
  const wish = keepWish(machine, nowMs);
  if (wish === undefined) return undefined;
  const type = ConditionType.KeptForInspection;
  const status = 'False';
  if ('problem' in wish) {
    return { type, status, reason: ConditionReason.KeepRefused, message: `${KEEP_ANNOTATION}: ${wish.problem}` };
  }
  const value = machine.metadata.annotations?.[KEEP_ANNOTATION];
  const message = `when the machine is replaced or deleted, its server stays for inspection: ${value}`;
  return { type, status, reason: ConditionReason.KeepRequested, message };
}

/** Why the server of a machine that is being deleted is not deleted yet, and when to look again. */
export interface Keeping extends Problem {
  readonly retryAfterMs: number;
}

/**
 * Whether the server of a machine that is being deleted is kept for inspection. Undefined when it is not: nobody asks for it, the time is over, there is no
 * server, enough of the pool are kept, its pool or cluster goes or rests, or a reset takes all nodes.
 */
export async function keepingOf(scope: MachineScope): Promise<Keeping | undefined> {
  const { machine, cluster, pool } = scope;
  const isEnding = cluster === undefined || pool === undefined || isBeingDeleted(cluster) || isBeingDeleted(pool);
  if (isEnding || isWithoutNodes(cluster)) return undefined;
  const untilMs = keptUntilMs(machine, scope.now());
  if (untilMs === undefined || !isAmongFirst(scope) || !(await hasServer(scope))) return undefined;
  const leftMs = untilMs - scope.now();
  const isLate = leftMs <= ENDING_MS;
  const way = `to let it go now: kubectl annotate machine ${machine.metadata.name} ${KEEP_ANNOTATION}-`;
  const message = `the machine is replaced, and its server is kept for inspection until ${formatTime(untilMs)}; ${way}`;
  const reason = isLate ? ConditionReason.KeepEnding : ConditionReason.KeptForInspection;
  return { reason, message, retryAfterMs: Math.min(isLate ? leftMs : leftMs - ENDING_MS, LOOK_AGAIN_MS) + 1 };
}

/** Also as long as nobody knows: a list may be late, or miss one. Rejects with the cloud's error. */
async function hasServer(scope: MachineScope): Promise<boolean> {
  const owned = await scope.listedServers();
  if (owned === undefined) return false;
  if (owned.kind === 'settling' || owned.items.length > 0) return true;
  const isKnown = scope.machine.status?.serverID !== undefined && owned.deleting.length === 0;
  return isKnown && !(await scope.hasLostServer(owned));
}

/** Tells when it begins, and an hour before it ends; once each. */
export function announceKeeping({ machine, dependencies }: MachineScope, keeping: Keeping): void {
  const last = findCondition(machine.status?.conditions, ConditionType.KeptForInspection);
  if (last?.status === 'True' && last.reason === keeping.reason) return;
  dependencies.events.warning(machine, keeping.reason, keeping.message);
}

function keptUntilMs(machine: Machine, nowMs: number): number | undefined {
  const wish = keepWish(machine, Date.parse(machine.metadata.deletionTimestamp ?? ''));
  return wish !== undefined && 'untilMs' in wish && wish.untilMs > nowMs ? wish.untilMs : undefined;
}

/** The first ones to be deleted are kept. */
function isAmongFirst({ machine, pool, dependencies }: MachineScope): boolean {
  const ofPool = dependencies.cache.machines.find(machinesByPool, pool ? keyOf(pool) : '');
  return keptBefore(machine, ofPool, dependencies.clock.now()) < MAX_KEPT;
}

/** How many machines of its pool are kept before it; servers that are going, or gone, are not, whatever the annotation says by now. Pure. */
export function keptBefore(machine: Machine, ofPool: readonly Machine[], nowMs: number): number {
  const kept = ofPool.filter(
    (each) =>
      isBeingDeleted(each) &&
      each.status?.phase !== 'Terminated' &&
      each.status?.serverID !== undefined &&
      keptUntilMs(each, nowMs) !== undefined,
  );
  const order = ({ metadata }: Machine) => `${metadata.deletionTimestamp} ${metadata.name}`;
  return kept.filter((each) => order(each) < order(machine)).length;
}
