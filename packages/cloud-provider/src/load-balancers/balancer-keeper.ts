import { ensureFinalizer } from '@fairway/kube/controller/finalizers';
import { Services } from '@fairway/kube/kinds/resources';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { serviceTags } from '@fairway/tenancy/cloud/ownership';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { BalancerCure } from './balancer-cure.ts';
import type { BalancerEvents } from './balancer-events.ts';
import type { BalancingWatch } from './balancing-watch.ts';
import { changeTree, createBalancer, deleteBalancer } from './change-tree.ts';
import { createBody, type DesiredLoadBalancer, desiredLoadBalancer } from './desired.ts';
import { ensureFloatingIp } from './floating-ip.ts';
import { memberNodes } from './member-nodes.ts';
import { memberAddresses } from './members.ts';
import { seeBalancers, seeTree } from './observation.ts';
import { keptFields, type ObservedTree, type Plan, planLoadBalancer } from './plan.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LivingScope } from './service-scope.ts';
import { wishesOf } from './service-wishes.ts';
import { OWN_ID_ANNOTATION, tellServed } from './service-writer.ts';
import { ingressOf } from './status.ts';
import { CLEANUP_FINALIZER } from './tenant-services.ts';
import type { TreeMemory } from './tree-memory.ts';
import type { Wishes } from './wishes.ts';

export interface KeeperDependencies extends Pick<CloudProviderDependencies, 'cache' | 'clock' | 'conventions'> {
  readonly watch: BalancingWatch;
  readonly memory: TreeMemory;
  readonly cure: BalancerCure;
  readonly events: BalancerEvents;
}

/** Changes without a wait between them: only reads, as any write locks the load balancer. */
const MAX_READS = 256;
const READS: ReadonlySet<string> = new Set(['readMembers', 'readMonitor']);

/** Makes the load balancer that a Service asks for, and keeps it so. */
export class BalancerKeeper {
  readonly #dependencies: KeeperDependencies;

  constructor(dependencies: KeeperDependencies) {
    this.#dependencies = dependencies;
  }

  /** One step. Rejects with ServiceRefused for what the Service asks for and can't have, and with what the cloud or the cluster answers. */
  async keep(scope: LivingScope): Promise<void> {
    const { conventions, events, watch } = this.#dependencies;
    const { cloud, cluster, key, service, tenant } = scope;
    const settings = conventions.loadBalancersOf(cluster);
    if (settings === undefined) return;
    const { wishes, warnings } = wishesOf(service, settings);
    for (const { reason, message } of warnings) events.warning(tenant, service, reason, message, message);
    await ofTenant(ensureFinalizer(tenant.client.resource(Services), service, CLEANUP_FINALIZER));
    const { present, going } = await seeBalancers(scope);
    const loadBalancer = await this.#theOne(scope, present);
    requireOwn(scope, wishes, present);
    watch.begin(cloud, key);
    if (loadBalancer === undefined && going > 0) return watch.expect(cloud, key, 'deletion');
    if (loadBalancer === undefined) return this.#make(scope, wishes, settings.clusterName);
    await this.#improve(scope, loadBalancer, wishes, settings.clusterName);
  }

