import { durationMs } from '@fairway/api/domain/duration';
import { EXTERNAL_AUTOSCALER } from '@fairway/api/domain/external-autoscaler';
import { provisionTimeoutMs } from '@fairway/api/domain/node-startup-timeout';
import { poolZones } from '@fairway/api/domain/pool-zones';
import { poolBounds, targetReplicas } from '@fairway/api/domain/target-replicas';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import type { Plan } from '@fairway/api/kinds/plan';
import type { AutoscalingStatus } from '@fairway/api/kinds/pool-autoscaling';
import { encodeMessage } from '@fairway/apiserver/protobuf/encode-protobuf';
import type { Clock } from '@fairway/base/clock';
import { newNodesOf } from '@fairway/controllers/autoscaling/pool-templates';
import { isMachineOf } from '@fairway/controllers/node-pool/machine-owner';
import { nodeLimit } from '@fairway/controllers/node-pool/pool-share';
import { writeStatus } from '@fairway/controllers/status-writer';
import type { Informer } from '@fairway/kube/client/informer';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { keyOf } from '@fairway/kube/client/object-key';
import { isApiError } from '@fairway/kube/object/api-error';
import { machinesByCluster, poolsByCluster } from '@fairway/tenancy/cache-indexes';
import type { ClusterClouds } from '@fairway/tenancy/cloud/cluster-clouds';
import { status } from '@grpc/grpc-js';
import { CallError, invalidArgument } from './call-error.ts';
import { instanceOf, machineOf } from './instances.ts';
import type { AutoscalingOptions, GrpcNode, Instance, NodeGroup } from './protocol/messages.ts';
import { planRemoval, scaleDownStatus, scaleUpStatus } from './target-size.ts';

export interface NodeGroupsDependencies {
  readonly client: KubeClient;
  readonly cache: {
    readonly clusters: Pick<Informer<Cluster>, 'find'>;
    readonly nodePools: Pick<Informer<NodePool>, 'find'>;
    readonly machines: Pick<Informer<Machine>, 'find'>;
    readonly plans: Pick<Informer<Plan>, 'get'>;
  };
  readonly clouds: ClusterClouds;
  readonly clock: Clock;
}

/** Maximum number of attempts for a write that conflicts with another write. */
const MAX_ATTEMPTS = 5;

/**
 * The pools of a cluster as node groups. A group's ID is its pool's name: names of another cluster's pools have no meaning here.
 */
export class NodeGroups {
  readonly #dependencies: NodeGroupsDependencies;
  /** The last change to each pool: changes to a pool run one after another. */
  readonly #changes = new Map<string, Promise<unknown>>();

  constructor(dependencies: NodeGroupsDependencies) {
    this.#dependencies = dependencies;
  }

  list(cluster: Cluster): NodeGroup[] {
    return this.#pools(cluster).map(groupOf);
  }

  /** The group of a node; undefined if the node does not belong to the cluster, or its pool is not autoscaled. */
  groupOfNode(cluster: Cluster, node: GrpcNode): NodeGroup | undefined {
    const machine = machineOf(this.#machines(cluster), node);
    const pool = machine && this.#pools(cluster).find((each) => isMachineOf(each, machine));
    return pool && groupOf(pool);
  }

  /** Reads from the API, not from a cache: an autoscaler that has just requested nodes must not request them again. */
  async targetSize(cluster: Cluster, id: string): Promise<number> {
    return targetReplicas(await this.#readStoredPool(this.#pool(cluster, id)));
  }

  instances(cluster: Cluster, id: string): Instance[] {
    const region = this.#regionOf(cluster);
    const pool = this.#pool(cluster, id);
    const { clock, cache } = this.#dependencies;
    const timeoutMs = provisionTimeoutMs(pool.spec, cache.plans.get(cluster.spec.plan)?.spec);
    const times = { nowMs: clock.now(), timeoutMs };
    return this.#machinesOf(cluster, pool).map((machine) => instanceOf(machine, region, times));
  }

  async increase(cluster: Cluster, id: string, delta: number): Promise<void> {
    const { cache, clock } = this.#dependencies;
    const plan = cache.plans.get(cluster.spec.plan);
    if (plan === undefined) throw new CallError(status.RESOURCE_EXHAUSTED, `there is no plan ${cluster.spec.plan}`);
    await this.#change(cluster, id, (pool) => {
      const limit = nodeLimit(cluster, plan);
      const others = cache.nodePools
        .find(poolsByCluster, keyOf(cluster))
        .filter(({ metadata }) => metadata.name !== id);
      const desiredNodes = [pool, ...others].reduce((sum, each) => sum + targetReplicas(each), 0);
      return scaleUpStatus(pool, delta, { ...limit, desiredNodes }, clock.now());
    });
  }

