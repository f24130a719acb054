import { placeMachines } from '@fairway/api/domain/node-placement';
import { keyOf } from '@fairway/kube/client/object-key';
import type { Node, Pod } from '@fairway/kube/kinds/generated/types';
import type { ClusterSnapshot } from '@fairway/scheduling/cluster-snapshot';
import { NodeState } from '@fairway/scheduling/node-state';
import type { PodFilter } from '@fairway/scheduling/pod-filter';
import { byPriorityAndSize, type PodGroup } from '@fairway/scheduling/pod-group';
import type { Problem } from '@fairway/tenancy/problem';
import { preferredOption, type ScaleUpOption } from './preferred-option.ts';

/** A node that a pool would create, with the pods that run on every such node. */
export interface NewNode {
  readonly node: Node;
  readonly pods: readonly Pod[];
}

/** The properties of a pool that determine its growth. */
export interface GrowablePool {
  readonly name: string;
  /** The current desired number of nodes. */
  readonly replicas: number;
  readonly maxReplicas: number;
  /** See `PoolBounds.by`. */
  readonly maxReplicasBy?: string;
  /** See `spec.autoscaling.priority`. */
  readonly priority: number;
  readonly zones: readonly string[];
  /** Zones of the pool's existing and desired machines. */
  readonly takenZones: readonly (string | undefined)[];
  /** Returns a node of the pool with the given name, in the given zone. */
  readonly newNode: (name: string, zone: string | undefined) => NewNode;
  /** Why the pool cannot grow now, regardless of the pods. */
  readonly hindrance: Problem | undefined;
}

/** How many nodes all pools together may still add, with a message that explains the limit. */
export interface NodeAllowance {
  readonly nodes: number;
  readonly problem: Problem;
}

export interface ScaleUpInput {
  /** Includes upcoming nodes, and all pods that fit on existing nodes. */
  readonly snapshot: ClusterSnapshot;
  /** Pods that fit nowhere. */
  readonly groups: readonly PodGroup[];
  readonly pools: readonly GrowablePool[];
  readonly room: NodeAllowance;
}

export interface PoolScaleUp {
  readonly pool: string;
  readonly from: number;
  readonly to: number;
  /** The pods that fit because of this growth. */
  readonly pods: readonly Pod[];
}

/** Identical pods that no scale-up would help, with each pool's reason. */
export interface UnschedulableGroup {
  readonly pods: readonly Pod[];
  readonly reasons: readonly { readonly pool: string; readonly problem: Problem }[];
}

export interface ScaleUp {
  readonly poolScaleUps: readonly PoolScaleUp[];
  readonly unschedulable: readonly UnschedulableGroup[];
}

/**
 * Which pools to grow, and by how much, to make room for as many pending pods as possible. Works like
 * cluster-autoscaler: each pool is tried with nodes like its template, packed first fit with the largest pods first;
 * the preferred pool grows, and the remaining pods are tried again. Pure.
 */
export function decideScaleUp({ snapshot, groups, pools, room }: ScaleUpInput): ScaleUp {
  const scaleUpByPool = new Map<
    string,
    { added: number; readonly zones: (string | undefined)[]; readonly pods: Pod[] }
  >();
  let roomLeft = room.nodes;
  let current = snapshot;
  let left = groups.toSorted(byPriorityAndSize);
  const growablePool = pools.filter(({ hindrance }) => hindrance === undefined);
  for (;;) {
    const filters = new PodFilters(current);
    const options = growablePool.flatMap((pool) => {
      const { added = 0, zones = [] } = scaleUpByPool.get(pool.name) ?? {};
      const maxNodes = Math.min(pool.maxReplicas - pool.replicas - added, roomLeft);
      const option = estimate(filters, left, { ...pool, takenZones: [...pool.takenZones, ...zones] }, added, maxNodes);
      return option === undefined ? [] : [option];
    });
    const best = preferredOption(options);
    if (best === undefined) break;
    const so = scaleUpByPool.get(best.pool.name) ?? { added: 0, zones: [], pods: [] };
    so.added += best.zones.length;
    so.zones.push(...best.zones);
    so.pods.push(...best.pods);
    scaleUpByPool.set(best.pool.name, so);
    roomLeft -= best.zones.length;
    current = best.after;
    left = withoutPods(left, best.pods);
  }
  const last = new PodFilters(current);
  return {
    poolScaleUps: pools.flatMap(({ name, replicas }) => {
      const so = scaleUpByPool.get(name);
      return so ? [{ pool: name, from: replicas, to: replicas + so.added, pods: so.pods }] : [];
    }),
    unschedulable: left.map((group) => ({
      pods: group.pods,
      reasons: pools.map((pool) => {
        const added = scaleUpByPool.get(pool.name)?.added ?? 0;
        return { pool: pool.name, problem: unschedulableProblem(last.of(group), pool, { added, roomLeft, room }) };
      }),
    })),
  };
}

/** What a pool could do for the pods with at most this many more nodes; undefined if nothing. */
function estimate(
  filters: PodFilters,
  groups: readonly PodGroup[],
  pool: GrowablePool,
  added: number,
  maxNodes: number,
): ScaleUpOption | undefined {
  if (maxNodes <= 0) return undefined;
  const packing = new Packing(filters, pool, added, maxNodes);
  const pods = groups.flatMap((group) => packing.add(group));
  if (pods.length === 0) return undefined;
  return { pool, pods, zones: packing.zones, after: packing.snapshot, states: packing.states };
}

