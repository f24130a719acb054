import { identityOf } from '@fairway/api/identity';
import type { Cluster } from '@fairway/api/kinds/cluster';
import type { Machine } from '@fairway/api/kinds/machine';
import type { NodePool } from '@fairway/api/kinds/node-pool';
import { isPaused } from '@fairway/api/pause';
import type { Informer } from '@fairway/kube/client/informer';
import { TransportError } from '@fairway/kube/client/transport';
import type { Result } from '@fairway/kube/controller/result';
import { ignoreGone } from '../ignore-gone.ts';
import { tenantNodes } from '../tenant/node.ts';
import type { TenantClusters } from '../tenant/tenant-clusters.ts';
import { templatePatch } from './template-patch.ts';

export interface NodeTemplateDependencies {
  readonly cache: {
    readonly clusters: Informer<Cluster>;
    readonly nodePools: Informer<NodePool>;
    readonly machines: Informer<Machine>;
  };
  readonly tenants: TenantClusters;
}

const RETRY_MS = 5_000;

/** Keeps the labels, annotations, taints and cordon of each pool's template on its nodes, those that existed before a change included. */
export class NodeTemplateReconciler {
  readonly #dependencies: NodeTemplateDependencies;

  constructor(dependencies: NodeTemplateDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` is a Machine's, whose node is called like it. */
  async reconcile(key: string): Promise<Result> {
    const { cache, tenants } = this.#dependencies;
    const machine = cache.machines.get(key);
    if (machine === undefined || machine.metadata.deletionTimestamp !== undefined) return {};
    const { namespace = '', name = '' } = machine.metadata;
    const cluster = cache.clusters.get(`${namespace}/${machine.spec.clusterName}`);
    if (isPaused(machine, cluster)) return {};
    const pool = cache.nodePools.get(`${namespace}/${machine.spec.nodePoolName}`);
    const tenant = cluster && tenants.get(identityOf(cluster));
    const node = tenant?.nodes.get(name);
    if (pool === undefined || tenant === undefined || node === undefined) return {};
    const patch = templatePatch(node, pool.metadata.name ?? '', pool.spec.template);
    if (patch === undefined) return {};
    try {
      await ignoreGone(tenant.client.resource(tenantNodes).patch(name, { type: 'merge', value: patch }));
      return {};
    } catch (error) {
      // The tenant's API server is away: its return is seen by the machine's node, or here.
      if (error instanceof TransportError) return { requeueAfterMs: RETRY_MS };
      throw error;
    }
  }
}