  async decrease(cluster: Cluster, id: string, delta: number): Promise<void> {
    const { clock } = this.#dependencies;
    await this.#change(cluster, id, (pool) =>
      scaleDownStatus(pool, delta, this.#machinesOf(cluster, pool), clock.now()),
    );
  }

  /**
   * The marks of nodes to delete are written before the size: after a crash between the two, no node is removed, and
   * the next call counts the marks.
   */
  async deleteNodes(cluster: Cluster, id: string, nodes: readonly GrpcNode[]): Promise<void> {
    const { client, clock } = this.#dependencies;
    const type = client.resource(machines);
    await this.#change(cluster, id, async (pool) => {
      const poolMachines = await Promise.all(
        this.#machinesOf(cluster, pool).map((machine) =>
          type.get(machine.metadata.name ?? '', namespaceOf(machine)).catch(() => machine),
        ),
      );
      const machinesToRemove = nodes.map((node) => {
        const machine = machineOf(poolMachines, node);
        if (machine) return machine;
        throw invalidArgument(`node ${node.name} (${node.providerID}) does not belong to node pool ${id}`);
      });
      const removal = planRemoval(pool, machinesToRemove, poolMachines, clock.now());
      const message = "removed by the cluster's own autoscaler";
      const mark = { due: true, reason: EXTERNAL_AUTOSCALER, message, time: removal.time };
      for (const machine of removal.marked) {
        const marks = { ...machine.status?.marks, unneeded: mark };
        await writeStatus(type, machine, { ...machine.status, marks });
      }
      return removal.status;
    });
  }

  /** An empty node of the pool, encoded in Protobuf. The zone is included only if the pool has exactly one. */
  async template(cluster: Cluster, id: string, signal: AbortSignal): Promise<Uint8Array> {
    const pool = this.#pool(cluster, id);
    const { cache } = this.#dependencies;
    const plan = cache.plans.get(cluster.spec.plan);
    const sources = { cluster, pools: [pool], plan, nodes: [], daemonSets: [], signal };
    const newNode = (await newNodesOf(this.#dependencies, sources)).get(pool);
    if (newNode === undefined)
      throw new CallError(status.UNAVAILABLE, `flavor ${pool.spec.flavor} of the cloud is currently unknown`);
    const zones = poolZones(pool);
    const { node } = newNode(`${id}-template`, zones.length === 1 ? zones[0] : undefined);
    const { allocatable = {} } = node.status ?? {};
    const conditions = [{ type: 'Ready', status: 'True' }];
    return encodeMessage('v1', 'Node', { ...node, status: { allocatable, capacity: allocatable, conditions } });
  }

  options(cluster: Cluster, id: string, defaults: AutoscalingOptions): AutoscalingOptions {
    const { spec } = this.#pool(cluster, id);
    const { autoscaling } = spec;
    const plan = this.#dependencies.cache.plans.get(cluster.spec.plan)?.spec;
    const hasStartupTimeout = (spec.nodeStartupTimeout ?? plan?.healing.nodeStartupTimeout) !== undefined;
    const unneededMs = durationMs(autoscaling.scaleDownUnneededTime);
    const unreadyMs = durationMs(autoscaling.scaleDownUnreadyTime);
    const requestedDuration =
      defaults.maxNodeProvisionDuration ?? toDuration((defaults.maxNodeProvisionTime?.duration ?? 900e9) / 1e6);
    const provision = hasStartupTimeout ? toDuration(provisionTimeoutMs(spec, plan)) : requestedDuration;
    return {
      ...defaults,
      scaleDownUtilizationThreshold: Number(autoscaling.scaleDownUtilizationThreshold),
      scaleDownUnneededTime: { duration: unneededMs * 1e6 },
      scaleDownUnreadyTime: { duration: unreadyMs * 1e6 },
      maxNodeProvisionTime: { duration: provision.seconds * 1e9 + provision.nanos },
      scaleDownUnneededDuration: toDuration(unneededMs),
      scaleDownUnreadyDuration: toDuration(unreadyMs),
      maxNodeProvisionDuration: provision,
    };
  }

  #pools(cluster: Cluster): NodePool[] {
    const pools = this.#dependencies.cache.nodePools.find(poolsByCluster, keyOf(cluster));
    return pools.filter(({ metadata, spec }) => spec.autoscaling.enabled && metadata.deletionTimestamp === undefined);
  }

  #pool(cluster: Cluster, id: string): NodePool {
    const pool = this.#pools(cluster).find(({ metadata }) => metadata.name === id);
    if (pool) return pool;
    throw new CallError(
      status.NOT_FOUND,
      `cluster ${cluster.metadata.name} has no autoscaled node pool "${id.slice(0, 63)}"`,
    );
  }

  #machines(cluster: Cluster): readonly Machine[] {
    return this.#dependencies.cache.machines.find(machinesByCluster, keyOf(cluster));
  }

  #machinesOf(cluster: Cluster, pool: NodePool): Machine[] {
    return this.#machines(cluster).filter((machine) => isMachineOf(pool, machine));
  }

  #regionOf(cluster: Cluster): string {
    return this.#dependencies.clouds.of(keyOf(cluster), cluster.spec.credentialName)?.region ?? '';
  }

  #readStoredPool(pool: NodePool): Promise<NodePool> {
    return this.#dependencies.client.resource(nodePools).get(pool.metadata.name ?? '', namespaceOf(pool));
  }

  /** Decides based on the stored object, and writes only if the object has not changed in the meantime. */
  async #change(
    cluster: Cluster,
    id: string,
    decide: (pool: NodePool) => AutoscalingStatus | undefined | Promise<AutoscalingStatus | undefined>,
  ): Promise<void> {
    const cachedPool = this.#pool(cluster, id);
    const key = keyOf(cachedPool);
    const before = this.#changes.get(key) ?? Promise.resolve();
    const change = before.catch(() => undefined).then(() => this.#write(cachedPool, decide));
    this.#changes.set(key, change);
    try {
      await change;
    } finally {
      if (this.#changes.get(key) === change) this.#changes.delete(key);
    }
  }

  async #write(
    cachedPool: NodePool,
    decide: (pool: NodePool) => AutoscalingStatus | undefined | Promise<AutoscalingStatus | undefined>,
  ): Promise<void> {
    const type = this.#dependencies.client.resource(nodePools);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const pool = await this.#readStoredPool(cachedPool);
      const autoscaling = await decide(pool);
      if (autoscaling === undefined) return;
      try {
        await writeStatus(type, pool, { ...pool.status, autoscaling }, { ifUnchanged: true });
        return;
      } catch (error) {
        if (!isApiError(error, 'Conflict')) throw error;
      }
    }
    throw new CallError(status.ABORTED, `node pool ${cachedPool.metadata.name} keeps changing: retry the call`);
  }
}

function groupOf(pool: NodePool): NodeGroup {
  const { min, max } = poolBounds(pool);
  const { name = '' } = pool.metadata;
  return { id: name, minSize: min, maxSize: max, debug: `${name} (${pool.spec.flavor}, ${min} to ${max} nodes)` };
}

function namespaceOf({ metadata }: NodePool | Machine): { namespace: string } {
  return { namespace: metadata.namespace ?? '' };
}

function toDuration(ms: number): { readonly seconds: number; readonly nanos: number } {
  return { seconds: Math.floor(ms / 1000), nanos: Math.round((ms % 1000) * 1e6) };
}
