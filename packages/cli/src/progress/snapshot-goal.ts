import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Condition } from '@fairway/kube/object/meta';
import { clusterReady, type Goal } from './goal.ts';
import { DONE, type Outcome, RUNNING, type Step } from './step.ts';

/** A new snapshot exists. */
export function snapshotTaken(name: string, known: ReadonlySet<string>): Goal {
  const findNewSnapshot = (cluster: Cluster | undefined) =>
    cluster?.status?.etcd?.snapshots?.find((snapshot) => !known.has(snapshot.name));
  return {
    subject: `snapshot of cluster "${name}"`,
    steps: ({ cluster }) => {
      const taken = findNewSnapshot(cluster);
      return [step('snapshot', taken === undefined, taken?.name ?? problemOf(cluster)?.message ?? '')];
    },
    outcome: ({ cluster }) => {
      if (findNewSnapshot(cluster)) return DONE;
      return cluster === undefined ? notFoundOutcome() : failureOf(cluster);
    },
  };
}

/** A restore request is carried out, and the cluster's control plane is ready again. */
export function clusterRestored(
  name: string,
  request: { readonly snapshot: string; readonly requestedAt: string },
): Goal {
  const isDone = (cluster: Cluster | undefined) => {
    const last = cluster?.status?.etcd?.lastRestore;
    return last?.snapshot === request.snapshot && last.requestedAt === request.requestedAt;
  };
  const ready = clusterReady(name, []);
  return {
    subject: `cluster "${name}"`,
    steps: (view) => [
      step(`snapshot ${request.snapshot}`, !isDone(view.cluster), problemOf(view.cluster)?.message ?? ''),
      ...ready.steps(view).filter(({ key }) => key === 'control-plane'),
    ],
    outcome: (view) => {
      if (view.cluster === undefined) return notFoundOutcome();
      if (!isDone(view.cluster)) return failureOf(view.cluster);
      const isServing = conditionOf(view.cluster, 'ControlPlaneReady')?.status === 'True';
      return isServing ? DONE : RUNNING;
    },
  };
}

function step(title: string, isRunning: boolean, detail: string): Step {
  return { key: title, title, state: isRunning ? 'running' : 'done', detail };
}

/** The SnapshotsReady condition, if it refers to the current generation. */
function problemOf(cluster: Cluster | undefined): Condition | undefined {
  const condition = cluster && conditionOf(cluster, 'SnapshotsReady');
  const isCurrent = (condition?.observedGeneration ?? 0) >= (cluster?.metadata.generation ?? 0);
  return isCurrent && condition?.status === 'False' ? condition : undefined;
}

function failureOf(cluster: Cluster): Outcome {
  const problem = problemOf(cluster);
  if (problem === undefined || problem.reason === 'Restoring') return RUNNING;
  const { reason, message } = problem;
  return { state: reason === 'SnapshotNotFound' ? 'failed' : 'blocked', reason, message };
}

function notFoundOutcome(): Outcome {
  return { state: 'failed', reason: 'NotFound', message: 'the cluster was deleted in the meantime' };
}

function conditionOf({ status }: Cluster, type: string): Condition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}
