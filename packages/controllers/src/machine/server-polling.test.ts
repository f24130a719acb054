import type { Machine, MachinePhase } from '@fairway/api/kinds/machine';
import { describe, expect, it } from 'vitest';
import { needsServerList } from './server-polling.ts';

const seen = { nodes: { healthySinceMs: 1 } };
const unseen = { nodes: { healthySinceMs: undefined } };

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
    nodeView: typeof seen | typeof unseen | undefined;
    is: boolean;
  }>([
    { reason: 'all nodes are Ready and observed', machines: [ready, ready], nodeView: seen, is: false },
    { reason: 'the cluster has no nodes', machines: [], nodeView: undefined, is: false },
    { reason: 'a node no longer reports', machines: [ready, machineIn('NotReady')], nodeView: seen, is: true },
    { reason: 'a server is being created', machines: [ready, machineIn('Pending')], nodeView: seen, is: true },
    { reason: 'a server is booting', machines: [machineIn('Installing')], nodeView: seen, is: true },
    { reason: 'the state of a machine is unknown', machines: [machineIn(undefined)], nodeView: seen, is: true },
    {
      reason: 'a machine is to be deleted',
      machines: [machineIn('Ready', '2026-01-01T00:00:00Z')],
      nodeView: seen,
      is: true,
    },
    { reason: 'the node watch is broken', machines: [ready], nodeView: unseen, is: true },
    { reason: 'the cluster is not connected', machines: [ready], nodeView: undefined, is: true },
  ])('$is: $reason', ({ machines, nodeView, is }) => {
    expect(needsServerList(machines, nodeView)).toBe(is);
  });
});
