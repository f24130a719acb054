import { ConditionType } from '@fairway/api/conditions';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import { findCondition } from '@fairway/kube/controller/conditions';

export type HealthStatus = 'HEALTHY' | 'UNHEALTHY' | 'UNKNOWN';

/** Whether the API server and the nodes work. Pure. */
export function healthStatus({ status }: Cluster): HealthStatus {
  const controlPlane = findCondition(status?.conditions, ConditionType.ControlPlaneReady)?.status ?? 'Unknown';
  if (status?.phase === 'Hibernated' || controlPlane === 'Unknown') return 'UNKNOWN';
  const { current = 0, ready = 0 } = status?.nodes ?? {};
  return controlPlane === 'True' && ready >= current ? 'HEALTHY' : 'UNHEALTHY';
}

/** Health of the API server and of each node, in Magnum's format. Pure. */
export function healthReason({ status }: Cluster, machines: readonly Machine[]): Readonly<Record<string, string>> {
  const controlPlane = findCondition(status?.conditions, ConditionType.ControlPlaneReady);
  if (controlPlane === undefined) return {};
  const nodes = machines
    .filter(({ status: machine }) => machine?.nodeName !== undefined)
    .map(
      ({ status: machine }) => [`${machine?.nodeName}.Ready`, machine?.phase === 'Ready' ? 'True' : 'False'] as const,
    );
  return { api: controlPlane.status === 'True' ? 'ok' : controlPlane.message, ...Object.fromEntries(nodes) };
}
