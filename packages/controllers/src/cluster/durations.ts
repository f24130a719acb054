import type { Durations, LastOperation, MeasuredOperation } from '@fairway/api/kinds/status';
import { elapsedSeconds, isOver, workedSeconds } from '../operation.ts';

/** Operations whose duration does not depend on the number of nodes, because these are created and deleted in parallel. */
const OPERATIONS: ReadonlySet<string> = new Set<MeasuredOperation>(['Hibernate', 'Wake', 'Reset', 'Restore']);

interface DurationFacts {
  /** The status before and after this pass. */
  readonly before: LastOperation | undefined;
  readonly now: LastOperation;
  /** Whether the control plane has reached the state that the operation requires, in this pass. */
  readonly isControlPlaneDone: boolean;
}

/** `status.durations` with the operations that ended in this pass. Pure. */
export function nextDurations(known: Durations | undefined, seen: DurationFacts, nowMs: number): Durations | undefined {
  const { before, now, isControlPlaneDone } = seen;
  const takenSeconds = elapsedSeconds(before, now, nowMs);
  const measured = new Map(known?.map(({ what, seconds }) => [what, seconds]));
  if (takenSeconds !== undefined && isMeasured(now.type)) measured.set(now.type, takenSeconds);
  if (isControlPlaneDone && before?.type === now.type && now.startTime !== undefined && isFirstStep(before)) {
    measured.set('ControlPlane', workedSeconds(now, nowMs));
  }
  if (measured.size === 0) return known;
  return [...measured].map(([what, seconds]) => ({ what, seconds }));
}

/**
 * Whether the control plane was the first step of the operation. An upgrade that is followed by another one before it
 * ends continues as the same operation, so its duration includes the nodes of the first upgrade.
 */
function isFirstStep(before: LastOperation): boolean {
  return !isOver(before) && (before.type !== 'Upgrade' || !before.steps?.done);
}

/** How long the operation took last time; undefined if it has not been measured yet. */
export function measuredSeconds(known: Durations | undefined, what: string): number | undefined {
  return known?.find((each) => each.what === what)?.seconds;
}

function isMeasured(type: string): type is MeasuredOperation {
  return OPERATIONS.has(type);
}
