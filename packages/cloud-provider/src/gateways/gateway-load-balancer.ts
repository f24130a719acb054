import { ensureFinalizer } from '@fairway/kube/controller/finalizers';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { gatewayTags } from '@fairway/tenancy/cloud/ownership';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { DesiredRouting } from '../l7/desired-routing.ts';
import { placementWarning } from '../l7/load-balancer-placement.ts';
import {
  ALL_NODES,
  applyNextRoutingChange,
  makeRouted,
  oldestLoadBalancer,
  type RoutingMemories,
} from '../l7/routed-balancer.ts';
import { ensureFloatingIp } from '../load-balancers/floating-ip.ts';
import type { LoadBalancerEvents } from '../load-balancers/load-balancer-events.ts';
import { memberNodes } from '../load-balancers/member-nodes.ts';
import { memberAddresses } from '../load-balancers/members.ts';
import { observeLoadBalancers } from '../load-balancers/observation.ts';
import type { LoadBalancerRecovery } from '../load-balancers/recovery.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { KeptCertificates } from '../tls/kept-certificates.ts';
import type { Progress } from './conditions.ts';
import { desiredGateway } from './desired.ts';
import { ensureGatewayCertificates, type ServedCertificates } from './gateway-certificates.ts';
import type { PresentGatewayScope } from './gateway-scope.ts';
import { NO_CERTIFICATE } from './gateway-status.ts';
import { Gateways } from './kinds.ts';
import type { ValidatedListener } from './listeners.ts';
import type { Routing } from './routing.ts';
import type { GatewayLoadBalancerSpec } from './spec-from-gateway.ts';
import { CLEANUP_FINALIZER } from './tenant-gateways.ts';

export interface GatewayLoadBalancerReconcilerDependencies
  extends Pick<CloudProviderDependencies, 'cache' | 'clock'>,
    RoutingMemories {
  readonly recovery: LoadBalancerRecovery;
  readonly events: LoadBalancerEvents;
  readonly certificates: KeptCertificates;
}

/** The desired state of a Gateway's load balancer. */
export interface GatewayTask {
  readonly balancerSpec: GatewayLoadBalancerSpec;
  readonly listeners: readonly ValidatedListener[];
  readonly routing: Routing;
  readonly settings: LoadBalancerSettings;
}

const BUILDING: Progress = { kind: 'pending', message: 'the load balancer is being created' };
const CHANGING: Progress = { kind: 'pending', message: 'the load balancer is being updated' };

/** Ensures the load balancer of a Gateway. */
export class GatewayLoadBalancerReconciler {
  readonly #dependencies: GatewayLoadBalancerReconcilerDependencies;
  /** Keys of load balancers that are being changed. */
  readonly #changing = new Set<string>();

  constructor(dependencies: GatewayLoadBalancerReconcilerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Takes one step. Rejects with ServiceRefused for an unavailable address, or with the error of the cloud or cluster. */
  async ensureLoadBalancer(scope: PresentGatewayScope, task: GatewayTask): Promise<Progress> {
    const { certificates, memory, watch } = this.#dependencies;
    const { cloud, gateway, key, tenant } = scope;
    await ofTenant(ensureFinalizer(tenant.client.resource(Gateways), gateway, CLEANUP_FINALIZER));
    const { present, going } = await observeLoadBalancers(scope);
    const loadBalancer = await oldestLoadBalancer(scope, present, memory);
    watch.begin(cloud, key);
    if (loadBalancer === undefined && going > 0) {
      watch.expect(cloud, key, 'deletion');
      return BUILDING;
    }
    const served = await ensureGatewayCertificates(scope, task.listeners, this.#dependencies);
    const desired = this.#desired(scope, task, served);
    if (loadBalancer === undefined) {
      certificates.serves(key, served.used);
      if (desired.listeners.length > 0) return this.#make(scope, task.balancerSpec, desired);
      const [message = NO_CERTIFICATE.message] = served.uncertified.values();
      return { kind: 'refused', reason: NO_CERTIFICATE.reason, message };
    }
    const address = await this.#update(scope, loadBalancer, task.balancerSpec, desired, served);
    return typeof address === 'string' ? { kind: 'programmed', address, uncertified: served.uncertified } : address;
  }

  forget(key: string): void {
    this.#changing.delete(key);
  }

  async #make(
    scope: PresentGatewayScope,
    balancerSpec: GatewayLoadBalancerSpec,
    desired: DesiredRouting,
  ): Promise<Progress> {
    const { events } = this.#dependencies;
    const { gateway, tenant } = scope;
    events.normal(tenant, gateway, 'Creating', 'Creating load balancer');
    const made = await makeRouted(scope, desired, this.#dependencies, (reason, message) =>
      events.warning(tenant, gateway, reason, message),
    );
    if (made.vip_port_id) await ensureFloatingIp(scope, balancerSpec, made.vip_port_id);
    return BUILDING;
  }

  /** Resolves with its address once it matches the desired state. */
  async #update(
    scope: PresentGatewayScope,
    loadBalancer: LoadBalancer,
    balancerSpec: GatewayLoadBalancerSpec,
    desired: DesiredRouting,
    { used }: ServedCertificates,
  ): Promise<Progress | string> {
    const { certificates, clock, recovery, events, watch } = this.#dependencies;
    const { cloud, gateway, key, tenant } = scope;
    const stays = placementWarning(balancerSpec.place, loadBalancer);
    if (stays) events.warning(tenant, gateway, 'LoadBalancerUnchanged', stays);
    const hasWorked = gateway.status.addresses !== undefined;
    const state = loadBalancer.provisioning_status;
    if (state === 'ERROR') {
      watch.expect(cloud, key, 'build', loadBalancer);
      return recovery.recoverFromError(scope, loadBalancer, hasWorked);
    }
    if (state === 'ACTIVE') recovery.noteHealthy(key, clock.now());
    const progress = await applyNextRoutingChange(scope, loadBalancer, desired, this.#dependencies);
    if (progress === 'changed') this.#changing.add(key);
    if (progress === 'done') certificates.serves(key, used);
    const portID = loadBalancer.vip_port_id ?? undefined;
    const floating = portID === undefined ? undefined : await ensureFloatingIp(scope, balancerSpec, portID);
    if (progress !== 'done') return hasWorked ? CHANGING : BUILDING;
    watch.settle(key, 'any');
    const address = floating ?? loadBalancer.vip_address;
    this.#writeStatus(scope, address, hasWorked);
    return address;
  }

  #writeStatus({ gateway, key, tenant }: PresentGatewayScope, address: string, hasWorked: boolean): void {
    const { events } = this.#dependencies;
    const isChanged = this.#changing.delete(key);
    if (!hasWorked) events.ongoing(tenant, gateway, 'Created', `Load balancer is available at ${address}`);
    else if (isChanged) events.normal(tenant, gateway, 'Updated', 'Load balancer matches the Gateway');
  }

  #desired(
    scope: PresentGatewayScope,
    { routing, settings, balancerSpec }: GatewayTask,
    { ports }: ServedCertificates,
  ): DesiredRouting {
    const { machines } = this.#dependencies.cache;
    const { gateway, owner, tenant } = scope;
    const nodes = memberNodes(scope, machines.find(machinesByCluster, tenant.clusterKey));
    return desiredGateway(routing, {
      settings,
      place: balancerSpec.place,
      gateway: gateway.metadata,
      members: memberAddresses(nodes, ALL_NODES),
      tags: gatewayTags(owner),
      sourceRanges: balancerSpec.sourceRanges,
      certificates: ports,
    });
  }
}
