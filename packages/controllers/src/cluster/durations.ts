import type { Durations, LastOperation, Measured } from '@fairway/api/kinds/status';
import { isOver, secondsTaken, secondsWorked } from '../operation.ts';

/** Operations that take about as long as the last time, however many nodes there are: these come and go side by side. */
const OPERATIONS: ReadonlySet<string> = new Set<Measured>(['Hibernate', 'Wake', 'Reset', 'Restore']);

interface Seen {
  /** Before and after this pass. */
  readonly before: LastOperation | undefined;
  readonly now: LastOperation;
  /** Whether the control plane has become what the operation asks of it in this pass. */
  readonly isControlPlaneDone: boolean;
}

/** `status.durations` with what has ended in this pass. Pure. */
export function nextDurations(known: Durations | undefined, seen: Seen, nowMs: number): Durations | undefined {
  const { before, now, isControlPlaneDone } = seen;
  const taken = secondsTaken(before, now, nowMs);
  const measured = new Map(known?.map(({ what, seconds }) => [what, seconds]));
  if (taken !== undefined && isMeasured(now.type)) measured.set(now.type, taken);
  if (isControlPlaneDone && before?.type === now.type && now.startTime !== undefined && isFirstStep(before)) {
    measured.set('ControlPlane', secondsWorked(now, nowMs));
  }
  if (measured.size === 0) return known;
  return [...measured].map(([what, seconds]) => ({ what, seconds }));
}

/** An upgrade that is followed by another one before it has ended goes on as the same: the nodes of the first are in its time. */
function isFirstStep(before: LastOperation): boolean {
  return !isOver(before) && (before.type !== 'Upgrade' || !before.steps?.done);
}

/** How long it took the last time; undefined: it was not measured yet. */
export function measuredSeconds(known: Durations | undefined, what: string): number | undefined {
  return known?.find((each) => each.what === what)?.seconds;
}

function isMeasured(type: string): type is Measured {
  return OPERATIONS.has(type);
}
