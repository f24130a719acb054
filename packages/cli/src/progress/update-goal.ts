import { type Goal, readiness, worstOutcome } from './goal.ts';
import { operationEnded, type WatchedObject, watchedObjects } from './operation-goal.ts';
import { RUNNING } from './step.ts';

/**
 * A requested change is complete: no operation is in progress, and the object matches its spec. Reports what a person
 * must resolve.
 */
export function objectUpdated(watched: WatchedObject): Goal {
  const ended = operationEnded(watched);
  return {
    ...ended,
    outcome: (view) => {
      const operation = ended.outcome(view);
      if (operation.state === 'failed') return operation;
      const ready = worstOutcome(watchedObjects(view, watched).map(readiness));
      return operation.state === 'running' && ready.state === 'done' ? RUNNING : ready;
    },
  };
}
