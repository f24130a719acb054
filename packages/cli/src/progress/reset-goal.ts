import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusterReady, type Goal } from './goal.ts';
import { RUNNING, type Step } from './step.ts';

/** A cluster that this request reset is Ready again. */
export function clusterReset(name: string, requestedAt: string): Goal {
  const ready = clusterReady(name, []);
  return {
    subject: `cluster "${name}"`,
    steps: (view) => {
      const phase = phaseOf(view.cluster, requestedAt);
      const isEmpty = phase === 'Starting' || phase === 'Complete';
      const { ready: up = 0, desired = 0 } = view.cluster?.status?.nodes ?? {};
      const hasStarted = phase !== undefined;
      return [
        step('former nodes', hasStarted && phase !== 'RemovingNodes', `${view.machines.length} left`),
        step('control plane', isEmpty, 'is emptied'),
        step('nodes', phase === 'Complete', isEmpty ? `${up}/${desired} nodes are ready` : ''),
      ];
    },
    outcome: (view) => {
      const outcome = ready.outcome(view);
      // Ready still describes the state before the request.
      return outcome.state === 'done' && phaseOf(view.cluster, requestedAt) !== 'Complete' ? RUNNING : outcome;
    },
  };
}

function phaseOf(cluster: Cluster | undefined, requestedAt: string): string | undefined {
  const { reset } = cluster?.status ?? {};
  return reset?.requestedAt === requestedAt ? reset.phase : undefined;
}

function step(title: string, isDone: boolean, detail: string): Step {
  return { key: title.replace(' ', '-'), title, state: isDone ? 'done' : 'running', detail: isDone ? '' : detail };
}
