import { isDeepStrictEqual } from 'node:util';
import { identityOf } from '@fairway/api/identity';
import { type AppliedTemplate, type Machine, machines } from '@fairway/api/kinds/machine';
import { isPaused } from '@fairway/api/pause';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import type { ResourceClient } from '@fairway/kube/client/resource-client';
import { BackoffError } from '@fairway/kube/controller/attempts';
import type { ReconcileContext, Result } from '@fairway/kube/controller/result';
import { type TenantNode, tenantNodes } from '@fairway/tenancy/connection/node';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { Failure } from '@fairway/tenancy/reconcile/failure';
import { Pass } from '@fairway/tenancy/reconcile/pass';
import type { ControllerDependencies } from '../dependencies.ts';
import { writeStatus } from '../status-writer.ts';
import { type DesiredNodeTemplate, desiredTemplate, recordOf, templatePatch, unionOf } from './template-patch.ts';

/** `client` is Fairway's own API, where each Machine records what was applied to its node. */
type NodeTemplateDependencies = Pick<
  ControllerDependencies,
  'client' | 'cache' | 'tenants' | 'attempts' | 'events' | 'clock'
>;

/** Applies the labels, annotations, taints and cordon of each pool's template to its nodes, existing ones included. */
export class NodeTemplateReconciler {
  readonly #dependencies: NodeTemplateDependencies;

  constructor(dependencies: NodeTemplateDependencies) {
    this.#dependencies = dependencies;
  }

  /** `key` identifies a Machine; its node has the same name. */
  async reconcile(key: string, context: ReconcileContext): Promise<Result> {
    const { attempts, cache, clock, tenants } = this.#dependencies;
    const machine = cache.machines.get(key);
    if (machine === undefined || machine.metadata.deletionTimestamp !== undefined) return {};
    const { namespace = '', name = '' } = machine.metadata;
    const cluster = cache.clusters.get(`${namespace}/${machine.spec.clusterName}`);
    if (isPaused(machine, cluster)) return {};
    const pool = cache.nodePools.get(`${namespace}/${machine.spec.nodePoolName}`);
    const tenant = cluster && tenants.get(identityOf(cluster));
    const node = tenant?.nodes.get(name);
    if (pool === undefined || tenant === undefined || node === undefined) return {};
    const desired = desiredTemplate(pool.metadata.name ?? '', pool.spec.template);
    const item = identityOf(machine);
    if (context.userTriggered) attempts.retryNow((each) => each === item);
    const pass = new Pass(context, clock);
    const nodes = tenant.client.resource(tenantNodes);
    const { failure } = await pass.run(() =>
      attempts.withBackoff({ kind: 'node template', item }, () =>
        this.#applyTemplate(machine, nodes, node, desired, pass.signal),
      ),
    );
    if (failure) this.#recordFailure(machine, failure);
    return pass.end();
  }

  /**
   * Reports a failure to apply the template, once for each attempt. The Machine's conditions describe only its server
   * and its node.
   */
  #recordFailure(machine: Machine, { error, message }: Failure): void {
    if (error instanceof BackoffError) return;
    this.#dependencies.events.warning(
      machine,
      'TemplateNotApplied',
      `the pool's template is not applied to the node: ${message}`,
    );
  }

  /**
   * Extends the record before the node is patched, and reduces it once the node is observed without the entry: after a
   * crash, it may list too much, but never too little.
   */
  async #applyTemplate(
    machine: Machine,
    nodes: ResourceClient<TenantNode>,
    node: TenantNode,
    desired: DesiredNodeTemplate,
    signal: AbortSignal,
  ): Promise<void> {
    const { name = '' } = node.metadata;
    const record = recordOf(desired);
    const applied = unionOf(machine.status?.appliedTemplate, record);
    await this.#write(machine, applied);
    let patch = templatePatch(node, applied, desired);
    const isRecordOutdated = !isDeepStrictEqual(applied, record);
    if (patch === undefined && isRecordOutdated) {
      // The cache may be older than the last applied values.
      const { items } = await wrapTenantError(nodes.list({ fieldSelector: `metadata.name=${name}`, signal }));
      patch = items[0] && templatePatch(items[0], applied, desired);
    }
    signal.throwIfAborted();
    if (patch) await wrapTenantError(ignoreDeleted(nodes.patch(name, { type: 'merge', value: patch }, { signal })));
    else if (isRecordOutdated) await this.#write(machine, record);
  }

  async #write(machine: Machine, appliedTemplate: AppliedTemplate): Promise<void> {
    const status = { ...machine.status, appliedTemplate };
    await writeStatus(this.#dependencies.client.resource(machines), machine, status);
  }
}
