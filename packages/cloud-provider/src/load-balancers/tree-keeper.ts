import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { serviceOwner, serviceTags } from '@fairway/tenancy/cloud/ownership';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { BalancerEvents } from './balancer-events.ts';
import type { BalancingWatch } from './balancing-watch.ts';
import { changeTree, deleteBalancer } from './change-tree.ts';
import { type DesiredContext, type DesiredLoadBalancer, desiredLoadBalancer } from './desired.ts';
import { memberNodes } from './member-nodes.ts';
import { memberAddresses, membersByFamily, unservedFamilies } from './members.ts';
import { listenersIn, seeTree } from './observation.ts';
import { type ObservedTree, type Plan, planLoadBalancer } from './plan.ts';
import { orRefuseOccupied, refuseOccupied } from './port-conflict.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LivingScope } from './service-scope.ts';
import { heirsOf } from './sharing.ts';
import { requireTlsContainer, tlsContainerOf } from './tls-container.ts';
import type { TreeMemory } from './tree-memory.ts';
import { isOfUpstream } from './unmarked-parts.ts';
import type { Wishes } from './wishes.ts';

export interface TreeKeeperDependencies extends Pick<CloudProviderDependencies, 'cache' | 'conventions'> {
  readonly watch: BalancingWatch;
  readonly memory: TreeMemory;
  readonly events: BalancerEvents;
}

type DesiredOptions = Pick<DesiredContext, 'clusterName' | 'flavorID' | 'memberSubnets' | 'place'>;

/** Changes without a wait between them: only reads, as any write locks the load balancer. */
const MAX_READS = 256;
const READS: ReadonlySet<string> = new Set(['readMembers', 'readMonitor']);

/** Brings what a Service has in a load balancer, its own or another one's, to what the Service asks for. */
export class TreeKeeper {
  readonly #dependencies: TreeKeeperDependencies;

  constructor(dependencies: TreeKeeperDependencies) {
    this.#dependencies = dependencies;
  }

  desired(scope: LivingScope, wishes: Wishes, options: DesiredOptions): DesiredLoadBalancer {
    const { cache, events } = this.#dependencies;
    const { owner, service, tenant } = scope;
    const tags = serviceTags(owner);
    const nodes = memberNodes(scope, cache.machines.find(machinesByCluster, tenant.clusterKey));
    for (const message of unservedFamilies(nodes, wishes)) {
      events.warning(tenant, service, 'LoadBalancerNoMembers', message, message);
    }
    return desiredLoadBalancer(wishes, {
      ...options,
      service: service.metadata,
      members: memberAddresses(nodes, wishes),
      membersByFamily: membersByFamily(nodes, wishes),
      tags,
      partTags: tags,
    });
  }

  /** Rejects with ServiceRefused where somebody else has a port that the Service wants. */
  async requireFree(scope: LivingScope, loadBalancer: LoadBalancer, desired: DesiredLoadBalancer): Promise<void> {
    const { plan } = await this.#plan(scope, loadBalancer, desired);
    if (plan.kind === 'occupied') refuseOccupied(scope, plan.listener);
  }

  /** Makes the next change. Resolves with what it was, and rejects with ServiceRefused for what can't be. */
  async bringNearer(scope: LivingScope, loadBalancer: LoadBalancer, desired: DesiredLoadBalancer): Promise<Plan> {
    const { plan, tree } = await this.#plan(scope, loadBalancer, desired);
    await this.#follow(scope, plan, tree);
    return plan;
  }

  /** Looks into what the plan needs to know. */
  async #plan(scope: LivingScope, loadBalancer: LoadBalancer, desired: DesiredLoadBalancer) {
    const { memory } = this.#dependencies;
    const isOwn: PlanIsOwn = ({ tags }) => {
      const owner = serviceOwner({ tags, project_id: scope.projectID }, scope.projectID);
      return owner ? owner.serviceUid === scope.owner.serviceUid : isOfUpstream(scope, { tags });
    };
    let tree = await this.#see(scope, loadBalancer);
    for (let reads = 0; ; reads++) {
      const plan = planLoadBalancer(desired, tree, { isOwn });
      if (plan.kind !== 'act' || !READS.has(plan.action.kind) || reads === MAX_READS) return { plan, tree };
      await changeTree(scope, plan.action, tree, memory);
      tree = await this.#see(scope, loadBalancer);
    }
  }

  /** With listeners of other Services, whose ports are taken. */
  async #see(scope: LivingScope, loadBalancer: LoadBalancer): Promise<ObservedTree> {
    const tree = await seeTree(scope, loadBalancer, this.#dependencies.memory);
    const own = new Set(tree.listeners.map(({ id }) => id));
    const present = new Set(loadBalancer.listeners.map(({ id }) => id));
    const others = listenersIn(scope, loadBalancer).filter(
      (each) =>
        !own.has(each.id) &&
        present.has(each.id) &&
        serviceOwner(each, scope.projectID)?.serviceUid !== scope.owner.serviceUid,
    );
    return others.length === 0 ? tree : { ...tree, listeners: [...tree.listeners, ...others] };
  }

  async #follow(scope: LivingScope, plan: Plan, tree: ObservedTree): Promise<void> {
    const { conventions, events, memory, watch } = this.#dependencies;
    const { cloud, key, service, tenant } = scope;
    switch (plan.kind) {
      case 'done':
        return;
      case 'wait':
        return watch.expectEnd(cloud, key, tree.loadBalancer);
      case 'broken':
        return;
      case 'recreate': {
        const [sharer] = heirsOf(scope, tree.loadBalancer);
        if (sharer) refuseRecreation(plan.field, sharer.metadata);
        const message = `the load balancer is made anew: Octavia can't change the ${plan.field} of one`;
        events.normal(tenant, service, 'RecreatingLoadBalancer', message);
        await deleteBalancer(scope, tree.loadBalancer.id, memory);
        return watch.expect(cloud, key, 'deletion', tree.loadBalancer);
      }
      case 'occupied':
        return refuseOccupied(scope, plan.listener);
      case 'act': {
        const reference = tlsContainerOf(plan.action);
        const settings = conventions.loadBalancersOf(scope.cluster, cloud);
        if (reference !== undefined) await requireTlsContainer(scope, reference, settings);
        await orRefuseOccupied(scope, plan.action, tree.loadBalancer, () =>
          changeTree(scope, plan.action, tree, memory),
        );
        // The one before is over, or this one could not have been asked for.
        watch.settle(key, 'update');
        return watch.expect(cloud, key, 'update', tree.loadBalancer);
      }
    }
  }
}

type PlanIsOwn = Parameters<typeof planLoadBalancer>[2]['isOwn'];

function refuseRecreation(field: string, sharer: { readonly namespace?: string; readonly name?: string }): never {
  throw new ServiceRefused(
    `the ${field} of the load balancer can't be changed while Service ${sharer.namespace}/${sharer.name} uses it too`,
  );
}
