import type { OperationType } from '@fairway/api/kinds/status';
import { aCluster } from '@fairway/api/testing/objects';
import { CloudLoadBalancers } from '@fairway/openstack/config/load-balancer-settings';
import { expect, test } from 'vitest';
import { settingsOf } from './settings-of-cluster.ts';

interface Case {
  readonly network?: object;
  readonly mode?: 'Router' | 'None';
  /** NetworkReady. */
  readonly ready?: 'True' | 'False';
  readonly doing?: OperationType;
  readonly isKnown: boolean;
  readonly reason: string;
}

const INSIDE = { networkID: 'n', subnetID: 'nodes', loadBalancersSubnetID: 'nodes' };
const WHOLE = { ...INSIDE, routerID: 'r', externalNetworkID: 'external' };

test.each<Case>([
  { isKnown: false, reason: 'it has no network yet' },
  { network: INSIDE, ready: 'False', isKnown: false, reason: 'its router is being attached, or is refused' },
  { network: WHOLE, isKnown: true, reason: 'its network is ready' },
  { network: WHOLE, ready: 'False', isKnown: true, reason: 'its router is attached once more' },
  { network: INSIDE, mode: 'None', isKnown: true, reason: 'it has no router, and is to have none' },
  { network: INSIDE, ready: 'False', mode: 'None', isKnown: true, reason: 'no router is what it waits for' },
  { network: INSIDE, ready: 'False', doing: 'Reconcile', isKnown: true, reason: 'it has worked without a router' },
])('load balancer settings are known: $isKnown, since $reason', (given) => {
  const { network, mode = 'Router', ready = 'True', doing: type = 'Create', isKnown } = given;
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
