import { expect, it } from 'vitest';
import { loadBalancerState, volumeState } from './cloud-state.ts';

it.each([
  { provisioningStatus: 'ACTIVE', operatingStatus: 'ONLINE', state: 'ready' },
  { provisioningStatus: 'ACTIVE', operatingStatus: 'NO_MONITOR', state: 'ready' },
  { provisioningStatus: 'ACTIVE', operatingStatus: 'DEGRADED', state: 'attention' },
  { provisioningStatus: 'PENDING_UPDATE', operatingStatus: 'ONLINE', state: 'progress' },
  { provisioningStatus: 'ERROR', operatingStatus: 'ONLINE', state: 'attention' },
])('a load balancer with $provisioningStatus and $operatingStatus: $state', ({ state, ...statuses }) => {
  expect(loadBalancerState(statuses)).toBe(state);
});

it.each([
  { status: 'in-use', state: 'ready' },
  { status: 'available', state: 'ready' },
  { status: 'extending', state: 'progress' },
  { status: 'error_deleting', state: 'attention' },
])('a volume with $status: $state', ({ status, state }) => {
  expect(volumeState({ status })).toBe(state);
});
