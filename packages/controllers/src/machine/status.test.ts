import type { Machine, MachineStatus } from '@fairway/api/kinds/machine';
import { findCondition } from '@fairway/kube/controller/conditions';
import { Server, type ServerStatus } from '@fairway/openstack/types/server';
import { type TenantNode, UNINITIALIZED_TAINT } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { type MachineFacts, machineStatus } from './status.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const NOW = '2026-01-01T00:00:00Z';

function server(status: ServerStatus, fault?: string): Server {
  return Server.parse({
    id: 's1',
    name: 'm1',
    status,
    tenant_id: 'p',
    user_id: 'u',
    created: '',
    updated: '',
    flavor: { original_name: 'b3-8', vcpus: 2, ram: 8192, disk: 50, ephemeral: 0, swap: 0 },
    addresses: { nodes: [{ addr: '10.0.0.7', version: 4, 'OS-EXT-IPS:type': 'fixed' }] },
    ...(fault !== undefined && { fault: { code: 500, message: fault } }),
  });
}

function node(ready: 'True' | 'False', { message = '', isInitialized = true } = {}): TenantNode {
  return {
    metadata: { name: 'm1' },
    ...(!isInitialized && { spec: { taints: [{ key: UNINITIALIZED_TAINT, effect: 'NoSchedule' }] } }),
    status: { conditions: [{ type: 'Ready', status: ready, message }], nodeInfo: { kubeletVersion: 'v1.34.2' } },
  };
}

const nothing: MachineFacts = {
  isServerKnown: true,
  server: undefined,
  isNodeKnown: true,
  node: undefined,
  problem: undefined,
  nowMs: NOW_MS,
};

function statusOf(facts: Partial<MachineFacts>, status?: MachineStatus): MachineStatus {
  const machine: Machine = {
    metadata: { name: 'm1', namespace: 'team', generation: 2 },
    spec: {
      clusterName: 'demo',
      nodePoolName: 'general',
      flavor: 'b3-8',
      image: 'i',
      version: '1.34.2',
      floatingIP: false,
    },
    ...(status && { status }),
  };
  return machineStatus(machine, { ...nothing, ...facts });
}

