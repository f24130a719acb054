import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Condition } from '@fairway/kube/object/meta';
import { clusterReady, type Goal } from './goal.ts';
import { RUNNING } from './step.ts';

/** Reasons of UpToDate while a request for maintenance is pending or in progress. */
const PENDING_REASONS: ReadonlySet<string> = new Set(['WaitingForMaintenanceWindow', 'Updating']);

/** A request for maintenance is carried out, changes that waited for the window are done, and the cluster is ready. */
export function clusterMaintained(name: string, requested: string): Goal {
  const ready = clusterReady(name, []);
  return {
    subject: `cluster "${name}"`,
    steps: (view) => {
      const upToDate = upToDateOf(view.cluster);
      const isDone = view.cluster !== undefined && isMaintained(view.cluster, requested);
      const detail = upToDate?.status === 'True' ? (view.cluster?.status?.version ?? '') : (upToDate?.message ?? '');
      return [
        { key: 'version', title: 'version', state: isDone ? 'done' : 'running', detail },
        ...ready.steps(view).filter(({ key }) => key === 'control-plane'),
      ];
    },
    outcome: (view) => {
      const outcome = ready.outcome(view);
      if (outcome.state !== 'done' || view.cluster === undefined) return outcome;
      return isMaintained(view.cluster, requested) ? outcome : RUNNING;
    },
  };
}

function isMaintained(cluster: Cluster, requested: string): boolean {
  const reason = upToDateOf(cluster)?.reason;
  return cluster.status?.maintenance?.requested === requested && !(reason !== undefined && PENDING_REASONS.has(reason));
}

function upToDateOf(cluster: Cluster | undefined): Condition | undefined {
  return cluster?.status?.conditions?.find(({ type }) => type === 'UpToDate');
}
