import type { OperationType } from '@fairway/api/kinds/status';
import { aCluster } from '@fairway/api/testing/objects';
import { CloudLoadBalancers } from '@fairway/openstack/config/load-balancer-settings';
import { expect, test } from 'vitest';
import { settingsOf } from './cluster-settings.ts';

interface Case {
  readonly network?: object;
  readonly mode?: 'Router' | 'None';
  /** NetworkReady. */
  readonly ready?: 'True' | 'False';
  readonly operationType?: OperationType;
  readonly isKnown: boolean;
  readonly reason: string;
}

const CLUSTER_NETWORK = { networkID: 'n', subnetID: 'nodes', loadBalancersSubnetID: 'nodes' };
const FULL_NETWORK = { ...CLUSTER_NETWORK, routerID: 'r', externalNetworkID: 'external' };

test.each<Case>([
  { isKnown: false, reason: 'it has no network yet' },
  { network: CLUSTER_NETWORK, ready: 'False', isKnown: false, reason: 'its router is being attached, or was refused' },
  { network: FULL_NETWORK, isKnown: true, reason: 'its network is ready' },
  { network: FULL_NETWORK, ready: 'False', isKnown: true, reason: 'its router is being attached again' },
  { network: CLUSTER_NETWORK, mode: 'None', isKnown: true, reason: 'it has no router and does not request one' },
  { network: CLUSTER_NETWORK, ready: 'False', mode: 'None', isKnown: true, reason: 'it does not wait for a router' },
  {
    network: CLUSTER_NETWORK,
    ready: 'False',
    operationType: 'Reconcile',
    isKnown: true,
    reason: 'it has worked without a router',
  },
])('provides load balancer settings: $isKnown, because $reason', (testCase) => {
  const { network, mode = 'Router', ready = 'True', operationType: type = 'Create', isKnown } = testCase;
  const at = '2026-01-01T00:00:00Z';
  const cluster = {
    ...aCluster({ network: { gateway: { mode } } }),
    status: {
      ...(network && { network }),
      conditions: [
        { type: 'NetworkReady', status: ready, reason: 'AttachingRouter', message: '', lastTransitionTime: at },
      ],
      lastOperation: { type, state: 'Processing' as const, progress: 50, description: '', lastUpdateTime: at },
    },
  };

  expect(settingsOf(cluster, { loadBalancers: CloudLoadBalancers.parse({}) }) !== undefined).toBe(isKnown);
});
