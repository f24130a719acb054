import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { serviceOwner, serviceTags } from '@fairway/tenancy/cloud/ownership';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { changeTree, deleteLoadBalancer } from './change-tree.ts';
import { type DesiredContext, type DesiredLoadBalancer, desiredLoadBalancer } from './desired.ts';
import type { LoadBalancerEvents } from './load-balancer-events.ts';
import type { LoadBalancerSpec } from './load-balancer-spec.ts';
import type { LoadBalancerWatch } from './load-balancer-watch.ts';
import { memberNodes } from './member-nodes.ts';
import { memberAddresses, membersByFamily, unservedFamilies } from './members.ts';
import { listenersOn, observeTree } from './observation.ts';
import { type ObservedTree, type Plan, planLoadBalancer } from './plan.ts';
import { refuseOccupiedPort, rejectOccupiedPort } from './port-conflict.ts';
import { ServiceRefused } from './service-refused.ts';
import type { PresentServiceScope } from './service-scope.ts';
import { successorsOf } from './sharing.ts';
import { requireTlsContainer, tlsContainerOf } from './tls-container.ts';
import type { TreeMemory } from './tree-memory.ts';
import { isFromUpstream } from './unmarked-parts.ts';

export interface LoadBalancerTreeReconcilerDependencies
  extends Pick<CloudProviderDependencies, 'cache' | 'conventions'> {
  readonly watch: LoadBalancerWatch;
  readonly memory: TreeMemory;
  readonly events: LoadBalancerEvents;
}

type DesiredOptions = Pick<DesiredContext, 'clusterName' | 'flavorID' | 'memberSubnets' | 'place'>;

/** Limit on reads per step. Writes need no limit, because each write locks the load balancer. */
const MAX_READS = 256;
const READ_ACTIONS: ReadonlySet<string> = new Set(['readMembers', 'readMonitor']);

/** Reconciles the listeners and pools of a Service in a load balancer, its own or a shared one. */
export class LoadBalancerTreeReconciler {
  readonly #dependencies: LoadBalancerTreeReconcilerDependencies;

  constructor(dependencies: LoadBalancerTreeReconcilerDependencies) {
    this.#dependencies = dependencies;
  }

  desired(scope: PresentServiceScope, balancerSpec: LoadBalancerSpec, options: DesiredOptions): DesiredLoadBalancer {
    const { cache, events } = this.#dependencies;
    const { owner, service, tenant } = scope;
    const tags = serviceTags(owner);
    const nodes = memberNodes(scope, cache.machines.find(machinesByCluster, tenant.clusterKey));
    for (const message of unservedFamilies(nodes, balancerSpec)) {
      events.warning(tenant, service, 'LoadBalancerNoMembers', message, message);
    }
    return desiredLoadBalancer(balancerSpec, {
      ...options,
      service: service.metadata,
      members: memberAddresses(nodes, balancerSpec),
      membersByFamily: membersByFamily(nodes, balancerSpec),
      tags,
      partTags: tags,
    });
  }

  /** Rejects with ServiceRefused if another owner uses a desired port. */
  async requireFreePorts(
    scope: PresentServiceScope,
    loadBalancer: LoadBalancer,
    desired: DesiredLoadBalancer,
  ): Promise<void> {
    const { plan } = await this.#plan(scope, loadBalancer, desired);
    if (plan.kind === 'occupied') refuseOccupiedPort(scope, plan.listener);
  }

  /** Applies the next change and resolves with it. Rejects with ServiceRefused for unsupported changes. */
  async applyNextChange(
    scope: PresentServiceScope,
    loadBalancer: LoadBalancer,
    desired: DesiredLoadBalancer,
  ): Promise<Plan> {
    const { plan, tree } = await this.#plan(scope, loadBalancer, desired);
    await this.#follow(scope, plan, tree);
    return plan;
  }

  /** Plans the next change, and reads what the plan needs. */
  async #plan(scope: PresentServiceScope, loadBalancer: LoadBalancer, desired: DesiredLoadBalancer) {
    const { memory } = this.#dependencies;
    const isOwn: OwnershipPredicate = ({ tags }) => {
      const owner = serviceOwner({ tags, project_id: scope.projectID }, scope.projectID);
      return owner ? owner.serviceUid === scope.owner.serviceUid : isFromUpstream(scope, { tags });
    };
    let tree = await this.#observe(scope, loadBalancer);
    for (let reads = 0; ; reads++) {
      const plan = planLoadBalancer(desired, tree, { isOwn });
      if (plan.kind !== 'act' || !READ_ACTIONS.has(plan.action.kind) || reads === MAX_READS) return { plan, tree };
      await changeTree(scope, plan.action, tree, memory);
      tree = await this.#observe(scope, loadBalancer);
    }
  }

  /** Also lists the listeners of other Services, because they occupy ports. */
  async #observe(scope: PresentServiceScope, loadBalancer: LoadBalancer): Promise<ObservedTree> {
    const tree = await observeTree(scope, loadBalancer, this.#dependencies.memory);
    const own = new Set(tree.listeners.map(({ id }) => id));
    const present = new Set(loadBalancer.listeners.map(({ id }) => id));
    const others = listenersOn(scope, loadBalancer).filter(
      (each) =>
        !own.has(each.id) &&
        present.has(each.id) &&
        serviceOwner(each, scope.projectID)?.serviceUid !== scope.owner.serviceUid,
    );
    return others.length === 0 ? tree : { ...tree, listeners: [...tree.listeners, ...others] };
  }

  async #follow(scope: PresentServiceScope, plan: Plan, tree: ObservedTree): Promise<void> {
    const { conventions, events, memory, watch } = this.#dependencies;
    const { cloud, key, service, tenant } = scope;
    switch (plan.kind) {
      case 'done':
        return;
      case 'wait':
        return watch.expectPendingChange(cloud, key, tree.loadBalancer);
      case 'broken':
        return;
      case 'recreate': {
        const [sharer] = successorsOf(scope, tree.loadBalancer);
        if (sharer)
          refuseRecreation(
            plan.field,
            `while Service ${sharer.metadata.namespace}/${sharer.metadata.name} also uses it`,
          );
        const [refusal] = scope.refusals ?? [];
        if (refusal !== undefined) refuseRecreation(plan.field, `because the plan would refuse a new one: ${refusal}`);
        const message = `recreating the load balancer: Octavia cannot change its ${plan.field}`;
        events.normal(tenant, service, 'RecreatingLoadBalancer', message);
        await deleteLoadBalancer(scope, tree.loadBalancer.id, memory);
        return watch.expect(cloud, key, 'deletion', tree.loadBalancer);
      }
      case 'occupied':
        return refuseOccupiedPort(scope, plan.listener);
      case 'act': {
        const reference = tlsContainerOf(plan.action);
        const settings = conventions.loadBalancersOf(scope.cluster, cloud);
        if (reference !== undefined) await requireTlsContainer(scope, reference, settings);
        await rejectOccupiedPort(scope, plan.action, tree.loadBalancer, () =>
          changeTree(scope, plan.action, tree, memory),
        );
        // The previous change has finished, or Octavia would have rejected this one.
        watch.settle(key, 'update');
        return watch.expect(cloud, key, 'update', tree.loadBalancer);
      }
    }
  }
}

type OwnershipPredicate = Parameters<typeof planLoadBalancer>[2]['isOwn'];

function refuseRecreation(field: string, reason: string): never {
  throw new ServiceRefused(`the ${field} of the load balancer cannot be changed ${reason}`);
}
