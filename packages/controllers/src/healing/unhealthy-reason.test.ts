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
const serverGone = (status: 'False' | 'Unknown') => [
  { type: 'ServerReady', status, reason: 'ServerVanished', message: 'gone', lastTransitionTime: at(0) },
];
const renewal = { due: true, reason: 'Updating', message: '', time: at(0), strategy: 'InPlace' as const };

const DISK = { image: 'i', version: '1.34.2' };

interface Case {
  readonly case: string;
  readonly status: MachineStatus;
  readonly spec?: Partial<Machine['spec']>;
  readonly observation?: Partial<Observation>;
  /** From when on it is to be repaired, in minutes; undefined: it is healthy. */
  readonly due: number | undefined;
  readonly reason?: string;
}

describe('a machine', () => {
  test.each<Case>([
    { case: 'that is Ready is well', status: { ...wasReady, phase: 'Ready' }, due: undefined },
    {
      case: 'whose node is NotReady has the time that the pool says',
      status: wasReady,
      due: 10,
      reason: 'NodeNotReady',
    },
    {
      case: 'whose node somebody deleted, too',
      status: wasReady,
      observation: { node: undefined },
      due: 10,
      reason: 'NodeNotReady',
    },
    {
      case: 'is judged from when its nodes are seen again',
      status: wasReady,
      observation: { trustedSinceMs: T0_MS + 7 * MINUTE_MS },
      due: 17,
      reason: 'NodeNotReady',
    },
    {
      case: 'is never due while they are not seen',
      status: wasReady,
      observation: { trustedSinceMs: undefined },
      due: Number.POSITIVE_INFINITY,
      reason: 'NodeNotReady',
    },
    {
      case: 'in ERROR has five minutes',
      status: { ...wasReady, serverStatus: 'ERROR' },
      due: 5,
      reason: 'ServerFailed',
    },
    {
      case: 'in ERROR whose node works is left alone',
      status: { ...wasReady, serverStatus: 'ERROR' },
      observation: { node: node('True') },
      due: undefined,
    },
    ...['SHUTOFF', 'PAUSED', 'SUSPENDED', 'SHELVED_OFFLOADED', 'RESCUE'].map((serverStatus) => ({
      case: `that is ${serverStatus} has half an hour`,
      status: { ...wasReady, serverStatus },
      due: 30,
      reason: 'ServerStopped',
    })),
    {
      case: 'that failed when it was reinstalled has five minutes',
      status: {
        phase: 'Installing',
        serverStatus: 'ERROR',
        reinstall: { image: 'i', version: '1.34.2', startTime: at(-2), wasCordoned: false, acceptedTime: at(-1) },
      },
      due: 4,
      reason: 'ServerFailed',
    },
    {
      case: 'that waits for the cloud provider is not the one to repair',
      status: wasReady,
      observation: { node: node('True', uninitialized) },
      due: undefined,
    },
    {
      case: 'whose server is gone is due at once, whatever else is known',
      status: { ...wasReady, conditions: serverGone('False') },
      observation: { trustedSinceMs: undefined },
      due: 0,
      reason: 'ServerVanished',
    },
    {
      case: 'whose server is only not listed is judged by its node',
      status: { ...wasReady, conditions: serverGone('Unknown') },
      due: 10,
      reason: 'NodeNotReady',
    },
    {
      case: 'that never joined is due when its startup has timed out',
      status: { phase: 'Installing', startup: { serverID: 's', activeTime: at(-20), timedOutTime: at(-10) } },
      due: -10,
      reason: 'NodeStartupTimeout',
    },
    {
      case: 'that may still join is well',
      status: { phase: 'Installing', serverStatus: 'ACTIVE' },
      observation: { node: undefined },
      due: undefined,
    },
    {
      case: 'that joined and never was Ready is due where others are',
      status: { phase: 'Installing', serverStatus: 'ACTIVE' },
      due: 10,
      reason: 'NodeNotReady',
    },
    {
      case: 'that joined and never was Ready is none where no other is either',
      status: { phase: 'Installing', serverStatus: 'ACTIVE' },
      observation: { hasReadyPeer: false },
      due: undefined,
    },
    { case: 'that is to be renewed is left to that', status: { ...wasReady, marks: { renewal } }, due: undefined },
    {
      case: 'that is being reinstalled is left to that',
      status: { ...wasReady, installed: { serverID: 's', image: 'i', version: '1.34.2' } },
      spec: { reinstallTime: at(0) },
      due: undefined,
    },
    {
      case: 'that is being reinstalled has the time for that',
      status: {
        phase: 'Installing',
        reinstall: { ...DISK, startTime: at(0), acceptedTime: at(30), wasCordoned: false },
      },
      due: undefined,
    },
    {
      case: 'whose reinstallation the cloud does not accept waits for the cloud',
      status: { phase: 'Draining', reinstall: { ...DISK, startTime: at(-300), wasCordoned: false } },
      due: undefined,
    },
    {
      case: 'whose reinstallation does not come to an end is due then',
      status: {
        phase: 'Installing',
        reinstall: { ...DISK, startTime: at(0), acceptedTime: at(10), wasCordoned: false },
      },
      due: 50,
      reason: 'NodeNotReady',
    },
    {
      case: 'that was reinstalled and does not join is not',
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

  test('that is being deleted is no patient', () => {
    const settings = { notReadyMs: 0, reinstallMs: 0 };
    const observation = { node: undefined, hasReadyPeer: true, settings, trustedSinceMs: 0, nowMs: T0_MS };

    expect(unhealthyReason(machine(wasReady, {}, at(0)), observation)).toBeUndefined();
  });
});
