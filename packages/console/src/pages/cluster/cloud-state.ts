import type { ClusterLoadBalancer, ClusterVolume } from '@fairway/api/kinds/cloud-resources-request';
import type { DisplayState } from '../../app/state-label.tsx';

const FAILING_STATUSES: ReadonlySet<string | undefined> = new Set(['ERROR', 'DEGRADED', 'OFFLINE']);
const STABLE_STATUSES: ReadonlySet<string> = new Set(['available', 'in-use']);

/** The state of a load balancer for users. A missing monitor is not a fault. */
export function loadBalancerState({
  provisioningStatus,
  operatingStatus,
}: Pick<ClusterLoadBalancer, 'provisioningStatus' | 'operatingStatus'>): DisplayState {
  if (provisioningStatus === 'ERROR') return 'attention';
  if (provisioningStatus !== 'ACTIVE') return 'progress';
  return FAILING_STATUSES.has(operatingStatus) ? 'attention' : 'ready';
}

export function volumeState({ status }: Pick<ClusterVolume, 'status'>): DisplayState {
  if (status.startsWith('error')) return 'attention';
  return STABLE_STATUSES.has(status) ? 'ready' : 'progress';
}
