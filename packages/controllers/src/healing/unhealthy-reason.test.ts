import type { Machine, MachineStatus } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import { describe, expect, test } from 'vitest';
import { type Observation, unhealthyReason } from './unhealthy-reason.ts';

const MINUTE_MS = 60_000;
const T0_MS = Date.UTC(2026, 0, 1);
const at = (minutes: number) => formatTime(T0_MS + minutes * MINUTE_MS);

function machine(status: MachineStatus, more: Partial<Machine['spec']> = {}, deletionTimestamp?: string): Machine {
  return {
    metadata: { name: 'a', ...(deletionTimestamp !== undefined && { deletionTimestamp }) },
    spec: {
      clusterName: 'demo',
      nodePoolName: 'general',
      flavor: 'f',
      image: 'i',
      version: '1.34.2',
      floatingIP: false,
      ...more,
    },
    status,
  };
}

const node = (status: string, taint?: string): TenantNode => ({
  metadata: { name: 'a', creationTimestamp: at(0) },
  spec: taint === undefined ? {} : { taints: [{ key: taint, effect: 'NoSchedule' }] },
  status: { conditions: [{ type: 'Ready', status }] },
});

const wasReady: MachineStatus = { phase: 'NotReady', serverStatus: 'ACTIVE', readyTime: at(-60), notReadyTime: at(0) };
const uninitialized = 'node.cloudprovider.kubernetes.io/uninitialized';
const missingServer = (status: 'False' | 'Unknown') => [
  { type: 'ServerReady', status, reason: 'ServerVanished', message: 'gone', lastTransitionTime: at(0) },
];
const renewal = { due: true, reason: 'Updating', message: '', time: at(0), strategy: 'InPlace' as const };

const DISK_PRESSURE = { image: 'i', version: '1.34.2' };

interface Case {
  readonly case: string;
  readonly status: MachineStatus;
  readonly spec?: Partial<Machine['spec']>;
  readonly observation?: Partial<Observation>;
  /** After how many minutes it is repaired; undefined if it is healthy. */
  readonly due: number | undefined;
  readonly reason?: string;
}

