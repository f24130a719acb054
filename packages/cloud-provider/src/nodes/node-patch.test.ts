import type { Machine } from '@fairway/api/kinds/machine';
import { Server } from '@fairway/openstack/types/server';
import { type TenantNode, trimNode } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
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
const facts = { server, region: 'RegionOne', includesRegion: true, flavorName: 'b3-8', addressRules: {} };
const newNode: TenantNode = {
  metadata: { name: 'demo-general-x2k4q', resourceVersion: '3', labels: { mine: 'x' } },
  spec: {
    taints: [
      { key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' },
      { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' },
    ],
  },
  status: { addresses: [{ type: 'Hostname', address: 'demo-general-x2k4q' }] },
};

test('sets the identity of a new node and lets it accept pods', () => {
  expect(nodePatches(newNode, machine, facts)).toEqual({
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

function initializedNode(): TenantNode {
  const { object, status } = nodePatches(newNode, machine, facts) as {
    object: { metadata: { labels: Record<string, string> }; spec: NonNullable<TenantNode['spec']> };
    status: { status: NonNullable<TenantNode['status']> };
  };
  return {
    metadata: { ...newNode.metadata, labels: { ...newNode.metadata.labels, ...object.metadata.labels } },
    spec: object.spec,
    status: status.status,
  };
}

test('does not change a complete node', () => {
  expect(nodePatches(initializedNode(), machine, facts)).toEqual({ object: undefined, status: undefined });
});

const SHUTDOWN = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };

test.each(['SHUTOFF', 'PAUSED', 'SUSPENDED', 'SHELVED', 'SHELVED_OFFLOADED', 'RESCUE'] as const)(
  'distinguishes a stopped server from a broken one: %s',
  (status) => {
    const { object } = nodePatches(initializedNode(), machine, { ...facts, server: { ...server, status } });

    expect((object as { spec: TenantNode['spec'] }).spec?.taints).toContainEqual(SHUTDOWN);
  },
);

test.each(['ACTIVE', 'ERROR', 'MIGRATING', 'RESIZE', 'VERIFY_RESIZE', 'REBOOT', 'UNKNOWN'] as const)(
  'lets a running server accept pods again: %s',
  (status) => {
    const known = initializedNode();
    const shutDownNode: TenantNode = { ...known, spec: { ...known.spec, taints: [SHUTDOWN] } };

    expect(nodePatches(shutDownNode, machine, { ...facts, server: { ...server, status } }).object).toMatchObject({
      spec: { taints: [] },
    });
  },
);

describe('labels', () => {
  const labelsAfter = (changes: Partial<typeof facts>, node = initializedNode()) =>
    (nodePatches(node, machine, { ...facts, ...changes }).object as { metadata: { labels: object } } | undefined)
      ?.metadata.labels;

  test('follow a resize', () => {
    expect(labelsAfter({ flavorName: 'b3-16' })).toEqual({
      'node.kubernetes.io/instance-type': 'b3-16',
      'beta.kubernetes.io/instance-type': 'b3-16',
    });
  });

  test('follow a migration to another zone', () => {
    expect(labelsAfter({ server: { ...server, 'OS-EXT-AZ:availability_zone': 'nova-b' } })).toEqual({
      'topology.kubernetes.io/zone': 'nova-b',
      'failure-domain.beta.kubernetes.io/zone': 'nova-b',
    });
  });

  test.each([
    { zone: 'Zürich 1', label: 'Z-rich-1', reason: 'other characters become dashes' },
    { zone: '-a.b_', label: 'a.b', reason: 'the first and last characters are letters or digits' },
    {
      zone: `${'a'.repeat(62)}-b`,
      label: 'a'.repeat(62),
      reason: 'the last character is still a letter or digit after truncation',
    },
  ])('are made valid: $reason', ({ zone, label }) => {
    expect(labelsAfter({ server: { ...server, 'OS-EXT-AZ:availability_zone': zone } })).toMatchObject({
      'topology.kubernetes.io/zone': label,
    });
  });

  test('are omitted while the cloud does not report their names', () => {
    const { object } = nodePatches(newNode, machine, { ...facts, flavorName: '' });

    expect(Object.keys((object as { metadata: { labels: object } }).metadata.labels)).toEqual([
      'topology.kubernetes.io/zone',
      'failure-domain.beta.kubernetes.io/zone',
      'topology.kubernetes.io/region',
      'failure-domain.beta.kubernetes.io/region',
    ]);
  });
});

test('lets a kubelet choose from its server’s addresses', () => {
  const fixedAddress = (addr: string) => ({ addr, version: 4 as const, 'OS-EXT-IPS:type': 'fixed' as const });
  const twoNetworks = {
    ...server,
    addresses: { nodes: [fixedAddress('10.0.0.7')], storage: [fixedAddress('10.9.0.7')] },
  };
  const requestingNode = (address: string): TenantNode => ({
    ...newNode,
    metadata: { ...newNode.metadata, annotations: { 'alpha.kubernetes.io/provided-node-ip': address } },
  });
  const internalIPs = (address: string) => {
    const { status } = nodePatches(requestingNode(address), machine, { ...facts, server: twoNetworks });
    const { addresses } = (status as { status: NonNullable<TenantNode['status']> }).status;
    return addresses?.filter(({ type }) => type === 'InternalIP').map((each) => each.address);
  };

  expect(internalIPs('10.9.0.7')).toEqual(['10.9.0.7']);
  expect(internalIPs('10.0.0.8')).toEqual(['10.0.0.7', '10.9.0.7']);
});

test('writes a server’s addresses only once, even if there are more than a node can store', () => {
  const nodes = Array.from({ length: 100 }, (_, n) => ({ addr: `10.0.0.${n}`, version: 4 as const }));
  const many = { ...facts, server: { ...server, addresses: { nodes } } };
  const { status } = nodePatches(newNode, machine, many) as { status: { status: NonNullable<TenantNode['status']> } };
  const seen = trimNode({ ...newNode, ...status });

  expect(seen.status?.addresses).toHaveLength(32);
  expect(nodePatches(seen, machine, many).status).toBeUndefined();
});

test('changes nothing if the cloud briefly reports no addresses', () => {
  const withoutAddresses = { ...facts, server: { ...server, addresses: {} } };

  expect(nodePatches(initializedNode(), machine, withoutAddresses).status).toBeUndefined();
});

test('keeps pods off a node that registered as a different server, and does not change its providerID', () => {
  const claim = 'openstack://RegionOne/another';
  const bootstrappedNode: TenantNode = { ...newNode, spec: { providerID: claim, taints: [] } };

  const { object } = nodePatches(bootstrappedNode, machine, facts) as { object: { spec: TenantNode['spec'] } };

  expect(object.spec).toEqual({
    taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'true', effect: 'NoSchedule' }],
  });
});

test('uses a server’s own addresses and name, regardless of what its kubelet reports', () => {
  const addresses = [
    { type: 'Hostname', address: 'metadata.internal' },
    { type: 'InternalIP', address: '169.254.169.254' },
    { type: 'InternalDNS', address: 'elsewhere' },
  ];

  const { status } = nodePatches({ ...newNode, status: { addresses } }, machine, facts);

  expect(status).toEqual(nodePatches(newNode, machine, facts).status);
});
