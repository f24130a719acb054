import { aNodePool } from '@fairway/api/testing/objects';
import type { DaemonSet } from '@fairway/kube/kinds/generated/types';
import { describe, expect, it, test } from 'vitest';
import { type NodeTemplateFacts, nodeTemplate } from './node-template.ts';

const taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule' as const };
const facts: NodeTemplateFacts = {
  pool: aNodePool({ template: { metadata: { labels: { disk: 'ssd' } }, spec: { taints: [taint] } } }),
  flavor: { name: 'b3-16', vcpus: 4, memoryMiB: 16_384, diskGiB: 100 },
  maxPods: 110,
  region: 'RegionOne',
  defaultZone: undefined,
  sampleNode: undefined,
  daemonSets: [],
};

test('a node template for an empty pool uses the pool’s kubelet settings', () => {
  const kubelet = {
    maxPods: 40,
    kubeReserved: { cpu: '500m', memory: '1Gi' },
    systemReserved: { cpu: '1', memory: '1Gi' },
    evictionHard: { 'memory.available': '10%', 'nodefs.available': '20%' },
  };
  const { node } = nodeTemplate({ ...facts, pool: aNodePool({ kubelet }), maxPods: 40 })('new', 'nova-1');

  // 16 GiB minus 3%, 2 GiB and a tenth; 100 GiB minus a fifth and 30 GB.
  expect(node.status?.allocatable).toEqual({
    cpu: '2500m',
    memory: `${Math.floor(16 * 2 ** 30 * 0.97 - 2 * 2 ** 30 - 1.6 * 2 ** 30)}`,
    'ephemeral-storage': `${80 * 2 ** 30 - 30e9}`,
    pods: '40',
  });
});

test('a node template for an empty pool has the flavor’s resources minus reservation and eviction threshold', () => {
  const { node, pods } = nodeTemplate(facts)('new', 'nova-1');

  expect(pods).toEqual([]);
  // 16 GiB minus 3%, 1590 MB and 100 MiB; 100 GiB minus a tenth and 30 GB.
  expect(node.status?.allocatable).toEqual({
    cpu: '3830m',
    memory: '14969615508',
    'ephemeral-storage': '66636764160',
    pods: '110',
  });
  expect(node.spec).toEqual({ taints: [taint] });
  expect(node.metadata.labels).toMatchObject({
    disk: 'ssd',
    'fairway.dev/node-pool': 'general',
    'kubernetes.io/hostname': 'new',
    'node.kubernetes.io/instance-type': 'b3-16',
    'topology.kubernetes.io/region': 'RegionOne',
    'topology.kubernetes.io/zone': 'nova-1',
  });
});

test('a node template has the labels that nodes are given for names that are not valid label values', () => {
  const named = { ...facts, flavor: { ...facts.flavor, name: 'SCS-2V:8:20s' }, region: 'Région 1' };

  expect(nodeTemplate(named)('new', 'AZ 1').node.metadata.labels).toMatchObject({
    'node.kubernetes.io/instance-type': 'SCS-2V-8-20s',
    'beta.kubernetes.io/instance-type': 'SCS-2V-8-20s',
    'topology.kubernetes.io/region': 'R-gion-1',
    'topology.kubernetes.io/zone': 'AZ-1',
    'failure-domain.beta.kubernetes.io/zone': 'AZ-1',
    'topology.cinder.csi.openstack.org/zone': 'AZ-1',
  });
});

test('a pool with nodes adds similar nodes, even in another zone', () => {
  const like = {
    metadata: {
      name: 'old',
      labels: {
        'kubernetes.io/hostname': 'old',
        'topology.kubernetes.io/zone': 'nova-1',
        'topology.cinder.csi.openstack.org/zone': 'nova-1',
        'example.org/found': 'avx',
      },
    },
    spec: { taints: [{ key: 'node.kubernetes.io/memory-pressure', effect: 'NoSchedule' }] },
    status: { allocatable: { cpu: '3830m', memory: '14Gi', pods: '110', 'nvidia.com/gpu': '1' } },
  };

  const { node } = nodeTemplate({ ...facts, sampleNode: like })('new', 'nova-2');

  expect(node.status?.allocatable).toEqual(like.status.allocatable);
  expect(node.spec.taints).toEqual([taint]);
  expect(node.metadata.labels).toMatchObject({
    'example.org/found': 'avx',
    'kubernetes.io/hostname': 'new',
    'topology.kubernetes.io/zone': 'nova-2',
    'topology.cinder.csi.openstack.org/zone': 'nova-2',
  });
});

describe('DaemonSets on a new node', () => {
  const daemonSet = (spec: Partial<NonNullable<DaemonSet['spec']['template']['spec']>>): DaemonSet => ({
    metadata: { name: 'agent', namespace: 'kube-system', uid: 'u' },
    spec: { selector: {}, template: { spec: { containers: [{ name: 'main' }], ...spec } } },
  });

  it.each([
    { reason: 'do not run unless they tolerate its taint', spec: {}, runs: false },
    { reason: 'run if they tolerate its taint', spec: { tolerations: [{ operator: 'Exists' }] }, runs: true },
    {
      reason: 'do not run if they select other nodes',
      spec: { tolerations: [{ operator: 'Exists' }], nodeSelector: { disk: 'hdd' } },
      runs: false,
    },
  ])('$reason', ({ spec, runs }) => {
    const { pods } = nodeTemplate({ ...facts, daemonSets: [daemonSet(spec)] })('new', undefined);

    expect(pods.map(({ metadata }) => metadata.name)).toEqual(runs ? ['agent'] : []);
  });
});
