import type { ClusterLoadBalancer, ClusterVolume } from '@fairway/api/kinds/cloud-resources-request';
import type { DisplayState } from '../../app/state-label.tsx';

const FAILING: ReadonlySet<string | undefined> = new Set(['ERROR', 'DEGRADED', 'OFFLINE']);
const AT_REST: ReadonlySet<string> = new Set(['available', 'in-use']);

/** How a load balancer is, for people. A monitor that is missing is no fault. */
export function loadBalancerState({
  provisioningStatus,
  operatingStatus,
}: Pick<ClusterLoadBalancer, 'provisioningStatus' | 'operatingStatus'>): DisplayState {
  if (provisioningStatus === 'ERROR') return 'attention';
  if (provisioningStatus !== 'ACTIVE') return 'progress';
  return FAILING.has(operatingStatus) ? 'attention' : 'ready';
}

export function volumeState({ status }: Pick<ClusterVolume, 'status'>): DisplayState {
  if (status.startsWith('error')) return 'attention';
  return AT_REST.has(status) ? 'ready' : 'progress';
}
