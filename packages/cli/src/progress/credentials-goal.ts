import type { Cluster } from '@fairway/api/kinds/cluster';
import { clusterReady, type Goal } from './goal.ts';
import { DONE, RUNNING } from './step.ts';

/** A request to revoke all kubeconfigs is in effect. */
export function kubeconfigsRevoked(name: string, requested: string): Goal {
  const ready = clusterReady(name, []);
  return {
    subject: `cluster "${name}"`,
    steps: ({ cluster }) => {
      const isDone = cluster !== undefined && isRevoked(cluster, requested);
      const detail = isDone ? '' : (messageOf(cluster) ?? '');
      return [{ key: 'kubeconfigs', title: 'kubeconfigs', state: isDone ? 'done' : 'running', detail }];
    },
    outcome: (view) => {
      const { cluster } = view;
      if (cluster && isRevoked(cluster, requested)) return DONE;
      const outcome = ready.outcome(view);
      // Ready still describes the state before the request.
      return outcome.state === 'done' ? RUNNING : outcome;
    },
  };
}

/** The rotation started by `requested` has reached this phase. */
export function rotationReached(name: string, requested: string, phase: 'Prepared' | 'Stable'): Goal {
  const ready = clusterReady(name, []);
  return {
    subject: `cluster "${name}"`,
    steps: ({ cluster }) => {
      const isDone = cluster !== undefined && isReached(cluster, requested, phase);
      const { total, renewed } = cluster?.status?.credentials?.nodes ?? {};
      const nodes = total === undefined ? [] : [`${renewed}/${total} nodes are replaced`];
      const detail = isDone ? '' : [...nodes, ...(messageOf(cluster) ? [messageOf(cluster)] : [])].join(': ');
      return [{ key: 'credentials', title: 'credentials', state: isDone ? 'done' : 'running', detail }];
    },
    outcome: (view) => {
      const { cluster } = view;
      if (cluster && isReached(cluster, requested, phase)) return DONE;
      const outcome = ready.outcome(view);
      return outcome.state === 'done' ? RUNNING : outcome;
    },
  };
}

function isReached({ status }: Cluster, requested: string, phase: string): boolean {
  return status?.credentials?.rotation === requested && status.credentials.phase === phase;
}

function isRevoked({ status }: Cluster, requested: string): boolean {
  return status?.credentials?.revocation?.requested === requested;
}

function messageOf(cluster: Cluster | undefined): string | undefined {
  return cluster?.status?.conditions?.find(({ type }) => type === 'CredentialsStable')?.message;
}
