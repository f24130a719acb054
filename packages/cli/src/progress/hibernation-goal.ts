import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusterReady, type Goal } from './goal.ts';
import { DONE, type Progress, RUNNING, type Step } from './step.ts';

/** A cluster has no nodes, and its control plane is hibernated. */
export function clusterHibernated(name: string): Goal {
  const ready = clusterReady(name, []);
  return {
    subject: `cluster "${name}"`,
    steps: ({ cluster, machines }) => {
      const hasHibernated = cluster !== undefined && isHibernated(cluster);
      return [
        { ...step('nodes', machines.length === 0, `${machines.length} left`), progress: nodeProgress(cluster) },
        step('control plane', hasHibernated, machines.length === 0 ? 'is being hibernated' : ''),
      ];
    },
    outcome: (view) => {
      const { cluster } = view;
      if (cluster && isHibernated(cluster)) return DONE;
      const outcome = ready.outcome(view);
      // Ready still describes the state before the request.
      return outcome.state === 'done' ? RUNNING : outcome;
    },
  };
}

/** A cluster is awake, with all its nodes. */
export function clusterAwake(name: string): Goal {
  const ready = clusterReady(name, []);
  return {
    subject: `cluster "${name}"`,
    steps: (view) => {
      const { ready: up = 0, desired = 0 } = view.cluster?.status?.nodes ?? {};
      const isDone = ready.outcome(view).state === 'done';
      return [
        ...ready.steps(view).filter(({ key }) => key === 'control-plane'),
        { ...step('nodes', isDone, `${up}/${desired} nodes are ready`), progress: { done: up, total: desired } },
      ];
    },
    outcome: ready.outcome,
  };
}

/** Excludes the last step, which is the control plane's. */
function nodeProgress(cluster: Cluster | undefined): Progress | undefined {
  const { type, steps } = cluster?.status?.lastOperation ?? {};
  return type === 'Hibernate' && steps ? { done: steps.done, total: steps.total - 1 } : undefined;
}

/** True only if the current spec is observed. */
function isHibernated({ metadata, status }: Cluster): boolean {
  const isCurrent = (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
  return isCurrent && status?.hibernation?.wanted === true && status.hibernation.hibernated;
}

function step(title: string, isDone: boolean, detail: string): Step {
  return { key: title.replace(' ', '-'), title, state: isDone ? 'done' : 'running', detail: isDone ? '' : detail };
}