function conditionsOf({ conditions = [] }: MachineStatus): Record<string, string> {
  return Object.fromEntries(conditions.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
}

const up = { server: server('ACTIVE'), node: node('True') };
const running = statusOf(up);
const quota = { reason: 'QuotaExceeded' as const, message: 'cores: 4 of 4' };
const missingServer = { reason: 'ServerVanished' as const, message: 'server s1 is gone' };

describe('a machine that starts', () => {
  test.each<{
    facts: Partial<MachineFacts>;
    phase: string;
    conditions: [server: string, node: string, ready: string];
    operation: object;
  }>([
    {
      facts: {},
      phase: 'Pending',
      conditions: ['False WaitingForServer', 'False WaitingForNode', 'False WaitingForServer'],
      operation: { type: 'Create', state: 'Processing', progress: 10 },
    },
    {
      facts: { problem: quota },
      phase: 'Pending',
      conditions: ['False QuotaExceeded', 'False WaitingForNode', 'False QuotaExceeded'],
      operation: { type: 'Create', state: 'Error', progress: 0, description: 'cores: 4 of 4' },
    },
    {
      facts: { problem: { reason: 'WaitingForNetwork', message: 'no network yet' } },
      phase: 'Pending',
      conditions: ['False WaitingForNetwork', 'False WaitingForNode', 'False WaitingForNetwork'],
      operation: { type: 'Create', state: 'Pending', progress: 0 },
    },
    {
      facts: { server: { id: 's1' } },
      phase: 'Installing',
      conditions: ['False WaitingForServer', 'False WaitingForNode', 'False WaitingForServer'],
      operation: { type: 'Create', state: 'Processing', progress: 30 },
    },
    {
      facts: { server: server('BUILD') },
      phase: 'Installing',
      conditions: ['False WaitingForServer', 'False WaitingForNode', 'False WaitingForServer'],
      operation: { state: 'Processing', progress: 30 },
    },
    {
      facts: { server: server('ACTIVE') },
      phase: 'Installing',
      conditions: ['True AsExpected', 'False WaitingForNode', 'False WaitingForNode'],
      operation: { state: 'Processing', progress: 60 },
    },
    {
      facts: { server: server('ACTIVE'), node: node('False', { message: 'cni config uninitialized' }) },
      phase: 'Installing',
      conditions: ['True AsExpected', 'False NodeNotReady', 'False NodeNotReady'],
      operation: { state: 'Processing', progress: 90 },
    },
    {
      facts: { server: server('ACTIVE'), node: node('True', { isInitialized: false }) },
      phase: 'Installing',
      conditions: ['True AsExpected', 'False NodeNotReady', 'False NodeNotReady'],
      operation: { state: 'Processing', progress: 90 },
    },
    {
      facts: { ...up, problem: quota },
      phase: 'Installing',
      conditions: ['False QuotaExceeded', 'True AsExpected', 'False QuotaExceeded'],
      operation: { state: 'Error', progress: 30 },
    },
    {
      facts: up,
      phase: 'Ready',
      conditions: ['True AsExpected', 'True AsExpected', 'True AsExpected'],
      operation: { type: 'Create', state: 'Succeeded', progress: 100 },
    },
  ])('$phase with $conditions', ({ facts, phase, conditions, operation }) => {
    const status = statusOf(facts);
    const [ServerReady, NodeReady, Ready] = conditions;

    expect(status.phase).toBe(phase);
    expect(conditionsOf(status)).toEqual({ ServerReady, NodeReady, Ready });
    expect(status.lastOperation).toMatchObject(operation);
  });
});

describe('a machine that was Ready', () => {
  test('keeps only the ID of a deleted server', () => {
    const status = statusOf({ server: undefined, isServerGone: true, problem: missingServer }, running);

    expect(status.serverID).toBe('s1');
    expect(status).not.toHaveProperty('serverStatus');
    expect(conditionsOf(status)).toMatchObject({ ServerReady: 'False ServerVanished' });
  });

  test.each<{ facts: Partial<MachineFacts>; phase: string; ready: string; reason: string }>([
    { facts: up, phase: 'Ready', ready: 'True AsExpected', reason: 'it is still Ready' },
    { facts: { ...up, problem: quota }, phase: 'Ready', ready: 'True AsExpected', reason: 'a floating IP is missing' },
    { facts: { ...up, node: node('False') }, phase: 'NotReady', ready: 'False NodeNotReady', reason: 'heartbeats' },
    {
      facts: { ...up, node: undefined },
      phase: 'NotReady',
      ready: 'False NodeNotReady',
      reason: 'the node was deleted',
    },
    { facts: { ...up, server: server('SHUTOFF') }, phase: 'NotReady', ready: 'False ServerStopped', reason: 'off' },
    {
      facts: { server: undefined, isServerGone: true, problem: missingServer },
      phase: 'NotReady',
      ready: 'False ServerVanished',
      reason: 'gone',
    },
    {
      facts: { server: undefined },
      phase: 'NotReady',
      ready: 'False WaitingForServer',
      reason: 'the server was deleted',
    },
    { facts: { isServerKnown: false, isNodeKnown: false }, phase: 'Ready', ready: 'True AsExpected', reason: 'blind' },
    {
      facts: { isServerKnown: false, node: node('False') },
      phase: 'NotReady',
      ready: 'False NodeNotReady',
      reason: '',
    },
  ])('$phase, Ready $ready: $reason', ({ facts, phase, ready }) => {
    const status = statusOf(facts, running);

    expect(status.phase).toBe(phase);
    expect(conditionsOf(status)).toMatchObject({ Ready: ready });
  });

  test.each<{ facts: Partial<MachineFacts>; message: string; doing: string }>([
    {
      facts: { node: undefined },
      message:
        'the node is no longer in the cluster, but its server is still running; to bring it back: openstack server reboot s1',
      doing: 'the node is no longer in the cluster',
    },
    {
      facts: { server: server('SHUTOFF') },
      message:
        'the server is SHUTOFF, and Fairway did not stop it: openstack server start s1; since 2026-01-01T00:00:00Z',
      doing: 'the server is SHUTOFF',
    },
  ])('a lost node is not reported as a new one: $doing', ({ facts, message, doing }) => {
    const status = statusOf({ ...up, ...facts }, running);

    expect(findCondition(status.conditions, 'Ready')?.message).toBe(message);
    expect(status.lastOperation).toMatchObject({ type: 'Reconcile', description: doing });
  });

  const healing = {
    isEnabled: true,
    strategy: 'Replace' as const,
    notReadyMs: 60_000,
    reinstallMs: 0,
    maxUnhealthy: '1',
  };
  test.each<{ facts: Partial<MachineFacts>; at: string | undefined; reason: string }>([
    { facts: { node: node('False') }, at: '2026-01-01T00:01:00Z', reason: 'the time limit of the pool' },
    {
      facts: { server: server('ERROR'), node: node('False') },
      at: '2026-01-01T00:05:00Z',
      reason: 'the server is in ERROR',
    },
    { facts: { server: server('SHUTOFF') }, at: '2026-01-01T00:30:00Z', reason: 'someone has stopped it' },
    { facts: {}, at: undefined, reason: 'it is healthy' },
    {
      facts: { node: node('False'), healing: { ...healing, isEnabled: false } },
      at: undefined,
      reason: 'healing is disabled',
    },
    {
      facts: { node: node('True', { isInitialized: false }) },
      at: undefined,
      reason: 'its kubelet is healthy, so it is not repaired',
    },
  ])('healing starts at $at: $reason', ({ facts, at }) => {
    const status = statusOf({ ...up, healing, ...facts }, running);
    const message = at && `to be repaired at ${at} or later unless the node becomes Ready before then`;

    expect(findCondition(status.conditions, 'HealthCheckSucceeded')?.message).toBe(message);
  });

  test('an overdue repair is not reported with a start time in the future, and the message is updated only once', () => {
    const broken = statusOf({ ...up, healing, node: node('False') }, running);
    const late = statusOf({ ...up, healing, node: node('False'), nowMs: NOW_MS + 60_000 }, broken);
    const later = statusOf({ ...up, healing, node: node('False'), nowMs: NOW_MS + 600_000 }, late);
    const reported = findCondition(late.conditions, 'HealthCheckSucceeded');

    expect(reported?.message).toMatch(/^due for repair since 2026-01-01T00:01:00Z: the repair starts once /);
    expect(findCondition(later.conditions, 'HealthCheckSucceeded')).toEqual(reported);
  });

  test('healing counts from the time when the machine stopped being Ready until it is Ready again', () => {
    const broken = statusOf({ ...up, node: node('False') }, running);
    const later = statusOf({ ...up, node: node('False'), nowMs: NOW_MS + 60_000 }, broken);
    const healed = statusOf({ ...up, nowMs: NOW_MS + 90_000 }, later);

    expect(later).toMatchObject({ readyTime: NOW, notReadyTime: NOW });
    expect(later.lastOperation).toMatchObject({ type: 'Reconcile', state: 'Processing' });
    expect(healed).toMatchObject({ phase: 'Ready', readyTime: NOW });
    expect(healed).not.toHaveProperty('notReadyTime');
  });

  test('a cloud that does not respond leaves the server unknown, not failed', () => {
    const problem = { reason: 'CloudUnavailable' as const, message: 'nova: no answer' };

    const status = statusOf({ isServerKnown: false, node: node('True'), problem }, running);

    expect(status).toMatchObject({ phase: 'Ready', serverID: 's1', serverStatus: 'ACTIVE' });
    expect(findCondition(status.conditions, 'ServerReady')).toMatchObject({
      status: 'Unknown',
      reason: 'CloudUnavailable',
    });
  });

  test('an unchanged machine keeps its status', () => {
    expect(statusOf({ ...up, nowMs: NOW_MS + 60_000 }, running)).toEqual(running);
  });
});

test.each([
  { reportedText: 'nova-b', before: undefined, zone: 'nova-b', reason: 'the cloud has chosen it' },
  { reportedText: '', before: undefined, zone: undefined, reason: 'the server has no host yet' },
  { reportedText: null, before: 'nova-b', zone: 'nova-b', reason: 'the known zone is kept' },
  { reportedText: 'nova-a', before: 'nova-b', zone: 'nova-a', reason: 'the server was moved' },
])('the zone is $zone: $reason', ({ reportedText, before, zone }) => {
  const placed = { ...server('ACTIVE'), 'OS-EXT-AZ:availability_zone': reportedText };
  const previous = { ...running, zone: before } as MachineStatus;

  expect(statusOf({ server: placed, node: node('True') }, previous).zone).toBe(zone);
});

test('facts reported by server and node are in the status', () => {
  expect(running).toMatchObject({
    observedGeneration: 2,
    serverID: 's1',
    serverStatus: 'ACTIVE',
    address: '10.0.0.7',
    nodeName: 'm1',
    version: '1.34.2',
    readyTime: NOW,
  });
});

test.each([
  {
    facts: { server: server('ERROR', 'No valid host') },
    type: 'ServerReady',
    expectedMessage: 'the server is ERROR: No valid host',
  },
  {
    facts: { node: node('False', { message: 'no CNI' }) },
    type: 'NodeReady',
    expectedMessage: 'the node is not ready: no CNI',
  },
  { facts: { node: node('False') }, type: 'NodeReady', expectedMessage: 'the node is not ready yet' },
  {
    facts: { node: node('True', { isInitialized: false }) },
    type: 'NodeReady',
    expectedMessage: 'the node is not ready: the cloud provider has not initialised it yet',
  },
])('$type: $expectedMessage', ({ facts, type, expectedMessage }) => {
  expect(findCondition(statusOf(facts).conditions, type)?.message).toBe(expectedMessage);
});

describe('a node that claims to be another server', () => {
  const foreignNode: TenantNode = { ...node('True'), spec: { providerID: 'openstack://RegionOne/s2' } };

  test('does not belong to the machine', () => {
    const status = statusOf({ ...up, node: foreignNode });

    expect(status).toMatchObject({ phase: 'Installing' });
    expect(findCondition(status.conditions, 'NodeReady')).toMatchObject({
      reason: 'NodeNotReady',
      message: expect.stringContaining(
        'spec.providerID of the node is openstack://RegionOne/s2, but the machine has server s1',
      ),
    });
  });

  test.each(['openstack://RegionOne/s1', 'openstack:///s1'])('is not accepted as %s', (providerID) => {
    expect(statusOf({ ...up, node: { ...foreignNode, spec: { providerID } } }).phase).toBe('Ready');
  });
});

test('the applied template stays recorded in any machine state', () => {
  const appliedTemplate = { labels: ['tier'], annotations: [], taints: [], unschedulable: false };

  expect(statusOf(up, { ...running, appliedTemplate }).appliedTemplate).toEqual(appliedTemplate);
  expect(statusOf({}, { ...running, appliedTemplate }).appliedTemplate).toEqual(appliedTemplate);
});

test('no kubelet version is reported until the kubelet has reported', () => {
  const registered: TenantNode = { metadata: { name: 'm1' }, status: { nodeInfo: { kubeletVersion: '' } } };

  expect(statusOf({ server: server('ACTIVE'), node: registered })).not.toHaveProperty('version');
  expect(running.version).toBe('1.34.2');
});
