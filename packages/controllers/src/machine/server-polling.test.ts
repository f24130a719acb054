import type { Machine, MachinePhase } from '@fairway/api/kinds/machine';
import { describe, expect, it } from 'vitest';
import { needsList } from './server-polling.ts';

const seen = { nodes: { workingSinceMs: 1 } };
const unseen = { nodes: { workingSinceMs: undefined } };

function machineIn(phase: MachinePhase | undefined, deletionTimestamp?: string): Machine {
  return {
    metadata: { name: 'n', ...(deletionTimestamp && { deletionTimestamp }) },
    spec: { clusterName: 'c', nodePoolName: 'p', flavor: 'f', image: 'i', version: '1.34.2', floatingIP: false },
    ...(phase && { status: { phase } }),
  };
}

describe('whether the list of servers is needed', () => {
  const ready = machineIn('Ready');

  it.each<{
    reason: string;
    machines: readonly Machine[];
    sight: typeof seen | typeof unseen | undefined;
    is: boolean;
  }>([
    { reason: 'all nodes are Ready and seen', machines: [ready, ready], sight: seen, is: false },
    { reason: 'there is no node', machines: [], sight: undefined, is: false },
    { reason: 'a node no longer reports', machines: [ready, machineIn('NotReady')], sight: seen, is: true },
    { reason: 'a server is being made', machines: [ready, machineIn('Pending')], sight: seen, is: true },
    { reason: 'a server boots', machines: [machineIn('Installing')], sight: seen, is: true },
    { reason: 'nothing is known of a machine yet', machines: [machineIn(undefined)], sight: seen, is: true },
    { reason: 'a machine is to go', machines: [machineIn('Ready', '2026-01-01T00:00:00Z')], sight: seen, is: true },
    { reason: 'the watch of the nodes is broken', machines: [ready], sight: unseen, is: true },
    { reason: 'the cluster is not connected', machines: [ready], sight: undefined, is: true },
  ])('$is: $reason', ({ machines, sight, is }) => {
    expect(needsList(machines, sight)).toBe(is);
  });
});
