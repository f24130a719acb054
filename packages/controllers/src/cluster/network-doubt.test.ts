import type { Machine, MachineStatus } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import { describe, expect, it } from 'vitest';
import { networkDoubt } from './network-doubt.ts';

const NOW_MS = Date.parse('2026-01-01T12:00:00Z');

function machineSince(agoMs: number, status: Partial<MachineStatus> = {}): Machine {
  return {
    metadata: { name: 'n' },
    spec: { clusterName: 'c', nodePoolName: 'p', flavor: 'f', image: 'i', version: '1.34.2', floatingIP: false },
    status: { phase: 'NotReady', serverStatus: 'ACTIVE', notReadyTime: formatTime(NOW_MS - agoMs), ...status },
  };
}

describe('how new the lists of a network must be', () => {
  it.each<{ reason: string; machines: readonly Machine[]; doubt: object | undefined }>([
    { reason: 'all nodes report', machines: [machineSince(0, { phase: 'Ready' })], doubt: undefined },
    {
      reason: 'the server of a lost node is stopped',
      machines: [machineSince(0, { serverStatus: 'SHUTOFF' })],
      doubt: undefined,
    },
    {
      reason: 'a node has just been cut off: two minutes at most, and again when they show it',
      machines: [machineSince(0)],
      doubt: { sinceMs: NOW_MS - 120_000, againInMs: 90_000 },
    },
    {
      reason: 'one has been cut off for a minute: the pause is not over',
      machines: [machineSince(60_000), machineSince(600_000)],
      doubt: { sinceMs: NOW_MS - 120_000, againInMs: 30_000 },
    },
    {
      reason: 'one has been cut off for an hour: once',
      machines: [machineSince(3_600_000)],
      doubt: { sinceMs: NOW_MS - 3_630_000 },
    },
  ])('$reason', ({ machines, doubt }) => {
    expect(networkDoubt(machines, NOW_MS)).toEqual(doubt);
  });
});
