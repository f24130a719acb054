import { isDeepStrictEqual } from 'node:util';
import { identityOf } from '@fairway/api/identity';
import { type AppliedTemplate, type Machine, machines } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { ignoreGone } from '@fairway/kube/client/ignore-gone';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { TransportError } from '@fairway/kube/client/transport';
import type { Result } from '@fairway/kube/controller/result';
import { type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import { eitherOf, recordOf, templatePatch, type WantedTemplate, wantedTemplate } from './template-patch.ts';

/** `client` is Fairway's own API, where each Machine says what was put on its node. */
type NodeTemplateDependencies = Pick<ControllerDependencies, 'client' | 'cache' | 'tenants'>;

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
    const wanted = wantedTemplate(pool.metadata.name ?? '', pool.spec.template);
    try {
      await this.#bringInLine(machine, tenant.client.resource(tenantNodes), node, wanted);
      return {};
    } catch (error) {
      // The tenant's API server is away: its return is seen by the machine's node, or here.
      if (error instanceof TransportError) return { requeueAfterMs: RETRY_MS };
      throw error;
    }
  }

  /**
   * What is put on the node is written down first, and struck off when the node is seen without it: killed in between, the record names
   * more than there is, never less.
   */
  async #bringInLine(
    machine: Machine,
    nodes: ResourceClient<TenantNode>,
    node: TenantNode,
    wanted: WantedTemplate,
  ): Promise<void> {
    const { name = '' } = node.metadata;
    const record = recordOf(wanted);
    const applied = eitherOf(machine.status?.appliedTemplate, record);
    await this.#write(machine, applied);
    let patch = templatePatch(node, applied, wanted);
    const isToStrikeOff = !isDeepStrictEqual(applied, record);
    if (patch === undefined && isToStrikeOff) {
      // The cache may be older than what was put there last.
      const { items } = await nodes.list({ fieldSelector: `metadata.name=${name}` });
      patch = items[0] && templatePatch(items[0], applied, wanted);
    }
    if (patch) await ignoreGone(nodes.patch(name, { type: 'merge', value: patch }));
    else if (isToStrikeOff) await this.#write(machine, record);
  }

  async #write(machine: Machine, appliedTemplate: AppliedTemplate): Promise<void> {
    const status = { ...machine.status, appliedTemplate };
    await writeStatus(this.#dependencies.client.resource(machines), machine, status);
  }
}