describe('a machine', () => {
  test.each<Case>([
    { case: 'is healthy if it is Ready', status: { ...wasReady, phase: 'Ready' }, due: undefined },
    {
      case: 'has the pool’s time limit if its node is NotReady',
      status: wasReady,
      due: 10,
      reason: 'NodeNotReady',
    },
    {
      case: 'has the same time limit if someone deleted its node',
      status: wasReady,
      observation: { node: undefined },
      due: 10,
      reason: 'NodeNotReady',
    },
    {
      case: 'has a time limit that starts when its nodes are observed again',
      status: wasReady,
      observation: { trustedSinceMs: T0_MS + 7 * MINUTE_MS },
      due: 17,
      reason: 'NodeNotReady',
    },
    {
      case: 'is never due while its nodes are not observed',
      status: wasReady,
      observation: { trustedSinceMs: undefined },
      due: Number.POSITIVE_INFINITY,
      reason: 'NodeNotReady',
    },
    {
      case: 'has five minutes if its server is in ERROR',
      status: { ...wasReady, serverStatus: 'ERROR' },
      due: 5,
      reason: 'ServerFailed',
    },
    {
      case: 'is healthy if its node works although its server is in ERROR',
      status: { ...wasReady, serverStatus: 'ERROR' },
      observation: { node: node('True') },
      due: undefined,
    },
    ...['SHUTOFF', 'PAUSED', 'SUSPENDED', 'SHELVED_OFFLOADED', 'RESCUE'].map((serverStatus) => ({
      case: `has half an hour if its server is ${serverStatus}`,
      status: { ...wasReady, serverStatus },
      due: 30,
      reason: 'ServerStopped',
    })),
    {
      case: 'has five minutes if its reinstallation failed',
      status: {
        phase: 'Installing',
        serverStatus: 'ERROR',
        reinstall: { image: 'i', version: '1.34.2', startTime: at(-2), wasCordoned: false, acceptedTime: at(-1) },
      },
      due: 4,
      reason: 'ServerFailed',
    },
    {
      case: 'is not repaired while it waits for the cloud provider',
      status: wasReady,
      observation: { node: node('True', uninitialized) },
      due: undefined,
    },
    {
      case: 'is due immediately if its server is missing',
      status: { ...wasReady, conditions: missingServer('False') },
      observation: { trustedSinceMs: undefined },
      due: 0,
      reason: 'ServerVanished',
    },
    {
      case: 'depends on its node if its server is only missing from the list',
      status: { ...wasReady, conditions: missingServer('Unknown') },
      due: 10,
      reason: 'NodeNotReady',
    },
    {
      case: 'is due after its startup timeout if it never joined',
      status: { phase: 'Installing', startup: { serverID: 's', activeTime: at(-20), timedOutTime: at(-10) } },
      due: -10,
      reason: 'NodeStartupTimeout',
    },
    {
      case: 'is healthy while it may still join',
      status: { phase: 'Installing', serverStatus: 'ACTIVE' },
      observation: { node: undefined },
      due: undefined,
    },
    {
      case: 'is due if it joined but never became Ready, although other nodes are Ready',
      status: { phase: 'Installing', serverStatus: 'ACTIVE' },
      due: 10,
      reason: 'NodeNotReady',
    },
    {
      case: 'is healthy if no node of the cluster has become Ready',
      status: { phase: 'Installing', serverStatus: 'ACTIVE' },
      observation: { hasReadyPeer: false },
      due: undefined,
    },
    {
      case: 'is not repaired if it is about to be updated',
      status: { ...wasReady, marks: { renewal } },
      due: undefined,
    },
    {
      case: 'is not repaired if it is about to be reinstalled',
      status: { ...wasReady, installed: { serverID: 's', image: 'i', version: '1.34.2' } },
      spec: { reinstallTime: at(0) },
      due: undefined,
    },
    {
      case: 'is not repaired within the time limit of a reinstallation',
      status: {
        phase: 'Installing',
        reinstall: { ...DISK_PRESSURE, startTime: at(0), acceptedTime: at(30), wasCordoned: false },
      },
      due: undefined,
    },
    {
      case: 'waits for the cloud if it does not accept the reinstallation',
      status: { phase: 'Draining', reinstall: { ...DISK_PRESSURE, startTime: at(-300), wasCordoned: false } },
      due: undefined,
    },
    {
      case: 'is due if its reinstallation never ends',
      status: {
        phase: 'Installing',
        reinstall: { ...DISK_PRESSURE, startTime: at(0), acceptedTime: at(10), wasCordoned: false },
      },
      due: 50,
      reason: 'NodeNotReady',
    },
    {
      case: 'is not due again if it was reinstalled and does not join',
      status: {
        phase: 'Installing',
        marks: { renewal },
        startup: { serverID: 's', activeTime: at(-20), timedOutTime: at(-10) },
      },
      due: -10,
      reason: 'NodeStartupTimeout',
    },
  ])('$case', ({ status, spec, observation, due, reason }) => {
    const unhealthy = unhealthyReason(machine(status, spec), {
      node: node('False'),
      hasReadyPeer: true,
      settings: { notReadyMs: 10 * MINUTE_MS, reinstallMs: 40 * MINUTE_MS },
      nowMs: T0_MS + 60 * MINUTE_MS,
      trustedSinceMs: T0_MS - 120 * MINUTE_MS,
      ...observation,
    });

    expect(unhealthy && (unhealthy.dueMs - T0_MS) / MINUTE_MS).toBe(due);
    expect(unhealthy?.reason).toBe(reason);
  });

  test('unhealthyReason is undefined for a machine that is being deleted', () => {
    const settings = { notReadyMs: 0, reinstallMs: 0 };
    const observation = { node: undefined, hasReadyPeer: true, settings, trustedSinceMs: 0, nowMs: T0_MS };

    expect(unhealthyReason(machine(wasReady, {}, at(0)), observation)).toBeUndefined();
  });
});
