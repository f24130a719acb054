import { featureExcess, type InClusterLimits } from '@fairway/api/limits/in-cluster';
import { ensureFinalizer, hasFinalizer } from '@fairway/kube/controller/finalizers';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { gatewayTags } from '@fairway/tenancy/cloud/ownership';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { DesiredRouting } from '../l7/desired-routing.ts';
import { placementWarning } from '../l7/load-balancer-placement.ts';
import {
  ALL_NODES,
  applyNextRoutingChange,
  createRouted,
  oldestLoadBalancer,
  type RoutingMemories,
} from '../l7/routed-load-balancer.ts';
import { ensureFloatingIp } from '../load-balancers/floating-ip.ts';
import type { LoadBalancerEvents } from '../load-balancers/load-balancer-events.ts';
import { LoadBalancerLimits } from '../load-balancers/load-balancer-limits.ts';
import { memberNodes } from '../load-balancers/member-nodes.ts';
import { memberAddresses } from '../load-balancers/members.ts';
import { observeLoadBalancers } from '../load-balancers/observation.ts';
import type { LoadBalancerRecovery } from '../load-balancers/recovery.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import type { BarbicanCertificates } from '../tls/barbican-certificates.ts';
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
  readonly certificates: BarbicanCertificates;
}

/** The desired state of a Gateway's load balancer. */
export interface GatewayTask {
  readonly balancerSpec: GatewayLoadBalancerSpec;
  readonly listeners: readonly ValidatedListener[];
  readonly routing: Routing;
  readonly settings: LoadBalancerSettings;
  readonly limits: InClusterLimits;
}

const BUILDING_PROGRESS: Progress = { kind: 'pending', message: 'the load balancer is being created' };
const CHANGING_PROGRESS: Progress = { kind: 'pending', message: 'the load balancer is being updated' };

/** Ensures the load balancer of a Gateway. */
export class GatewayLoadBalancerReconciler {
  readonly #dependencies: GatewayLoadBalancerReconcilerDependencies;
  /** Keys of load balancers that are being changed. */
  readonly #pendingChanges = new Set<string>();
  readonly #limits: LoadBalancerLimits;

  constructor(dependencies: GatewayLoadBalancerReconcilerDependencies) {
    this.#dependencies = dependencies;
    this.#limits = new LoadBalancerLimits(dependencies);
  }

  /** Takes one step. Rejects with ServiceRefused for an unavailable address, or with the error of the cloud or cluster. */
  async ensureLoadBalancer(scope: PresentGatewayScope, task: GatewayTask): Promise<Progress> {
    const { certificates, memory, watch } = this.#dependencies;
    const { cloud, gateway, key, tenant } = scope;
    const owner = { key, tenant, object: gateway };
    const excess = featureExcess(task.limits, 'Gateways');
    const beyond = { excesses: excess ? [excess] : [], limits: task.limits };
    if (!hasFinalizer(gateway, CLEANUP_FINALIZER)) this.#limits.require(owner, beyond, false);
    await wrapTenantError(ensureFinalizer(tenant.client.resource(Gateways), gateway, CLEANUP_FINALIZER));
    const { present, deletingCount } = await observeLoadBalancers(scope);
    const count = present.length + deletingCount;
    this.#limits.require(owner, beyond, await this.#limits.hasLoadBalancer(scope, beyond, count));
    const loadBalancer = await oldestLoadBalancer(scope, present, memory);
    watch.begin(cloud, key);
    if (loadBalancer === undefined && deletingCount > 0) {
      watch.expect(cloud, key, 'deletion');
      return BUILDING_PROGRESS;
    }
    const served = await ensureGatewayCertificates(scope, task.listeners, this.#dependencies);
    const desired = this.#desired(scope, task, served);
    if (loadBalancer === undefined) {
      certificates.markServed(key, served.used);
      if (desired.listeners.length > 0) return this.#create(scope, task.balancerSpec, desired);
      const [message = NO_CERTIFICATE.message] = served.withoutCertificate.values();
      return { kind: 'refused', reason: NO_CERTIFICATE.reason, message };
    }
    const address = await this.#update(scope, loadBalancer, task.balancerSpec, desired, served);
    return typeof address === 'string'
      ? { kind: 'programmed', address, withoutCertificate: served.withoutCertificate }
      : address;
  }

  forget(key: string): void {
    this.#pendingChanges.delete(key);
    this.#limits.forget(key);
  }

  async #create(
    scope: PresentGatewayScope,
    balancerSpec: GatewayLoadBalancerSpec,
    desired: DesiredRouting,
  ): Promise<Progress> {
    const { events } = this.#dependencies;
    const { gateway, tenant } = scope;
    events.normal(tenant, gateway, 'Creating', 'Creating load balancer');
    const created = await createRouted(scope, desired, this.#dependencies, (reason, message) =>
      events.warning(tenant, gateway, reason, message),
    );
    if (created.vip_port_id) await ensureFloatingIp(scope, balancerSpec, created.vip_port_id);
    return BUILDING_PROGRESS;
  }

  /** Resolves with the address of the load balancer once the load balancer matches the desired state. */
  async #update(
    scope: PresentGatewayScope,
    loadBalancer: LoadBalancer,
    balancerSpec: GatewayLoadBalancerSpec,
    desired: DesiredRouting,
    { used }: ServedCertificates,
  ): Promise<Progress | string> {
    const { certificates, clock, recovery, events, watch } = this.#dependencies;
    const { cloud, gateway, key, tenant } = scope;
    const placementMessage = placementWarning(balancerSpec.place, loadBalancer);
    if (placementMessage) events.warning(tenant, gateway, 'LoadBalancerUnchanged', placementMessage);
    const wasServed = gateway.status.addresses !== undefined;
    const state = loadBalancer.provisioning_status;
    if (state === 'ERROR') {
      watch.expect(cloud, key, 'build', loadBalancer);
      return recovery.recoverFromError(scope, loadBalancer, wasServed);
    }
    if (state === 'ACTIVE') recovery.recordHealthy(key, clock.now());
    const progress = await applyNextRoutingChange(scope, loadBalancer, desired, this.#dependencies);
    if (progress === 'changed') this.#pendingChanges.add(key);
    if (progress === 'done') certificates.markServed(key, used);
    const portID = loadBalancer.vip_port_id ?? undefined;
    const floatingIP = portID === undefined ? undefined : await ensureFloatingIp(scope, balancerSpec, portID);
    if (progress !== 'done') return wasServed ? CHANGING_PROGRESS : BUILDING_PROGRESS;
    watch.settle(key, 'any');
    const address = floatingIP ?? loadBalancer.vip_address;
    this.#writeStatus(scope, address, wasServed);
    return address;
  }

  #writeStatus({ gateway, key, tenant }: PresentGatewayScope, address: string, wasServed: boolean): void {
    const { events } = this.#dependencies;
    const isChanged = this.#pendingChanges.delete(key);
    if (!wasServed) events.setOngoing(tenant, gateway, 'Created', `Load balancer is available at ${address}`);
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
