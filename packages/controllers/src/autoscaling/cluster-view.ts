import { placeMachines } from '@fairway/api/domain/node-placement';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import type { Node, Pod, Taint } from '@fairway/kube/kinds/generated/types';
import { ClusterSnapshot, type SnapshotContext } from '@fairway/scheduling/cluster-snapshot';
import { isOfDaemonSet, staysWithNode } from '@fairway/scheduling/node-removal';
import { takesRoom } from '@fairway/scheduling/node-state';
import { placeGroup } from '@fairway/scheduling/placement';
import { byPriorityAndSize, groupPods, type PodGroup } from '@fairway/scheduling/pod-group';
import { isNodeReady, type TenantNode } from '@fairway/tenancy/connection/node';
import type { Standing } from './machine-standing.ts';
import type { NewNode } from './scale-up.ts';

/** cluster-autoscaler's --expendable-pods-priority-cutoff: pods below wait for room that is left over. */
const EXPENDABLE_BELOW = -10;
/** A decision looks at so many pending pods, the most important ones; the others have their turn when those run. */
const MAX_PENDING = 5_000;

/** A machine with what it is now. */
export interface MachineFacts {
  readonly machine: Machine;
  readonly node: TenantNode | undefined;
  readonly standing: Standing;
}

/** A pool of the cluster, autoscaled or not. */
export interface PoolFacts {
  readonly pool: NodePool;
  readonly name: string;
  /** Nodes that it is to have. */
  readonly replicas: number;
  readonly machines: readonly MachineFacts[];
  /** Undefined while it is unknown what its nodes will be. */
  readonly newNode: ((name: string, zone: string | undefined) => NewNode) | undefined;
}

export interface ClusterFacts {
  readonly pools: readonly PoolFacts[];
  readonly nodes: readonly TenantNode[];
  readonly pods: readonly Pod[];
  readonly context: SnapshotContext;
}

/** A tenant's cluster as it will be without a decision. */
export interface ClusterView {
  /** With nodes that are coming, without those that are going, and with pending pods that fit on them. */
  readonly snapshot: ClusterSnapshot;
  /** Pods that wait and fit on none of those. */
  readonly unschedulable: readonly PodGroup[];
  /** Names of the nodes that there are and that stay, those that have stopped working included. */
  readonly present: ReadonlySet<string>;
}

/**
 * What there is and what is coming, as cluster-autoscaler sees it: nodes that don't work keep their pods and take no others; those that leave are gone, and their
 * pods wait already; machines without a node count as one of their pool.
 */
export function viewCluster({ pools, nodes, pods, context }: ClusterFacts): ClusterView {
  const facts = new Map(pools.flatMap(({ machines }) => machines.map((each) => [nameOf(each.machine), each] as const)));
  const standingOf = (name: string) => facts.get(name)?.standing.kind;
  const staying = nodes.filter(({ metadata }) => {
    const standing = standingOf(metadata.name ?? '');
    return metadata.deletionTimestamp === undefined && (standing === undefined || standing === 'node');
  });
  const broken = new Set(staying.filter((node) => !isNodeReady(node)).map(({ metadata }) => metadata.name ?? ''));
  const counting = pods.filter((pod) => !isExpendable(pod));
  const snapshot = ClusterSnapshot.of(
    staying.map((node) => asNode(node, broken.has(node.metadata.name ?? ''))),
    counting,
    context,
  );
  const present = new Set(staying.map(({ metadata }) => metadata.name ?? ''));
  for (const pool of pools) addUpcoming(snapshot, pool);
  const isLeaving = (name: string) => standingOf(name) === 'leaving';
  const waiting: Pod[] = [];
  for (const pod of counting) {
    const { nodeName } = pod.spec;
    const nominated = pod.status?.nominatedNodeName;
    if (isUnschedulable(pod)) {
      if (nominated && snapshot.node(nominated)) snapshot.place(pod, nominated);
      else waiting.push(pod);
    } else if (nodeName && isMovable(pod)) {
      if (isLeaving(nodeName)) waiting.push(pod);
      // On a node that comes back.
      else if (!present.has(nodeName) && snapshot.node(nodeName)) snapshot.place(pod, nodeName);
    }
  }
  const groups = groupPods(mostImportant(waiting)).sort(byPriorityAndSize);
  const unschedulable = groups.flatMap((group) => {
    const { left } = placeGroup(snapshot, group);
    return left.length === 0 ? [] : [{ ...group, pods: left }];
  });
  return { snapshot, unschedulable, present };
}

function nameOf({ metadata }: Machine): string {
  return metadata.name ?? '';
}

/** A node for each machine on its way, and for those that the pool is still to make. */
function addUpcoming(snapshot: ClusterSnapshot, { name, pool, replicas, machines, newNode }: PoolFacts): void {
  if (newNode === undefined) return;
  const staying = machines.filter(({ standing }) => standing.kind !== 'leaving');
  for (const { machine, standing } of staying) {
    if (standing.kind !== 'upcoming') continue;
    const { node, pods } = newNode(nameOf(machine), machine.spec.zone);
    snapshot.addNode(node, pods);
  }
  const missing = Math.max(0, replicas - staying.length);
  const zones = placeMachines(
    pool.spec.availabilityZones ?? [],
    staying.map(({ machine }) => machine.spec.zone),
    missing,
  );
  for (const [index, zone] of zones.entries()) {
    const { node, pods } = newNode(`${name}-upcoming-${index}`, zone);
    snapshot.addNode(node, pods);
  }
}

const NOT_READY: Taint = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };

/** As a scheduler sees it; a broken one takes no more pods. */
export function asNode({ metadata, spec, status }: TenantNode, isBroken: boolean): Node {
  const taints = [...(spec?.taints ?? []), ...(isBroken ? [NOT_READY] : [])];
  return {
    metadata,
    spec: { taints, ...(spec?.unschedulable && { unschedulable: true }) },
    status: { ...(status?.allocatable && { allocatable: status.allocatable }) },
  };
}

function isExpendable({ spec }: Pod): boolean {
  return (spec.priority ?? 0) < EXPENDABLE_BELOW;
}

/** Whether the scheduler has found no node for it, and may find one later. DaemonSets' pods wait for their own node. */
function isUnschedulable(pod: Pod): boolean {
  const { metadata, spec, status } = pod;
  if (spec.nodeName || metadata.deletionTimestamp !== undefined || isOfDaemonSet(pod)) return false;
  return status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'Unschedulable') ?? false;
}

/** Whether its controller makes it anew elsewhere, when its node goes. */
function isMovable(pod: Pod): boolean {
  if (!takesRoom(pod) || staysWithNode(pod)) return false;
  return pod.metadata.ownerReferences?.some(({ controller }) => controller) ?? false;
}

function mostImportant(pods: readonly Pod[]): readonly Pod[] {
  if (pods.length <= MAX_PENDING) return pods;
  return pods.toSorted((a, b) => (b.spec.priority ?? 0) - (a.spec.priority ?? 0)).slice(0, MAX_PENDING);
}
