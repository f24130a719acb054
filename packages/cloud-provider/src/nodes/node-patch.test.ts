import type { Machine } from '@fairway/api/kinds/machine';
import { Server } from '@fairway/openstack/types/server';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { expect, test } from 'vitest';
import { nodePatches } from './node-patch.ts';

const server = Server.parse({
  id: '0c0f',
  name: 'demo-general-x2k4q',
  status: 'ACTIVE',
  tenant_id: 'p',
  user_id: 'u',
  created: '',
  updated: '',
  flavor: { original_name: 'b3-8', vcpus: 2, ram: 8192, disk: 50, ephemeral: 0, swap: 0 },
  'OS-EXT-AZ:availability_zone': 'nova-a',
  addresses: {
    nodes: [
      { addr: '203.0.113.5', version: 4, 'OS-EXT-IPS:type': 'floating' },
      { addr: '10.0.0.7', version: 4, 'OS-EXT-IPS:type': 'fixed' },
    ],
  },
});
const machine: Machine = {
  metadata: { name: 'demo-general-x2k4q' },
  spec: {
    clusterName: 'demo',
    nodePoolName: 'general',
    flavor: 'b3-8',
    image: 'i',
    version: '1.34.2',
    floatingIP: false,
  },
};
const facts = { server, region: 'RegionOne', flavorName: 'b3-8' };
const fresh: TenantNode = {
  metadata: { name: 'demo-general-x2k4q', resourceVersion: '3', labels: { mine: 'x' } },
  spec: {
    taints: [
      { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ],
  },
  status: { addresses: [{ type: 'Hostname', address: 'demo-general-x2k4q' }] },
};

test('a new node is told what it is and may take pods', () => {
  expect(nodePatches(fresh, machine, facts)).toEqual({
    object: {
      metadata: {
        resourceVersion: '3',
        labels: {
          'node.kubernetes.io/instance-type': 'b3-8',
          'beta.kubernetes.io/instance-type': 'b3-8',
          'topology.kubernetes.io/zone': 'nova-a',
          'failure-domain.beta.kubernetes.io/zone': 'nova-a',
          'topology.kubernetes.io/region': 'RegionOne',
          'failure-domain.beta.kubernetes.io/region': 'RegionOne',
        },
      },
      spec: {
        providerID: 'openstack://RegionOne/0c0f',
        taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
      },
    },
    status: {
      status: {
        addresses: [
          { type: 'InternalIP', address: '10.0.0.7' },
          { type: 'ExternalIP', address: '203.0.113.5' },
          { type: 'Hostname', address: 'demo-general-x2k4q' },
        ],
      },
    },
  });
});

function initialized(): TenantNode {
  const { object, status } = nodePatches(fresh, machine, facts) as {
    object: { metadata: { labels: Record<string, string> }; spec: NonNullable<TenantNode['spec']> };
    status: { status: NonNullable<TenantNode['status']> };
  };
  return {
    metadata: { ...fresh.metadata, labels: { ...fresh.metadata.labels, ...object.metadata.labels } },
    spec: object.spec,
    status: status.status,
  };
}

test('a node that knows it all is left alone', () => {
  expect(nodePatches(initialized(), machine, facts)).toEqual({ object: undefined, status: undefined });
});

test('a server that is switched off is told apart from one that is broken', () => {
  const off = { ...facts, server: { ...server, status: 'SHUTOFF' as const } };

  const { object } = nodePatches(initialized(), machine, off) as { object: { spec: TenantNode['spec'] } };

  expect(object.spec?.taints).toContainEqual({
    key: 'node.cloudprovider.kubernetes.io/shutdown',
    effect: 'NoSchedule',
  });
});

test('a cloud that shows no addresses for a moment changes nothing', () => {
  const silent = { ...facts, server: { ...server, addresses: {} } };

  expect(nodePatches(initialized(), machine, silent).status).toBeUndefined();
});

test('a node that registered as another server gets no pods, and no other providerID', () => {
  const claim = 'openstack://RegionOne/another';
  const bold: TenantNode = { ...fresh, spec: { providerID: claim, taints: [] } };

  const { object } = nodePatches(bold, machine, facts) as { object: { spec: TenantNode['spec'] } };

  expect(object.spec).toEqual({
    taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }],
  });
});

test('a server is reached by its own addresses and name, whatever its kubelet says', () => {
  const addresses = [
    { type: 'Hostname', address: 'metadata.internal' },
    { type: 'InternalIP', address: '169.254.169.254' },
    { type: 'InternalDNS', address: 'elsewhere' },
  ];

  const { status } = nodePatches({ ...fresh, status: { addresses } }, machine, facts);

  expect(status).toEqual(nodePatches(fresh, machine, facts).status);
});