/** The scheduler's filters for one state of the cluster, from which all pools start. */
class PodFilters {
  readonly snapshot: ClusterSnapshot;
  readonly #known = new Map<Pod, PodFilter>();

  constructor(snapshot: ClusterSnapshot) {
    this.snapshot = snapshot;
  }

  /** A mutable copy. */
  of({ sample }: PodGroup): PodFilter {
    const known = this.#known.get(sample) ?? this.snapshot.filterFor(sample);
    this.#known.set(sample, known);
    return known.clone();
  }
}

/** Packs pods onto new nodes of a pool, first fit, in the order in which they are added. */
class Packing {
  readonly snapshot: ClusterSnapshot;
  readonly zones: (string | undefined)[] = [];
  readonly #pool: GrowablePool;
  readonly #added: number;
  readonly #maxNodes: number;
  readonly #names: string[] = [];

  readonly #filters: PodFilters;

  constructor(filters: PodFilters, pool: GrowablePool, added: number, maxNodes: number) {
    this.#filters = filters;
    this.snapshot = filters.snapshot.fork();
    this.#pool = pool;
    this.#added = added;
    this.#maxNodes = maxNodes;
  }

  get states(): NodeState[] {
    return this.#names.flatMap((name) => this.snapshot.node(name) ?? []);
  }

  /** Returns the pods that fit. */
  add(group: PodGroup): Pod[] {
    const { pods } = group;
    const filter = this.#filters.of(group);
    for (const state of this.states) filter.addNode(state);
    const placed: Pod[] = [];
    let cursor = 0;
    for (const pod of pods) {
      if (filter.dependsOnOtherNodes) cursor = 0;
      while (cursor < this.#names.length && !this.#admits(filter, cursor)) cursor++;
      if (cursor === this.#names.length && !this.#grow(filter)) break;
      // The last node added has room, even if nodes were added in other zones first.
      while (!this.#admits(filter, cursor)) cursor++;
      filter.note(pod, this.snapshot.place(pod, this.#names[cursor] as string));
      placed.push(pod);
    }
    return placed;
  }

  #admits(filter: PodFilter, index: number): boolean {
    const state = this.snapshot.node(this.#names[index] as string);
    return state !== undefined && filter.admits(state);
  }

  /**
   * Adds a node, and returns whether it admits the pod. The pool distributes its machines evenly over its zones, so
   * nodes may have to be added in each of the other zones first.
   */
  #grow(filter: PodFilter): boolean {
    const { zones, takenZones, name } = this.#pool;
    const before = this.#names.length;
    const maxAttempts = Math.max(1, zones.length);
    for (let attempt = 0; attempt < maxAttempts && this.#names.length < this.#maxNodes; attempt++) {
      const [zone] = placeMachines(zones, [...takenZones, ...this.zones], 1);
      const nodeName = `${name}-new-${this.#added + this.#names.length}`;
      const { node, pods } = this.#pool.newNode(nodeName, zone);
      const state = this.snapshot.addNode(node, pods);
      filter.addNode(state);
      this.#names.push(nodeName);
      this.zones.push(zone);
      if (filter.admits(state)) return true;
    }
    for (const name of this.#names.splice(before)) this.snapshot.removeNode(name);
    this.zones.splice(before);
    return false;
  }
}

interface ScaleUpLimits {
  readonly added: number;
  readonly roomLeft: number;
  readonly room: NodeAllowance;
}

function unschedulableProblem(
  filter: PodFilter,
  pool: GrowablePool,
  { added, roomLeft, room }: ScaleUpLimits,
): Problem {
  if (pool.hindrance) return pool.hindrance;
  const failures = nodesInEachZone(pool).map(({ node, pods }) => {
    const state = new NodeState(node);
    for (const pod of pods) state.addPod(keyOf(pod), pod);
    filter.addNode(state);
    return filter.failures(state);
  });
  const fits = failures.some((of) => of.length === 0);
  if (fits && pool.replicas + added >= pool.maxReplicas) {
    return {
      reason: 'MaxReplicasReached',
      message: `maxReplicas ${pool.maxReplicas}${pool.maxReplicasBy ?? ''} reached`,
    };
  }
  if (fits && roomLeft <= 0) return room.problem;
  if (fits)
    return {
      reason: 'MaxReplicasReached',
      message: 'a node in the right zone can be added only together with others, and there is no room for them',
    };
  return { reason: 'PodsUnschedulable', message: [...new Set(failures.flat())].join(', ') };
}

function nodesInEachZone({ name, zones, newNode }: GrowablePool): NewNode[] {
  const each = zones.length === 0 ? [undefined] : zones;
  return each.map((zone, index) => newNode(`${name}-trial-${index}`, zone));
}

function withoutPods(groups: readonly PodGroup[], placed: readonly Pod[]): PodGroup[] {
  const placedPods = new Set(placed);
  return groups.flatMap((group) => {
    const pods = group.pods.filter((pod) => !placedPods.has(pod));
    return pods.length === 0 ? [] : [{ ...group, pods }];
  });
}
