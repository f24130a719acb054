import type { MachineTemplate } from '@fairway/api/domain/template-change';
import { CLUSTER_LABEL, CLUSTER_UID_LABEL, FINALIZER, NODE_POOL_LABEL, NODE_POOL_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { machineName } from '@fairway/api/names';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { controllerRef } from '@fairway/kube/controller/owners';
import { apiVersionOf } from '@fairway/kube/object/meta';
import type { MachineUpdate } from './pool-plan.ts';

/** What one machine is made from, where, and in whose pool. */
export interface MachineOrder {
  readonly pool: NodePool;
  readonly cluster: Cluster;
  readonly template: MachineTemplate;
  readonly serverGroupID: string | undefined;
  /** Undefined: the cloud's default. */
  readonly zone: string | undefined;
}

/**
 * Writes Machines, and decides nothing: the pool's reconciler alone tells it what to make and remove. Each call is one request, rejects with the API's
 * error, and may be repeated after a crash.
 */
export class MachineWriter {
  readonly #client: KubeClient;
  readonly #random: () => number;

  constructor({ client, random }: { readonly client: KubeClient; readonly random: () => number }) {
    this.#client = client;
    this.#random = random;
  }

  /** A new name each time: what was made before a crash is found by its owner, not by its name. */
  create({ pool, cluster, template, serverGroupID, zone }: MachineOrder, signal: AbortSignal): Promise<Machine> {
    const clusterName = cluster.metadata.name ?? '';
    const poolName = pool.metadata.name ?? '';
    const machine: Machine = {
      apiVersion: apiVersionOf(machines),
      kind: machines.kind,
      metadata: {
        name: machineName(clusterName, poolName, this.#random),
        ...(pool.metadata.namespace !== undefined && { namespace: pool.metadata.namespace }),
        labels: {
          [CLUSTER_LABEL]: clusterName,
          [CLUSTER_UID_LABEL]: identityOf(cluster),
          [NODE_POOL_LABEL]: poolName,
          [NODE_POOL_UID_LABEL]: identityOf(pool),
        },
        ownerReferences: [controllerRef(pool, nodePools)],
        finalizers: [FINALIZER],
      },
      spec: {
        clusterName,
        nodePoolName: poolName,
        ...template,
        ...(zone !== undefined && { zone }),
        ...(serverGroupID !== undefined && { serverGroupID }),
      },
    };
    return this.#client.resource(machines).create(machine, { signal });
  }

  /** Begins the deletion of this one, not of another of its name; its finalizer holds it until server and node are gone. */
  async delete({ metadata }: Machine): Promise<void> {
    const { name = '', namespace, uid, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) return;
    const options = { ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) };
    await ignoreGone(this.#client.resource(machines).delete(name, options));
  }

  /** Writes these fields of the spec. */
  async update({ metadata }: Machine, spec: MachineUpdate): Promise<void> {
    const { name = '', namespace, uid } = metadata;
    const value = { metadata: { uid }, spec };
    const where = namespace === undefined ? {} : { namespace };
    await ignoreGone(this.#client.resource(machines).patch(name, { type: 'merge', value }, where));
  }
}

/** A machine whose deletion has been asked for, before a cache tells of it. */
export function asLeaving(machine: Machine, nowMs: number): Machine {
  const deletionTimestamp = machine.metadata.deletionTimestamp ?? new Date(nowMs).toISOString();
  return { ...machine, metadata: { ...machine.metadata, deletionTimestamp } };
}
