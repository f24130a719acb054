import type { Machine, MachineStatus } from '@fairway/api/kinds/machine';
import { formatTime } from '@fairway/base/clock';
import { describe, expect, it } from 'vitest';
import { requiredFreshness } from './network-freshness.ts';

const NOW_MS = Date.parse('2026-01-01T12:00:00Z');

function machineSince(agoMs: number, status: Partial<MachineStatus> = {}): Machine {
  return {
    metadata: { name: 'n' },
    spec: { clusterName: 'c', nodePoolName: 'p', flavor: 'f', image: 'i', version: '1.34.2', floatingIP: false },
    status: { phase: 'NotReady', serverStatus: 'ACTIVE', notReadyTime: formatTime(NOW_MS - agoMs), ...status },
  };
}

describe('the required freshness of a network’s lists', () => {
  it.each<{ reason: string; machines: readonly Machine[]; freshness: object | undefined }>([
    { reason: 'all nodes report', machines: [machineSince(0, { phase: 'Ready' })], freshness: undefined },
    {
      reason: 'the server of a lost node is stopped',
      machines: [machineSince(0, { serverStatus: 'SHUTOFF' })],
      freshness: undefined,
    },
    {
      reason: 'a node has just lost its connection: at most two minutes old, and again later',
      machines: [machineSince(0)],
      freshness: { sinceMs: NOW_MS - 120_000, requeueAfterMs: 90_000 },
    },
    {
      reason: 'a node lost its connection a minute ago: the refresh interval is not over',
      machines: [machineSince(60_000), machineSince(600_000)],
      freshness: { sinceMs: NOW_MS - 120_000, requeueAfterMs: 30_000 },
    },
    {
      reason: 'a node lost its connection an hour ago: once',
      machines: [machineSince(3_600_000)],
      freshness: { sinceMs: NOW_MS - 3_630_000 },
    },
  ])('$reason', ({ machines, freshness }) => {
    expect(requiredFreshness(machines, NOW_MS)).toEqual(freshness);
  });
});
