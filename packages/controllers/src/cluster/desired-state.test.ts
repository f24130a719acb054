import { SHIPPED_PLANS } from '@fairway/api/data/plans';
import type { Machine } from '@fairway/api/kinds/machine';
import { aCluster } from '@fairway/api/testing/objects';
import type { ClusterPki } from '@fairway/control-plane/pki/cluster-pki';
import { expect, test } from 'vitest';
import { controlPlaneSpec } from './desired-state.ts';

const plan = SHIPPED_PLANS[0]?.spec;
const pki = {} as ClusterPki;

function newMachine(...addresses: NonNullable<NonNullable<Machine['status']>['addresses']>): Machine {
  return { metadata: {}, spec: {}, status: { addresses } } as unknown as Machine;
}

test('nodes may reach their API server through their router and with their floating IPs, regardless of its allowlist', () => {
  if (plan === undefined) throw new Error('there is no plan');
  const network = { networkID: 'n', subnetID: 's', nodesCIDR: '10.0.0.0/16', egressAddress: '203.0.113.7' };
  const cluster = { ...aCluster(), status: { network } };
  const machines = [
    newMachine({ type: 'InternalIP', address: '10.0.0.4' }, { type: 'ExternalIP', address: '203.0.113.40' }),
    newMachine({ type: 'ExternalIP', address: '203.0.113.21' }),
    { ...newMachine(), status: undefined } as unknown as Machine,
  ];

  const spec = controlPlaneSpec(cluster, plan, { version: '1.36.3', pki, desiredNodes: 3, machines });

  expect(spec.nodeNetworks).toEqual(['10.0.0.0/16']);
  expect(spec.nodeAddresses).toEqual(['203.0.113.21', '203.0.113.40', '203.0.113.7']);
});
