import { placeMachines } from '@fairway/api/domain/node-placement';
import { poolZones } from '@fairway/api/domain/pool-zones';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Node, Pod, Taint } from '@fairway/kube/kinds/generated/types';
import { ClusterSnapshot, type SnapshotContext } from '@fairway/scheduling/cluster-snapshot';
import { isOfDaemonSet, staysWithNode } from '@fairway/scheduling/node-removal';
import { usesResources } from '@fairway/scheduling/node-state';
import { placeGroup } from '@fairway/scheduling/placement';
import { byPriorityAndSize, groupPods, type PodGroup } from '@fairway/scheduling/pod-group';
import { isNodeReady, type TenantNode } from '@fairway/tenancy/connection/node';
import type { MachineState } from './machine-state.ts';
import type { NewNode } from './scale-up.ts';

/** cluster-autoscaler's --expendable-pods-priority-cutoff: pods with a lower priority only use spare capacity. */
const EXPENDABLE_PRIORITY_CUTOFF = -10;
/**
 * The maximum number of pending pods that a decision considers, by priority; the rest are considered once those are
 * running.
 */
const MAX_PENDING_PODS = 5_000;

/** A machine with its state. */
export interface MachineFacts {
  readonly machine: Machine;
  readonly node: TenantNode | undefined;
  readonly state: MachineState;
}

/** A pool in the cluster, autoscaled or not. */
export interface PoolFacts {
  readonly pool: NodePool;
  readonly name: string;
  /** Desired number of nodes. */
  readonly replicas: number;
  readonly machines: readonly MachineFacts[];
  /** Undefined while it is unknown what the pool's nodes will look like. */
  readonly newNode: ((name: string, zone: string | undefined) => NewNode) | undefined;
}

export interface ClusterFacts {
  readonly pools: readonly PoolFacts[];
  readonly nodes: readonly TenantNode[];
  readonly pods: readonly Pod[];
  readonly context: SnapshotContext;
}

/** A tenant's cluster as it will be if nothing is decided. */
export interface ClusterView {
  /** Includes upcoming nodes, excludes those being deleted, and places pending pods that fit. */
  readonly snapshot: ClusterSnapshot;
  /** Pending pods that do not fit on any of these nodes. */
  readonly unschedulable: readonly PodGroup[];
  /** Names of existing nodes that are not being deleted, including those that have stopped working. */
  readonly presentNodeNames: ReadonlySet<string>;
}

/**
 * Current and upcoming nodes, as cluster-autoscaler sees them: broken nodes keep their pods and accept no others; nodes
 * being deleted count as deleted, and their pods as pending; machines without a node count as a node of their pool.
 */
export function viewCluster({ pools, nodes, pods, context }: ClusterFacts): ClusterView {
  const facts = new Map(pools.flatMap(({ machines }) => machines.map((each) => [nameOf(each.machine), each] as const)));
  const machineStateOf = (name: string) => facts.get(name)?.state.kind;
  const staying = nodes.filter(({ metadata }) => {
    const state = machineStateOf(metadata.name ?? '');
    return metadata.deletionTimestamp === undefined && (state === undefined || state === 'node');
  });
  const broken = new Set(staying.filter((node) => !isNodeReady(node)).map(({ metadata }) => metadata.name ?? ''));
  const relevantPods = pods.filter((pod) => !isExpendable(pod));
  const snapshot = ClusterSnapshot.of(
    staying.map((node) => asNode(node, broken.has(node.metadata.name ?? ''))),
    relevantPods,
    context,
  );
  const presentNodeNames = new Set(staying.map(({ metadata }) => metadata.name ?? ''));
  for (const pool of pools) addUpcoming(snapshot, pool);
  const isLeaving = (name: string) => machineStateOf(name) === 'leaving';
  const waiting: Pod[] = [];
  for (const pod of relevantPods) {
    const { nodeName } = pod.spec;
    const nominated = pod.status?.nominatedNodeName;
    if (isUnschedulable(pod)) {
      if (nominated && snapshot.node(nominated)) snapshot.place(pod, nominated);
      else waiting.push(pod);
    } else if (nodeName && isMovable(pod)) {
      if (isLeaving(nodeName)) waiting.push(pod);
      // The pod's node will come back.
      else if (!presentNodeNames.has(nodeName) && snapshot.node(nodeName)) snapshot.place(pod, nodeName);
    }
  }
  const groups = groupPods(highestPriorityPods(waiting)).sort(byPriorityAndSize);
  const unschedulable = groups.flatMap((group) => {
    const { unplaced } = placeGroup(snapshot, group);
    return unplaced.length === 0 ? [] : [{ ...group, pods: unplaced }];
  });
  return { snapshot, unschedulable, presentNodeNames };
}

function nameOf({ metadata }: Machine): string {
  return metadata.name ?? '';
}

/** Adds a node for each machine in progress, and for those that the pool has yet to create. */
function addUpcoming(snapshot: ClusterSnapshot, { name, pool, replicas, machines, newNode }: PoolFacts): void {
  if (newNode === undefined) return;
  const staying = machines.filter(({ state }) => state.kind !== 'leaving');
  for (const { machine, state } of staying) {
    if (state.kind !== 'upcoming') continue;
    const { node, pods } = newNode(nameOf(machine), machine.spec.zone);
    snapshot.addNode(node, pods);
  }
  const missing = Math.max(0, replicas - staying.length);
  const zones = placeMachines(
    poolZones(pool),
    staying.map(({ machine }) => machine.spec.zone),
    missing,
  );
  for (const [index, zone] of zones.entries()) {
    const { node, pods } = newNode(`${name}-upcoming-${index}`, zone);
    snapshot.addNode(node, pods);
  }
}

const NOT_READY_TAINT: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** The node as the scheduler sees it; an unhealthy node accepts no more pods. */
export function asNode({ metadata, spec, status }: TenantNode, isBroken: boolean): Node {
  const taints = [...(spec?.taints ?? []), ...(isBroken ? [NOT_READY_TAINT] : [])];
  return {
    metadata,
    spec: { taints, ...(spec?.unschedulable && { unschedulable: true }) },
    status: { ...(status?.allocatable && { allocatable: status.allocatable }) },
  };
}

function isExpendable({ spec }: Pod): boolean {
  return (spec.priority ?? 0) < EXPENDABLE_PRIORITY_CUTOFF;
}

/**
 * Whether the scheduler has found no node for the pod and may find one later. DaemonSet pods wait for their own node.
 */
function isUnschedulable(pod: Pod): boolean {
  const { metadata, spec, status } = pod;
  if (spec.nodeName || metadata.deletionTimestamp !== undefined || isOfDaemonSet(pod)) return false;
  return status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable') ?? false;
}

/** Whether a controller recreates the pod elsewhere when its node is deleted. */
function isMovable(pod: Pod): boolean {
  if (!usesResources(pod) || staysWithNode(pod)) return false;
  return pod.metadata.ownerReferences?.some(({ controller }) => controller) ?? false;
}

function highestPriorityPods(pods: readonly Pod[]): readonly Pod[] {
  if (pods.length <= MAX_PENDING_PODS) return pods;
  return pods.toSorted((a, b) => (b.spec.priority ?? 0) - (a.spec.priority ?? 0)).slice(0, MAX_PENDING_PODS);
}
