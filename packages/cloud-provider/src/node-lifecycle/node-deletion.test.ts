import type { Machine } from '@fairway/api/kinds/machine';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { nodeAction } from './node-deletion.ts';

function nodeThat(
  ready: string | undefined,
  { providerID, labels = {} }: { providerID?: string; labels?: object } = {},
) {
  return {
    metadata: { name: 'n', labels },
    spec: { ...(providerID !== undefined && { providerID }) },
    status: { conditions: ready === undefined ? [] : [{ type: 'Ready', status: ready }] },
  } as TenantNode;
}

function machineThat(status: 'True' | 'False' | 'Unknown', reason: string, deletionTimestamp?: string): Machine {
  const condition = { type: 'ServerReady', status, reason, message: '', lastTransitionTime: '2026-01-01T00:00:00Z' };
  return {
    metadata: { name: 'n', ...(deletionTimestamp && { deletionTimestamp }) },
    spec: { clusterName: 'c', nodePoolName: 'p', flavor: 'f', image: 'i', version: '1.34.2', floatingIP: false },
    status: { serverID: 's1', conditions: [condition] },
  };
}

const serverGone = machineThat('False', 'ServerVanished');

describe('the node of a machine', () => {
  test.each<{ node: TenantNode; machine: Machine; kind: string; reason: string }>([
    { node: nodeThat('Unknown'), machine: serverGone, kind: 'goes', reason: 'its server is gone' },
    { node: nodeThat('False'), machine: serverGone, kind: 'goes', reason: 'its kubelet said so last' },
    { node: nodeThat(undefined), machine: serverGone, kind: 'goes', reason: 'it never said anything' },
    {
      node: nodeThat('Unknown', { providerID: 'openstack://west/s1' }),
      machine: serverGone,
      kind: 'goes',
      reason: 'it names that server',
    },
    { node: nodeThat('True'), machine: serverGone, kind: 'stays', reason: 'it is Ready, so it runs' },
    {
      node: nodeThat('Unknown', { providerID: 'openstack://west/s2' }),
      machine: serverGone,
      kind: 'stays',
      reason: 'it names another server',
    },
    {
      node: nodeThat('Unknown'),
      machine: machineThat('Unknown', 'ServerVanished'),
      kind: 'stays',
      reason: 'the cloud has not said it',
    },
    {
      node: nodeThat('Unknown'),
      machine: machineThat('False', 'ServerStopped'),
      kind: 'stays',
      reason: 'its server is stopped',
    },
    { node: nodeThat('Unknown'), machine: machineThat('True', 'AsExpected'), kind: 'stays', reason: 'its server runs' },
    {
      node: nodeThat('Unknown'),
      machine: machineThat('False', 'CloudUnavailable'),
      kind: 'stays',
      reason: 'the cloud does not answer',
    },
    {
      node: nodeThat('Unknown'),
      machine: machineThat('False', 'ServerVanished', 'now'),
      kind: 'stays',
      reason: 'its machine removes it',
    },
  ])('$kind: $reason', ({ node, machine, kind }) => {
    expect(nodeAction(node, machine, 'west').kind).toBe(kind);
  });
});

describe('a node without a machine', () => {
  const labels = { 'fairway.dev/node-pool': 'general' };

  test.each<{ node: TenantNode; action: object; reason: string }>([
    {
      node: nodeThat('Unknown', { providerID: 'openstack://west/s1', labels }),
      action: { kind: 'lookUp', serverID: 's1' },
      reason: 'was one of ours',
    },
    {
      node: nodeThat('Unknown', { providerID: 'openstack:///s1', labels }),
      action: { kind: 'lookUp', serverID: 's1' },
      reason: 'names no region',
    },
    {
      node: nodeThat('Unknown', { labels }),
      action: { kind: 'lookUp' },
      reason: 'joined too late to be initialized',
    },
    { node: nodeThat('True', { labels }), action: { kind: 'stays' }, reason: 'runs' },
    {
      node: nodeThat('Unknown', { providerID: 'openstack://west/s1' }),
      action: { kind: 'stays' },
      reason: 'is the tenant’s own',
    },
    {
      node: nodeThat('Unknown', { providerID: 'openstack://east/s1', labels }),
      action: { kind: 'stays' },
      reason: 'is of another region',
    },
    {
      node: nodeThat('Unknown', { providerID: 'aws:///eu/i-1', labels }),
      action: { kind: 'stays' },
      reason: 'is of another cloud',
    },
    {
      node: nodeThat('Unknown', { providerID: 's1', labels }),
      action: { kind: 'stays' },
      reason: 'names nothing that we can read',
    },
  ])('$departure.kind: $reason', ({ node, action }) => {
    expect(nodeAction(node, undefined, 'west')).toEqual(action);
  });
});
