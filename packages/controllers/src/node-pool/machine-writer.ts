import type { MachineTemplate } from '@fairway/api/domain/template-change';
import { CLUSTER_LABEL, CLUSTER_UID_LABEL, FINALIZER, NODE_POOL_LABEL, NODE_POOL_UID_LABEL } from '@fairway/api/group';
import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import { type Machine, machines } from '@fairway/api/kinds/machine';
import { type NodePool, nodePools } from '@fairway/api/kinds/node-pool';
import { machineName } from '@fairway/api/names';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { KubeClient } from '@fairway/kube/client/kube-client';
import { controllerRef } from '@fairway/kube/controller/owners';
import { apiVersionOf } from '@fairway/kube/object/meta';
import { mergeDifference } from '../status-writer.ts';
import type { MachineUpdate } from './pool-plan.ts';

/** What one machine is created from, in which zone and pool. */
export interface MachineOrder {
  readonly pool: NodePool;
  readonly cluster: Cluster;
  readonly template: MachineTemplate;
  readonly serverGroupID: string | undefined;
  /** The server group; undefined for the cloud's default. */
  readonly zone: string | undefined;
}

/**
 * Writes Machines, but makes no decisions: only the pool's reconciler decides what to create and delete. Each call is
 * one request, rejects with the API's error, and may be repeated after a crash.
 */
export class MachineWriter {
  readonly #client: KubeClient;
  readonly #random: () => number;

  constructor({ client, random }: { readonly client: KubeClient; readonly random: () => number }) {
    this.#client = client;
    this.#random = random;
  }

  /** A new name each time: machines created before a crash are found by their owner, not by name. */
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

  /**
   * Starts the deletion of exactly this machine, not of a different one with the same name; its finalizer keeps it
   * until its server and node are deleted.
   */
  async delete({ metadata }: Machine): Promise<void> {
    const { name = '', namespace, uid, deletionTimestamp } = metadata;
    if (deletionTimestamp !== undefined) return;
    const options = { ...(namespace !== undefined && { namespace }), ...(uid !== undefined && { uid }) };
    await ignoreDeleted(this.#client.resource(machines).delete(name, options));
  }

  /** Writes these fields of the spec. */
  async update({ metadata, spec: old }: Machine, { nodeSettings, ...spec }: MachineUpdate): Promise<void> {
    const { name = '', namespace, uid } = metadata;
    const from = { nodeSettings: old.nodeSettings };
    // Fields of a disk update replace all earlier ones.
    const settings = spec.image === undefined ? undefined : mergeDifference(from, { nodeSettings });
    const value = { metadata: { uid }, spec: { ...spec, ...settings } };
    const where = namespace === undefined ? {} : { namespace };
    await ignoreDeleted(this.#client.resource(machines).patch(name, { type: 'merge', value }, where));
  }
}

/** A machine whose deletion was requested, before a cache reflects that. */
export function asTerminating(machine: Machine, nowMs: number): Machine {
  const deletionTimestamp = machine.metadata.deletionTimestamp ?? new Date(nowMs).toISOString();
  return { ...machine, metadata: { ...machine.metadata, deletionTimestamp } };
}
