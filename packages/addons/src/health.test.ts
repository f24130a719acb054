import { CustomResourceDefinitions } from '@fairway/apiserver/crd/types';
import { DaemonSets, Deployments } from '@fairway/kube/kinds/resources';
import type { KubeObject } from '@fairway/kube/object/meta';
import { describe, expect, test } from 'vitest';
import { healthOf, servingHealth } from './health.ts';

const nodes = { total: 3, ready: 3, withoutNetwork: 0 };
const nodeCounts = (total: number, ready: number, withoutNetwork = 0) => ({
  total,
  ready,
  withoutNetwork: withoutNetwork,
});
const aDaemonSet = { workload: { type: DaemonSets, name: 'some' } };
const aDeployment = { workload: { type: Deployments, name: 'some' } };
const seen = { observedGeneration: 2 };
const on = (desired: number, updated: number, ready: number) => ({
  ...seen,
  desiredNumberScheduled: desired,
  updatedNumberScheduled: updated,
  numberReady: ready,
});

describe('a definition', () => {
  const aDefinition = { workload: { type: CustomResourceDefinitions, name: 'some' } };

  test.each([
    { conditions: undefined, is: 'unseen' },
    { conditions: [{ type: 'Established', status: 'False' }], is: 'unseen' },
    { conditions: [{ type: 'Established', status: 'True' }], is: 'working' },
  ])('has health $is with $conditions, regardless of the nodes', ({ conditions, is }) => {
    const object = { metadata: { name: 'some' }, status: { conditions } } as KubeObject;

    expect(healthOf(aDefinition, object, nodeCounts(0, 0))).toBe(is);
  });
});

describe('a DaemonSet', () => {
  test.each([
    { status: undefined, nodes, is: 'unseen' },
    { status: { observedGeneration: 1 }, nodes, is: 'unseen' },
    { status: on(0, 0, 0), nodes: nodeCounts(0, 0), is: 'waiting' },
    { status: on(3, 3, 0), nodes: nodeCounts(3, 0), is: 'waiting' },
    { status: on(3, 3, 0), nodes: nodeCounts(3, 0, 1), is: 'offline' },
    { status: on(3, 1, 3), nodes, is: 'updating' },
    { status: on(3, 3, 2), nodes, is: 'failing' },
    { status: on(3, 3, 2), nodes: nodeCounts(3, 2), is: 'working' },
    { status: on(3, 2, 2), nodes: nodeCounts(3, 2), is: 'working' },
    { status: on(3, 3, 3), nodes, is: 'working' },
  ])('has health $is with $status on $nodes', ({ status, nodes: counts, is }) => {
    const object = { metadata: { generation: 2 }, spec: {}, status } as KubeObject;

    expect(healthOf(aDaemonSet, object, counts)).toBe(is);
  });
});

describe('a Deployment', () => {
  const available = (status: string) => ({ ...seen, conditions: [{ type: 'Available', status }] });

  test.each([
    { status: undefined, nodes, is: 'unseen' },
    { status: available('False'), nodes: nodeCounts(1, 0), is: 'waiting' },
    { status: available('False'), nodes: nodeCounts(1, 0, 1), is: 'offline' },
    { status: available('False'), nodes, is: 'failing' },
    { status: seen, nodes, is: 'failing' },
    { status: { ...available('True'), updatedReplicas: 1 }, nodes, is: 'updating' },
    { status: { ...available('True'), updatedReplicas: 2 }, nodes, is: 'working' },
  ])('has health $is with $status on $nodes', ({ status, nodes: counts, is }) => {
    const object = { metadata: { generation: 2 }, spec: { replicas: 2 }, status } as KubeObject;

    expect(healthOf(aDeployment, object, counts)).toBe(is);
  });
});

describe("the pod network's workload", () => {
  const network = { ...aDaemonSet, isNetwork: true };

  test.each([
    { status: on(0, 0, 0), nodes: nodeCounts(0, 0), is: 'waiting', reason: 'there are no nodes' },
    { status: on(2, 2, 0), nodes: nodeCounts(2, 0, 2), is: 'failing', reason: 'nodes wait for the network' },
    { status: on(3, 3, 2), nodes: nodeCounts(3, 2, 1), is: 'failing', reason: 'one node waits for the network' },
    { status: on(3, 3, 2), nodes: nodeCounts(3, 2), is: 'working', reason: 'one node is broken' },
    { status: on(3, 3, 3), nodes, is: 'working', reason: 'it runs on every node' },
  ])('has health $is with $status on $nodes: $reason', ({ status, nodes: counts, is }) => {
    const object = { metadata: { generation: 2 }, spec: {}, status } as KubeObject;

    expect(healthOf(network, object, counts)).toBe(is);
  });
});

describe('a workload that serves an API', () => {
  const registration = (status: string) =>
    ({ metadata: {}, status: { conditions: [{ type: 'Available', status }] } }) as KubeObject;

  test.each([
    { health: 'working', service: registration('True'), is: 'working' },
    { health: 'working', service: registration('False'), is: 'unserved' },
    { health: 'working', service: { metadata: {} }, is: 'unserved' },
    { health: 'working', service: undefined, is: 'unserved' },
    { health: 'updating', service: registration('False'), is: 'updating' },
    { health: 'failing', service: registration('True'), is: 'failing' },
    { health: 'waiting', service: registration('False'), is: 'waiting' },
  ] as const)('has health $is with workload health $health and APIService $service', ({ health, service, is }) => {
    expect(servingHealth(health, service)).toBe(is);
  });
});
