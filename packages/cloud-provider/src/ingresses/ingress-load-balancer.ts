import { featureExcess, type InClusterLimits } from '@fairway/api/limits/in-cluster';
import { ensureFinalizer, hasFinalizer } from '@fairway/kube/controller/finalizers';
import { Ingresses } from '@fairway/kube/kinds/resources';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { ingressTags } from '@fairway/tenancy/cloud/ownership';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { BACKEND_ADVICE, nodePortOf } from '../l7/backends.ts';
import type { DesiredRouting } from '../l7/desired-routing.ts';
import { placementWarning } from '../l7/load-balancer-placement.ts';
import type { PolicyLists } from '../l7/policy-lists.ts';
import type { Backend } from '../l7/route.ts';
import { ALL_NODES, applyNextRoutingChange, createRouted, oldestLoadBalancer } from '../l7/routed-load-balancer.ts';
import { ensureFloatingIp } from '../load-balancers/floating-ip.ts';
import type { LoadBalancerEvents } from '../load-balancers/load-balancer-events.ts';
import { LoadBalancerLimits, withAllowedProvider } from '../load-balancers/load-balancer-limits.ts';
import type { LoadBalancerWatch } from '../load-balancers/load-balancer-watch.ts';
import { memberNodes } from '../load-balancers/member-nodes.ts';
import { memberAddresses } from '../load-balancers/members.ts';
import { observeLoadBalancers } from '../load-balancers/observation.ts';
import type { LoadBalancerRecovery } from '../load-balancers/recovery.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import type { TreeMemory } from '../load-balancers/tree-memory.ts';
import type { BarbicanCertificates, Certificates } from '../tls/barbican-certificates.ts';
import type { TenantSecrets } from '../tls/tenant-secrets.ts';
import { desiredIngress } from './desired.ts';
import { ensureIngressCertificates } from './ingress-certificates.ts';
import type { PresentIngressScope } from './ingress-scope.ts';
import { patchIngressStatus } from './ingress-writer.ts';
import { backendsOf, type IngressLoadBalancerSpec, specFromIngress } from './spec-from-ingress.ts';
import { CLEANUP_FINALIZER } from './tenant-ingresses.ts';

export interface IngressLoadBalancerReconcilerDependencies
  extends Pick<CloudProviderDependencies, 'cache' | 'clock' | 'conventions'> {
  readonly watch: LoadBalancerWatch;
  readonly memory: TreeMemory;
  readonly policies: PolicyLists;
  readonly recovery: LoadBalancerRecovery;
  readonly events: LoadBalancerEvents;
  readonly secrets: TenantSecrets;
  readonly certificates: BarbicanCertificates;
}

/** Ensures the load balancer of an Ingress. */
export class IngressLoadBalancerReconciler {
  readonly #dependencies: IngressLoadBalancerReconcilerDependencies;
  /** Keys of load balancers that are being changed. */
  readonly #pendingChanges = new Set<string>();
  readonly #limits: LoadBalancerLimits;

  constructor(dependencies: IngressLoadBalancerReconcilerDependencies) {
    this.#dependencies = dependencies;
    this.#limits = new LoadBalancerLimits(dependencies);
  }