  async #make(scope: LivingScope, wishes: Wishes, clusterName: string): Promise<void> {
    const { events, memory, watch } = this.#dependencies;
    const { cloud, key, service, tenant } = scope;
    events.normal(tenant, service, 'EnsuringLoadBalancer', 'Ensuring load balancer');
    const desired = this.#desired(scope, wishes, clusterName, await flavorOf(scope, wishes));
    const made = await createBalancer(scope, createBody(desired), memory);
    watch.expect(cloud, key, 'build');
    if (made.vip_port_id) await ensureFloatingIp(scope, wishes, made.vip_port_id);
  }

  async #improve(scope: LivingScope, loadBalancer: LoadBalancer, wishes: Wishes, clusterName: string): Promise<void> {
    const { clock, cure, watch } = this.#dependencies;
    const { cloud, key } = scope;
    const state = loadBalancer.provisioning_status;
    if (state === 'ERROR') {
      watch.expect(cloud, key, 'build');
      return cure.treat(scope, loadBalancer, (scope.service.status?.loadBalancer?.ingress?.length ?? 0) > 0);
    }
    if (state === 'ACTIVE') cure.isWell(key, clock.now());
    const flavorID = wishes.flavor && 'id' in wishes.flavor ? wishes.flavor.id : undefined;
    const desired = this.#desired(scope, wishes, clusterName, flavorID);
    this.#warnOfKept(scope, keptFields(desired, loadBalancer));
    const { plan, tree } = await this.#plan(scope, loadBalancer, desired);
    await this.#follow(scope, plan, tree);
    if (plan.kind === 'recreate') return;
    const portID = loadBalancer.vip_port_id ?? undefined;
    const floating = portID === undefined ? undefined : await ensureFloatingIp(scope, wishes, portID);
    if (state !== 'ACTIVE') return;
    const address = floating ?? loadBalancer.vip_address;
    const served = { loadBalancerID: loadBalancer.id, address, ingress: ingressOf(wishes, address) };
    if (plan.kind === 'done') watch.settle(key, 'build');
    await this.#tell(scope, served, plan);
  }

  #warnOfKept({ service, tenant }: LivingScope, fields: readonly string[]): void {
    if (fields.length === 0) return;
    const message = `a load balancer that exists keeps its ${fields.join(', ')}: make another Service for another one`;
    this.#dependencies.events.warning(tenant, service, 'LoadBalancerUnchanged', message);
  }

  async #tell(scope: LivingScope, served: Parameters<typeof tellServed>[1], plan: Plan): Promise<void> {
    const { clock, events } = this.#dependencies;
    const { service, tenant } = scope;
    const isNew = service.status?.loadBalancer?.ingress === undefined;
    // While a change is under way it stays as it was said to be.
    if (!isNew && plan.kind !== 'done') return;
    await tellServed(scope, served, clock.now());
    if (isNew) events.normal(tenant, service, 'EnsuredLoadBalancer', 'Ensured load balancer');
  }

  /** Looks into what the plan needs to know. */
  async #plan(scope: LivingScope, loadBalancer: LoadBalancer, desired: DesiredLoadBalancer) {
    const { memory } = this.#dependencies;
    let tree = await seeTree(scope, loadBalancer, memory);
    for (let reads = 0; ; reads++) {
      const plan = planLoadBalancer(desired, tree, { isOwn: () => true });
      if (plan.kind !== 'act' || !READS.has(plan.action.kind) || reads === MAX_READS) return { plan, tree };
      await changeTree(scope, plan.action, tree, memory);
      tree = await seeTree(scope, loadBalancer, memory);
    }
  }

  async #follow(scope: LivingScope, plan: Plan, tree: ObservedTree): Promise<void> {
    const { events, memory, watch } = this.#dependencies;
    const { cloud, key, service, tenant } = scope;
    switch (plan.kind) {
      case 'done':
        return;
      case 'wait':
        return watch.expect(cloud, key, 'build');
      case 'broken':
        return;
      case 'recreate': {
        const message = `the load balancer is made anew: Octavia can't change the ${plan.field} of one`;
        events.normal(tenant, service, 'RecreatingLoadBalancer', message);
        await deleteBalancer(scope, tree.loadBalancer.id, memory);
        return watch.expect(cloud, key, 'deletion');
      }
      case 'occupied': {
        const { id } = tree.loadBalancer;
        const message = `spec.ports: somebody else's listener of load balancer ${id} has port ${plan.port}; delete it with \`openstack loadbalancer listener delete\``;
        throw new ServiceRefused(message);
      }
      case 'act':
        await changeTree(scope, plan.action, tree, memory);
        // The one before is over, or this one could not have been asked for.
        watch.settle(key, 'update');
        return watch.expect(cloud, key, 'update');
    }
  }

  #desired(scope: LivingScope, wishes: Wishes, clusterName: string, flavorID: string | undefined): DesiredLoadBalancer {
    const { machines } = this.#dependencies.cache;
    const { owner, service, tenant } = scope;
    const tags = serviceTags(owner);
    const nodes = memberNodes(scope, machines.find(machinesByCluster, tenant.clusterKey));
    return desiredLoadBalancer(wishes, {
      clusterName,
      service: service.metadata,
      members: memberAddresses(nodes, wishes),
      tags,
      partTags: tags,
      flavorID,
    });
  }

  /** The oldest; others are left of creates that were assumed lost. */
  async #theOne(scope: LivingScope, present: readonly LoadBalancer[]): Promise<LoadBalancer | undefined> {
    const [first, ...extra] = present;
    for (const { id, provisioning_status: state } of extra) {
      if (!state.startsWith('PENDING_')) await deleteBalancer(scope, id, this.#dependencies.memory);
    }
    return first;
  }
}

/** Throws ServiceRefused where the Service names a load balancer that is not its own. What Fairway itself has noted of one that is gone does not count. */
function requireOwn({ service }: LivingScope, { namedID }: Wishes, present: readonly LoadBalancer[]): void {
  if (namedID === undefined || present.some(({ id }) => id === namedID)) return;
  if (service.metadata.annotations?.[OWN_ID_ANNOTATION] === namedID) return;
  throw new ServiceRefused(
    `annotation loadbalancer.openstack.org/load-balancer-id: load balancer ${namedID} is not this Service's own, and stays as it is: Services can't share one, and none of another program's is taken over; remove the annotation for a new one, with another address`,
  );
}

/** The id of the flavor that the Service names. */
async function flavorOf({ cloud, signal }: LivingScope, { flavor }: Wishes): Promise<string | undefined> {
  if (flavor === undefined || 'id' in flavor) return flavor?.id;
  const all = await cloud.client.loadBalancing.flavors({ signal });
  const found = all.find(({ name, enabled }) => name === flavor.name && enabled);
  if (found) return found.id;
  const names = all.filter(({ enabled }) => enabled).map(({ name }) => name);
  throw new ServiceRefused(
    `annotation loadbalancer.ovhcloud.com/flavor: the cloud has no flavor "${flavor.name}"; there are: ${names.join(', ') || 'none'}`,
  );
}
