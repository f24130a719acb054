import { type Goal, readiness, worst } from './goal.ts';
import { operationOver, principals, type Watched } from './operation-goal.ts';
import { RUNNING } from './step.ts';

/** What a change asks for is done: nothing is being done any more, and the object is as it should be. What needs a person is told. */
export function updated(watched: Watched): Goal {
  const over = operationOver(watched);
  return {
    ...over,
    outcome: (view) => {
      const operation = over.outcome(view);
      if (operation.state === 'failed') return operation;
      const ready = worst(principals(view, watched).map(readiness));
      return operation.state === 'running' && ready.state === 'done' ? RUNNING : ready;
    },
  };
}
