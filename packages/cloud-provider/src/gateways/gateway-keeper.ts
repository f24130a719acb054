import { ensureFinalizer } from '@fairway/kube/controller/finalizers';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { gatewayTags } from '@fairway/tenancy/cloud/ownership';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { staysWhereItIs } from '../l7/balancer-place.ts';
import type { DesiredRouting } from '../l7/desired-routing.ts';
import { ALL_NODES, improveRouting, makeRouted, type RoutingMemories, theOne } from '../l7/routed-balancer.ts';
import type { BalancerCure } from '../load-balancers/balancer-cure.ts';
import type { BalancerEvents } from '../load-balancers/balancer-events.ts';
import { ensureFloatingIp } from '../load-balancers/floating-ip.ts';
import { memberNodes } from '../load-balancers/member-nodes.ts';
import { memberAddresses } from '../load-balancers/members.ts';
import { seeBalancers } from '../load-balancers/observation.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { KeptCertificates } from '../tls/kept-certificates.ts';
import type { Progress } from './conditions.ts';
import { desiredGateway } from './desired.ts';
import { ensureGatewayCertificates, type ServedCertificates } from './gateway-certificates.ts';
import type { LivingGateway } from './gateway-scope.ts';
import { UNCERTIFIED } from './gateway-status.ts';
import type { GatewayWishes } from './gateway-wishes.ts';
import { Gateways } from './kinds.ts';
import type { JudgedListener } from './listeners.ts';
import type { Routing } from './routing.ts';
import { CLEANUP_FINALIZER } from './tenant-gateways.ts';

export interface GatewayKeeperDependencies extends Pick<CloudProviderDependencies, 'cache' | 'clock'>, RoutingMemories {
  readonly cure: BalancerCure;
  readonly events: BalancerEvents;
  readonly certificates: KeptCertificates;
}

/** What the load balancer of a Gateway is to be like. */
export interface GatewayTask {
  readonly wishes: GatewayWishes;
  readonly listeners: readonly JudgedListener[];
  readonly routing: Routing;
  readonly settings: LoadBalancerSettings;
}

const BUILDING: Progress = { kind: 'pending', message: 'the load balancer is being made' };
const CHANGING: Progress = { kind: 'pending', message: 'the load balancer is being changed' };

/** Makes the load balancer that a Gateway asks for, and keeps it so. */
export class GatewayKeeper {
  readonly #dependencies: GatewayKeeperDependencies;
  /** Keys of those that are being changed. */
  readonly #changing = new Set<string>();

  constructor(dependencies: GatewayKeeperDependencies) {
    this.#dependencies = dependencies;
  }

  /** One step. Rejects with ServiceRefused for an address that can't be had, and with what the cloud or the cluster answers. */
  async keep(scope: LivingGateway, task: GatewayTask): Promise<Progress> {
    const { certificates, memory, watch } = this.#dependencies;
    const { cloud, gateway, key, tenant } = scope;
    await ofTenant(ensureFinalizer(tenant.client.resource(Gateways), gateway, CLEANUP_FINALIZER));
    const { present, going } = await seeBalancers(scope);
    const loadBalancer = await theOne(scope, present, memory);
    watch.begin(cloud, key);
    if (loadBalancer === undefined && going > 0) {
      watch.expect(cloud, key, 'deletion');
      return BUILDING;
    }
    const served = await ensureGatewayCertificates(scope, task.listeners, this.#dependencies);
    const desired = this.#desired(scope, task, served);
    if (loadBalancer === undefined) {
      certificates.serves(key, served.used);
      if (desired.listeners.length > 0) return this.#make(scope, task.wishes, desired);
      const [message = UNCERTIFIED.message] = served.uncertified.values();
      return { kind: 'refused', reason: UNCERTIFIED.reason, message };
    }
    const address = await this.#improve(scope, loadBalancer, task.wishes, desired, served);
    return typeof address === 'string' ? { kind: 'programmed', address, uncertified: served.uncertified } : address;
  }

  forget(key: string): void {
    this.#changing.delete(key);
  }

  async #make(scope: LivingGateway, wishes: GatewayWishes, desired: DesiredRouting): Promise<Progress> {
    const { events } = this.#dependencies;
    const { gateway, tenant } = scope;
    events.normal(tenant, gateway, 'Creating', 'Creating load balancer');
    const made = await makeRouted(scope, desired, this.#dependencies, (reason, message) =>
      events.warning(tenant, gateway, reason, message),
    );
    if (made.vip_port_id) await ensureFloatingIp(scope, wishes, made.vip_port_id);
    return BUILDING;
  }

  /** Resolves with its address when all is as wanted. */
  async #improve(
    scope: LivingGateway,
    loadBalancer: LoadBalancer,
    wishes: GatewayWishes,
    desired: DesiredRouting,
    { used }: ServedCertificates,
  ): Promise<Progress | string> {
    const { certificates, clock, cure, events, watch } = this.#dependencies;
    const { cloud, gateway, key, tenant } = scope;
    const stays = staysWhereItIs(wishes.place, loadBalancer);
    if (stays) events.warning(tenant, gateway, 'LoadBalancerUnchanged', stays);
    const hasWorked = gateway.status.addresses !== undefined;
    const state = loadBalancer.provisioning_status;
    if (state === 'ERROR') {
      watch.expect(cloud, key, 'build', loadBalancer);
      return cure.treat(scope, loadBalancer, hasWorked);
    }
    if (state === 'ACTIVE') cure.isWell(key, clock.now());
    const progress = await improveRouting(scope, loadBalancer, desired, this.#dependencies);
    if (progress === 'changed') this.#changing.add(key);
    if (progress === 'done') certificates.serves(key, used);
    const portID = loadBalancer.vip_port_id ?? undefined;
    const floating = portID === undefined ? undefined : await ensureFloatingIp(scope, wishes, portID);
    if (progress !== 'done') return hasWorked ? CHANGING : BUILDING;
    watch.settle(key, 'any');
    const address = floating ?? loadBalancer.vip_address;
    this.#tell(scope, address, hasWorked);
    return address;
  }

  #tell({ gateway, key, tenant }: LivingGateway, address: string, hasWorked: boolean): void {
    const { events } = this.#dependencies;
    const isChanged = this.#changing.delete(key);
    if (!hasWorked) events.ongoing(tenant, gateway, 'Created', `Load balancer is reached at ${address}`);
    else if (isChanged) events.normal(tenant, gateway, 'Updated', 'Load balancer is as the Gateway says');
  }

  #desired(
    scope: LivingGateway,
    { routing, settings, wishes }: GatewayTask,
    { ports }: ServedCertificates,
  ): DesiredRouting {
    const { machines } = this.#dependencies.cache;
    const { gateway, owner, tenant } = scope;
    const nodes = memberNodes(scope, machines.find(machinesByCluster, tenant.clusterKey));
    return desiredGateway(routing, {
      settings,
      place: wishes.place,
      gateway: gateway.metadata,
      members: memberAddresses(nodes, ALL_NODES),
      tags: gatewayTags(owner),
      sourceRanges: wishes.sourceRanges,
      certificates: ports,
    });
  }
}
