import { targetReplicas } from '@fairway/api/domain/target-replicas';
import type { Machine, MachineStatus } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { aNodePool } from '@fairway/api/testing/objects';
import { formatTime } from '@fairway/base/clock';
import type { DaemonSet, Pod } from '@fairway/kube/kinds/generated/types';
import { aPod, specWithRequests } from '@fairway/scheduling/testing/objects';
import type { TenantNode } from '@fairway/tenancy/connection/node';
import type { PoolFacts } from '../cluster-view.ts';
import type { DecisionFacts } from '../decision.ts';
import { machineState } from '../machine-state.ts';
import { nodeTemplate } from '../node-template.ts';

export const NOW = Date.UTC(2026, 0, 1, 12);
export const ZONE_LABEL = 'topology.kubernetes.io/zone';

export function minutesAgo(minutes: number): string {
  return formatTime(NOW - minutes * 60_000);
}

/** An autoscaled pool of machines with 2 CPUs, of which 1840m are available to pods, and its nodes. */
export interface PoolSketch {
  readonly spec?: Partial<Parameters<typeof aNodePool>[0]>;
  readonly status?: NodePool['status'];
  readonly vcpus?: number;
  /** By name. */
  readonly machines?: Readonly<Record<string, MachineSketch>>;
  readonly isAutoscaled?: boolean;
}

export interface MachineSketch {
  /** The machine's node; undefined until it has joined. */
  readonly node?: Partial<TenantNode['spec']> & {
    readonly isReady?: boolean;
    readonly annotations?: Record<string, string>;
  };
  readonly zone?: string;
  readonly status?: MachineStatus;
  readonly created?: string;
  readonly isLeaving?: boolean;
}

/** A working node. */
export const working: MachineSketch = { node: {} };

export interface ClusterSketch {
  readonly pools: Readonly<Record<string, PoolSketch>>;
  readonly pods?: readonly Pod[];
  readonly daemonSets?: readonly DaemonSet[];
  readonly rest?: Partial<DecisionFacts>;
}

export function factsOf({ pools, pods = [], daemonSets = [], rest = {} }: ClusterSketch): DecisionFacts {
  const facts = Object.entries(pools).map(([name, sketch]) => poolFacts(name, sketch, daemonSets));
  return {
    pools: facts,
    nodes: facts.flatMap(({ machines }) => machines.flatMap(({ node }) => node ?? [])),
    pods,
    budgets: [],
    context: { labelsOf: () => ({}), reader: { get: () => undefined, list: () => [] } },
    limit: {
      nodes: 100,
      problem: { reason: 'PlanLimitExceeded', message: 'plan "free" allows 100 nodes per cluster' },
    },
    nowMs: NOW,
    ...rest,
  };
}

function poolFacts(name: string, sketch: PoolSketch, daemonSets: readonly DaemonSet[]): PoolFacts {
  const { spec = {}, status, vcpus = 2, machines = {}, isAutoscaled = true } = sketch;
  const autoscaling = { enabled: isAutoscaled, ...spec.autoscaling };
  const basePool = aNodePool(
    { replicas: Object.keys(machines).length, maxReplicas: 50, ...spec, autoscaling },
    { name },
  );
  const pool = status ? { ...basePool, status } : basePool;
  return {
    pool,
    name,
    replicas: targetReplicas(pool),
    newNode: nodeTemplate({
      pool,
      flavor: { name: 'b3', vcpus, memoryMiB: vcpus * 4096, diskGiB: 50 },
      maxPods: 110,
      region: 'RegionOne',
      defaultZone: undefined,
      sampleNode: undefined,
      daemonSets,
    }),
    machines: Object.entries(machines).map(([machineName, of]) => {
      const machine = machineOf(machineName, name, of);
      const node = of.node && nodeOf(machineName, of, vcpus, name);
      return { machine, node, state: machineState(machine, node, { nowMs: NOW, timeoutMs: 15 * 60_000 }) };
    }),
  };
}

function machineOf(
  name: string,
  nodePoolName: string,
  { node, zone, status, created, isLeaving }: MachineSketch,
): Machine {
  return {
    metadata: {
      name,
      namespace: 'team',
      creationTimestamp: created ?? minutesAgo(node ? 600 : 1),
      ...(isLeaving && { deletionTimestamp: minutesAgo(1) }),
    },
    spec: {
      clusterName: 'demo',
      nodePoolName,
      flavor: 'b3',
      image: 'image',
      version: '1.34.2',
      floatingIP: false,
      ...(zone !== undefined && { zone }),
    },
    status: { ...(node && { readyTime: minutesAgo(590) }), ...status },
  };
}

function nodeOf(name: string, { node, zone }: MachineSketch, vcpus: number, pool: string): TenantNode {
  const { isReady = true, annotations, ...spec } = node ?? {};
  return {
    metadata: {
      name,
      labels: {
        'kubernetes.io/hostname': name,
        'fairway.dev/node-pool': pool,
        ...(zone !== undefined && { [ZONE_LABEL]: zone }),
      },
      ...(annotations && { annotations }),
    },
    spec,
    status: {
      allocatable: { cpu: `${vcpus * 1000 - 160}m`, memory: '6Gi', pods: '110' },
      conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
    },
  };
}

const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web', controller: true };

/** A pending pod of a ReplicaSet for which the scheduler has found no node. */
export function pendingPod(name: string, cpu: string, spec: Partial<Pod['spec']> = {}, labels = {}): Pod {
  const pod = aPod(name, { ...specWithRequests(cpu), ...spec }, labels);
  const conditions = [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }];
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] }, status: { phase: 'Pending', conditions } };
}

/** A running pod. */
export function running(name: string, nodeName: string, cpu: string, metadata: Partial<Pod['metadata']> = {}): Pod {
  const pod = aPod(name, { ...specWithRequests(cpu), nodeName });
  return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner], ...metadata }, status: { phase: 'Running' } };
}
