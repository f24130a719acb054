import type { Machine } from '@fairway/api/kinds/machine';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { nodeAction } from './node-deletion.ts';

function nodeWith(
  ready: string | undefined,
  { providerID, labels = {} }: { providerID?: string; labels?: object } = {},
) {
  return {
    metadata: { name: 'n', labels },
    spec: { ...(providerID !== undefined && { providerID }) },
    status: { conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready }] },
  } as TenantNode;
}

function machineWith(status: 'True' | 'False' | 'Unknown', reason: string, deletionTimestamp?: string): Machine {
  const condition = { type: 'ServerReady', status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  return {
    metadata: { name: 'n', ...(deletionTimestamp && { deletionTimestamp }) },
    spec: { clusterName: 'c', nodePoolName: 'p', flavor: 'f', image: 'i', version: '1.34.2', floatingIP: false },
    status: { serverID: 's1', conditions: [condition] },
  };
}

const machineWithoutServer = machineWith('False', 'ServerVanished');

describe('the node of a machine', () => {
  test.each<{ node: TenantNode; machine: Machine; kind: string; reason: string }>([
    { node: nodeWith('Unknown'), machine: machineWithoutServer, kind: 'goes', reason: 'its server was deleted' },
    {
      node: nodeWith('False'),
      machine: machineWithoutServer,
      kind: 'goes',
      reason: 'its kubelet’s last status was NotReady',
    },
    {
      node: nodeWith(undefined),
      machine: machineWithoutServer,
      kind: 'goes',
      reason: 'its kubelet never reported a status',
    },
    {
      node: nodeWith('Unknown', { providerID: 'openstack://west/s1' }),
      machine: machineWithoutServer,
      kind: 'goes',
      reason: 'its providerID refers to the deleted server',
    },
    {
      node: nodeWith('True'),
      machine: machineWithoutServer,
      kind: 'stays',
      reason: 'it is Ready, so its server must be running',
    },
    {
      node: nodeWith('Unknown', { providerID: 'openstack://west/s2' }),
      machine: machineWithoutServer,
      kind: 'stays',
      reason: 'its providerID refers to another server',
    },
    {
      node: nodeWith('Unknown'),
      machine: machineWith('Unknown', 'ServerVanished'),
      kind: 'stays',
      reason: 'the cloud has not reported on its server',
    },
    {
      node: nodeWith('Unknown'),
      machine: machineWith('False', 'ServerStopped'),
      kind: 'stays',
      reason: 'its server is stopped',
    },
    {
      node: nodeWith('Unknown'),
      machine: machineWith('True', 'AsExpected'),
      kind: 'stays',
      reason: 'its server is running',
    },
    {
      node: nodeWith('Unknown'),
      machine: machineWith('False', 'CloudUnavailable'),
      kind: 'stays',
      reason: 'the cloud does not respond',
    },
    {
      node: nodeWith('Unknown'),
      machine: machineWith('False', 'ServerVanished', 'now'),
      kind: 'stays',
      reason: 'its Machine is being deleted and deletes it',
    },
  ])('$kind: $reason', ({ node, machine, kind }) => {
    expect(nodeAction(node, machine, 'west').kind).toBe(kind);
  });
});

describe('a node without a machine', () => {
  const labels = { 'fairway.dev/node-pool': 'general' };

  test.each<{ node: TenantNode; action: object; reason: string }>([
    {
      node: nodeWith('Unknown', { providerID: 'openstack://west/s1', labels }),
      action: { kind: 'lookUp', serverID: 's1' },
      reason: 'Fairway’s user data labelled it',
    },
    {
      node: nodeWith('Unknown', { providerID: 'openstack:///s1', labels }),
      action: { kind: 'lookUp', serverID: 's1' },
      reason: 'its providerID has no region',
    },
    {
      node: nodeWith('Unknown', { labels }),
      action: { kind: 'lookUp' },
      reason: 'it joined too late to be initialized',
    },
    { node: nodeWith('True', { labels }), action: { kind: 'stays' }, reason: 'runs' },
    {
      node: nodeWith('Unknown', { providerID: 'openstack://west/s1' }),
      action: { kind: 'stays' },
      reason: 'it is the tenant’s own',
    },
    {
      node: nodeWith('Unknown', { providerID: 'openstack://east/s1', labels }),
      action: { kind: 'stays' },
      reason: 'it belongs to another region',
    },
    {
      node: nodeWith('Unknown', { providerID: 'aws:///eu/i-1', labels }),
      action: { kind: 'stays' },
      reason: 'it belongs to another cloud',
    },
    {
      node: nodeWith('Unknown', { providerID: 's1', labels }),
      action: { kind: 'stays' },
      reason: 'its providerID cannot be parsed',
    },
  ])('$action.kind: $reason', ({ node, action }) => {
    expect(nodeAction(node, undefined, 'west')).toEqual(action);
  });
});