  /** Takes one step. Rejects with ServiceRefused for an unsupported spec, or with the error of the cloud or cluster. */
  async ensureLoadBalancer(scope: PresentIngressScope, limits: InClusterLimits): Promise<void> {
    const { certificates: store, clock, conventions, events, watch } = this.#dependencies;
    const { cloud, cluster, ingress, key, tenant } = scope;
    const configured = conventions.loadBalancersOf(cluster, cloud);
    if (configured === undefined) return;
    const settings = withAllowedProvider(configured, limits, clock.now());
    const owner = { key, tenant, object: ingress };
    const excess = featureExcess(limits, 'Ingresses');
    const beyond = { excesses: excess ? [excess] : [], limits };
    if (!hasFinalizer(ingress, CLEANUP_FINALIZER)) this.#limits.require(owner, beyond, false);
    const { balancerSpec, warnings } = specFromIngress(ingress, settings);
    for (const { reason, message } of warnings) events.warning(tenant, ingress, reason, message, message);
    await wrapTenantError(ensureFinalizer(tenant.client.resource(Ingresses), ingress, CLEANUP_FINALIZER));
    const { present, deletingCount } = await observeLoadBalancers(scope);
    const count = present.length + deletingCount;
    this.#limits.require(owner, beyond, await this.#limits.hasLoadBalancer(scope, beyond, count));
    const loadBalancer = await oldestLoadBalancer(scope, present, this.#dependencies.memory);
    watch.begin(cloud, key);
    if (loadBalancer === undefined && deletingCount > 0) return watch.expect(cloud, key, 'deletion');
    this.#warnOfBackends(scope, balancerSpec);
    const certificates = await ensureIngressCertificates(scope, balancerSpec.tls, this.#dependencies);
    // The Ingress is enqueued again once the Secrets have been read.
    if (certificates === 'unread') return;
    const desired = this.#desired(scope, balancerSpec, settings, certificates);
    if (loadBalancer === undefined) {
      store.markServed(key, certificates ?? []);
      return this.#create(scope, balancerSpec, desired);
    }
    await this.#update(scope, loadBalancer, balancerSpec, desired, certificates ?? []);
  }

  forget(key: string): void {
    this.#pendingChanges.delete(key);
    this.#limits.forget(key);
  }

  async #create(
    scope: PresentIngressScope,
    balancerSpec: IngressLoadBalancerSpec,
    desired: DesiredRouting,
  ): Promise<void> {
    const { events } = this.#dependencies;
    const { ingress, tenant } = scope;
    events.normal(tenant, ingress, 'Creating', 'Creating load balancer');
    const created = await createRouted(scope, desired, this.#dependencies, (reason, message) =>
      events.warning(tenant, ingress, reason, message),
    );
    if (created.vip_port_id) await ensureFloatingIp(scope, balancerSpec, created.vip_port_id);
  }

  async #update(
    scope: PresentIngressScope,
    loadBalancer: LoadBalancer,
    balancerSpec: IngressLoadBalancerSpec,
    desired: DesiredRouting,
    used: readonly string[],
  ): Promise<void> {
    const { certificates, clock, recovery, events, watch } = this.#dependencies;
    const { cloud, ingress, key, tenant } = scope;
    const placementMessage = placementWarning(balancerSpec.place, loadBalancer);
    if (placementMessage) events.warning(tenant, ingress, 'LoadBalancerUnchanged', placementMessage);
    const isNew = ingress.status?.loadBalancer?.ingress === undefined;
    const state = loadBalancer.provisioning_status;
    if (state === 'ERROR') {
      watch.expect(cloud, key, 'build', loadBalancer);
      return recovery.recoverFromError(scope, loadBalancer, !isNew);
    }
    if (state === 'ACTIVE') recovery.recordHealthy(key, clock.now());
    const progress = await applyNextRoutingChange(scope, loadBalancer, desired, this.#dependencies);
    if (progress === 'changed') this.#pendingChanges.add(key);
    if (progress === 'done') certificates.markServed(key, used);
    const portID = loadBalancer.vip_port_id ?? undefined;
    const floatingIP = portID === undefined ? undefined : await ensureFloatingIp(scope, balancerSpec, portID);
    if (progress === 'done') await this.#writeStatus(scope, floatingIP ?? loadBalancer.vip_address, isNew);
  }

  async #writeStatus(scope: PresentIngressScope, address: string, isNew: boolean): Promise<void> {
    const { events, watch } = this.#dependencies;
    const { ingress, key, tenant } = scope;
    watch.settle(key, 'any');
    await patchIngressStatus(scope, address);
    const isChanged = this.#pendingChanges.delete(key);
    if (isNew) events.normal(tenant, ingress, 'Created', `Load balancer is available at ${address}`);
    else if (isChanged) events.normal(tenant, ingress, 'Updated', 'Load balancer matches the Ingress');
  }

  #desired(
    scope: PresentIngressScope,
    balancerSpec: IngressLoadBalancerSpec,
    settings: LoadBalancerSettings,
    certificates: Certificates | undefined,
  ): DesiredRouting {
    const { machines } = this.#dependencies.cache;
    const { ingress, owner, tenant } = scope;
    const nodes = memberNodes(scope, machines.find(machinesByCluster, tenant.clusterKey));
    return desiredIngress(balancerSpec, {
      settings,
      ingress: ingress.metadata,
      members: memberAddresses(nodes, ALL_NODES),
      tags: ingressTags(owner),
      nodePortOf: (backend) => nodePortOf(backend, serviceOf(scope, backend)),
      certificates,
    });
  }

  #warnOfBackends(scope: PresentIngressScope, balancerSpec: IngressLoadBalancerSpec): void {
    const { ingress, tenant } = scope;
    for (const backend of backendsOf(balancerSpec)) {
      const place = nodePortOf(backend, serviceOf(scope, backend));
      if (!('problem' in place)) continue;
      const message = `${place.problem}; ${BACKEND_ADVICE}`;
      this.#dependencies.events.warning(tenant, ingress, 'BackendNotReady', message, message);
    }
  }
}

function serviceOf({ ingress, tenant }: PresentIngressScope, { service }: Backend) {
  return servicesOf(tenant).get(`${ingress.metadata.namespace}/${service}`);
}
