import type { InClusterLimits } from '@fairway/api/limits/in-cluster';
import { KEPT_ANNOTATIONS_ANNOTATION, OWN_ID_ANNOTATION, serviceExcesses } from '@fairway/api/limits/service-limits';
import { ensureFinalizer, hasFinalizer } from '@fairway/kube/controller/finalizers';
import { Services } from '@fairway/kube/kinds/resources';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { sharerTag } from '@fairway/tenancy/cloud/ownership';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { AddressFamilies, type PlacedSpec } from './address-families.ts';
import { ANNOTATION } from './annotation-names.ts';
import { createLoadBalancer, deleteLoadBalancer } from './change-tree.ts';
import { createBody, type DesiredLoadBalancer } from './desired.ts';
import { clientAddresses } from './families.ts';
import { ensureFloatingIp } from './floating-ip.ts';
import { effectiveAnnotations, type LoadBalancerFacts } from './kept-annotations.ts';
import { keptFloatingIPName } from './kept-floating-ip.ts';
import { LoadBalancerFlavors } from './load-balancer-flavors.ts';
import { LoadBalancerLimits, withAllowedProvider } from './load-balancer-limits.ts';
import type { LoadBalancerSpec } from './load-balancer-spec.ts';
import { NetworkOwnership } from './network-ownership.ts';
import { observeLoadBalancers, observeShared } from './observation.ts';
import { ignoredChanges, type Plan } from './plan.ts';
import { isOvn } from './provider-limits.ts';
import type { LoadBalancerRecovery } from './recovery.ts';
import { releaseLoadBalancer } from './release-load-balancer.ts';
import { PLAN_LIMIT_REASON } from './service-refused.ts';
import type { PresentServiceScope } from './service-scope.ts';
import { patchServedStatus, recordKeptAnnotations } from './service-writer.ts';
import type { LoadBalancerSettings } from './settings.ts';
import { SharedLoadBalancerReconciler } from './shared-reconciler.ts';
import { type Placement, placementOf, sharersOfPrevious } from './sharing.ts';
import { specFromService } from './spec-from-service.ts';
import { ingressOf } from './status.ts';
import type { Takeover } from './takeover.ts';
import { CLEANUP_FINALIZER } from './tenant-services.ts';
import { requireTlsContainer } from './tls-container.ts';
import { LoadBalancerTreeReconciler, type LoadBalancerTreeReconcilerDependencies } from './tree-reconciler.ts';
import { isFromUpstream } from './unmarked-parts.ts';

export interface LoadBalancerReconcilerDependencies
  extends LoadBalancerTreeReconcilerDependencies,
    Pick<CloudProviderDependencies, 'clock'> {
  readonly recovery: LoadBalancerRecovery;
  readonly takeover: Takeover;
}

/** Ensures the load balancer of a Service. */
export class LoadBalancerReconciler {
  readonly #dependencies: LoadBalancerReconcilerDependencies;
  readonly #trees: LoadBalancerTreeReconciler;
  readonly #shared: SharedLoadBalancerReconciler;
  readonly #families: AddressFamilies;
  readonly #flavors = new LoadBalancerFlavors();
  readonly #networkOwnership = new NetworkOwnership();
  readonly #limits: LoadBalancerLimits;
  /** Records of kept annotations by key: the cluster's owner can edit those on Services. */
  readonly #keptAnnotations = new Map<string, string>();

  constructor(dependencies: LoadBalancerReconcilerDependencies) {
    this.#dependencies = dependencies;
    this.#trees = new LoadBalancerTreeReconciler(dependencies);
    this.#limits = new LoadBalancerLimits(dependencies);
    this.#families = new AddressFamilies(dependencies.events);
    this.#shared = new SharedLoadBalancerReconciler({
      ...dependencies,
      trees: this.#trees,
      families: this.#families,
      networkOwnership: this.#networkOwnership,
    });
  }

  /** Takes one step. Rejects with ServiceRefused for an unsupported spec, or with the error of the cloud or cluster. */
  async ensureLoadBalancer(requested: PresentServiceScope, limits: InClusterLimits): Promise<void> {
    const { clock, conventions, watch } = this.#dependencies;
    const { cloud, cluster, key, service, tenant } = requested;
    const configured = conventions.loadBalancersOf(cluster, cloud);
    if (configured === undefined) return;
    const settings = withAllowedProvider(configured, limits, clock.now());
    const beyond = { excesses: serviceExcesses(service, limits.services), limits };
    if (!hasFinalizer(service, CLEANUP_FINALIZER))
      this.#limits.require({ ...requested, object: service }, beyond, false);
    await wrapTenantError(ensureFinalizer(tenant.client.resource(Services), service, CLEANUP_FINALIZER));
    const { present, deletingCount } = await observeLoadBalancers(requested);
    watch.begin(cloud, key);
    if (present.length + deletingCount === 0 && (await this.#dependencies.takeover.step(requested))) return;
    const count = present.length + deletingCount + observeShared(requested).length;
    const hasLoadBalancer = await this.#limits.hasLoadBalancer(requested, beyond, count);
    const refusals = this.#limits.require({ ...requested, object: service }, beyond, hasLoadBalancer);
    const limited = await this.#withEffectiveAnnotations(requested, limits, { present, hasLoadBalancer });
    const scope = { ...limited, refusals };
    const place = await placementOf(scope, present);
    if (await this.#releaseUnused(scope, place, present)) return;
    if (place.kind === 'wait') return watch.expect(cloud, key, 'build');
    if (place.kind === 'shared') return this.#shared.ensurePorts(scope, place, settings);
    const loadBalancer = await this.#oldest(scope, present);
    const balancerSpec = this.#desiredSpec(scope, settings, loadBalancer);
    await this.#networkOwnership.require(scope, balancerSpec);
    if (loadBalancer === undefined && deletingCount > 0) return watch.expect(cloud, key, 'deletion');
    if (loadBalancer === undefined) return this.#create(scope, balancerSpec, settings);
    await this.#update(scope, loadBalancer, balancerSpec, settings.clusterName);
  }

  forget(key: string): void {
    this.#limits.forget(key);
    this.#keptAnnotations.delete(key);
  }

  /** Annotations that the plan refuses and that were added later have no effect. */
  async #withEffectiveAnnotations(
    scope: PresentServiceScope,
    limits: InClusterLimits,
    { present, hasLoadBalancer }: { readonly present: readonly LoadBalancer[]; readonly hasLoadBalancer: boolean },
  ): Promise<PresentServiceScope> {
    const { clock, events } = this.#dependencies;
    const { cloud, key } = scope;
    const { annotations = {} } = scope.service.metadata;
    const namedID = annotations[ANNOTATION.loadBalancerID]?.trim() ?? '';
    const facts: LoadBalancerFacts = {
      hasLoadBalancer,
      provider: present[0]?.provider ?? undefined,
      namesOwnLoadBalancer:
        present.some(({ id }) => id === namedID) ||
        (annotations[OWN_ID_ANNOTATION] === namedID && !cloud.cache.loadBalancers.snapshot().items.has(namedID)),
      record: this.#keptAnnotations.get(key) ?? annotations[KEPT_ANNOTATIONS_ANNOTATION],
    };
    const { service, record, problem } = effectiveAnnotations(scope.service, limits, { facts, nowMs: clock.now() });
    if (record === undefined) this.#keptAnnotations.delete(key);
    else this.#keptAnnotations.set(key, record);
    await recordKeptAnnotations(scope, record);
    if (problem !== undefined) events.warning(scope.tenant, service, PLAN_LIMIT_REASON, problem, problem);
    return { ...scope, service, limitProblem: problem };
  }

  /** An existing load balancer retains its provider, regardless of the current default. */
  #desiredSpec(
    scope: PresentServiceScope,
    settings: LoadBalancerSettings,
    loadBalancer: LoadBalancer | undefined,
  ): LoadBalancerSpec {
    const provider = loadBalancer ? (loadBalancer.provider ?? undefined) : settings.provider;
    const { balancerSpec, warnings } = specFromService(scope.service, { ...settings, provider });
    for (const { reason, message } of warnings) {
      this.#dependencies.events.warning(scope.tenant, scope.service, reason, message, message);
    }
    return balancerSpec;
  }

  /**
   * Releases load balancers that the Service no longer uses, one step at a time. Resolves with whether there was any
   * such load balancer.
   */
  async #releaseUnused(scope: PresentServiceScope, place: Placement, own: readonly LoadBalancer[]): Promise<boolean> {
    const { memory, watch } = this.#dependencies;
    if (place.kind === 'wait') return false;
    const shared = observeShared(scope).filter(({ id }) => place.kind === 'own' || place.loadBalancer.id !== id);
    const [loadBalancer] = [...(place.kind === 'shared' ? own : []), ...shared];
    if (loadBalancer === undefined) return false;
    const pending = await releaseLoadBalancer(scope, loadBalancer, keptFloatingIPName(scope), memory);
    if (pending === 'update') watch.settle(scope.key, 'update');
    watch.expect(scope.cloud, scope.key, pending, loadBalancer);
    return true;
  }

  async #create(
    scope: PresentServiceScope,
    balancerSpec: LoadBalancerSpec,
    settings: LoadBalancerSettings,
  ): Promise<void> {
    const { events, memory, watch } = this.#dependencies;
    const { cloud, key, owner, service, tenant } = scope;
    events.normal(tenant, service, 'EnsuringLoadBalancer', 'Ensuring load balancer');
    if (balancerSpec.tlsContainerRef !== undefined)
      await requireTlsContainer(scope, balancerSpec.tlsContainerRef, settings);
    const flavorID = await this.#flavors.require(scope, balancerSpec);
    await this.#dependencies.takeover.reportUnfinishedLoadBalancers(scope);
    const sharers = sharersOfPrevious(scope).map(({ metadata: { uid = '' } }) =>
      sharerTag({ ...owner, serviceUid: uid }),
    );
    const { clusterName } = settings;
    const bodyOf = ({ balancerSpec: placed, place, memberSubnets }: PlacedSpec) => {
      const desired = this.#trees.desired(scope, placed, { clusterName, flavorID, place, memberSubnets });
      const body = createBody(withDefaults(desired, settings));
      return { ...body, tags: [...(body.tags ?? []), ...sharers] };
    };
    const placed = await this.#families.place(scope, balancerSpec);
    const fallback = async (error: unknown) => bodyOf(await this.#families.placeSingleFamily(scope, placed, error));
    const created = await createLoadBalancer(scope, bodyOf(placed), memory, fallback);
    // The next reconcile ensures the floating IP. If there are many Services, this starts the creation of all load
    // balancers first.
    watch.expect(cloud, key, 'build', created);
  }

  async #update(
    scope: PresentServiceScope,
    loadBalancer: LoadBalancer,
    requested: LoadBalancerSpec,
    clusterName: string,
  ): Promise<void> {
    const { clock, recovery, watch } = this.#dependencies;
    const { cloud, key } = scope;
    const state = loadBalancer.provisioning_status;
    if (state === 'ERROR') {
      watch.expect(cloud, key, 'build', loadBalancer);
      return recovery.recoverFromError(
        scope,
        loadBalancer,
        (scope.service.status?.loadBalancer?.ingress?.length ?? 0) > 0,
      );
    }
    if (state === 'ACTIVE') recovery.recordHealthy(key, clock.now());
    const flavorID = await this.#flavors.flavorDifference(scope, requested.flavor);
    const { balancerSpec, vips, memberSubnets, problem } = await this.#families.fitToVips(
      scope,
      requested,
      loadBalancer,
    );
    const desired = this.#trees.desired(scope, balancerSpec, { clusterName, flavorID, memberSubnets });
    this.#warnOfIgnoredChanges(scope, ignoredChanges(desired, loadBalancer));
    const plan = await this.#trees.applyNextChange(scope, loadBalancer, desired);
    if (plan.kind === 'recreate') return;
    const portID = loadBalancer.vip_port_id ?? undefined;
    const floatingIP = portID === undefined ? undefined : await ensureFloatingIp(scope, balancerSpec, portID);
    if (state !== 'ACTIVE') return;
    const addresses = clientAddresses(vips, floatingIP);
    const [address = loadBalancer.vip_address] = addresses;
    const ingress = ingressOf(balancerSpec, addresses);
    const served = { loadBalancerID: loadBalancer.id, isOwn: true, address, ingress, problem };
    if (plan.kind === 'done') watch.settle(key, 'any');
    // A load balancer created without listeners serves no traffic yet, and one being taken over is only partly Fairway's.
    const isComplete = loadBalancer.listeners.length >= desired.ports.length && !isFromUpstream(scope, loadBalancer);
    if (isComplete || plan.kind === 'done') await this.#writeStatus(scope, served, plan);
  }

  #warnOfIgnoredChanges({ service, tenant }: PresentServiceScope, fields: readonly string[]): void {
    if (fields.length === 0) return;
    const message = `an existing load balancer retains its ${fields.join(', ')}: create another Service to change this`;
    this.#dependencies.events.warning(tenant, service, 'LoadBalancerUnchanged', message);
  }

  async #writeStatus(
    scope: PresentServiceScope,
    served: Parameters<typeof patchServedStatus>[1],
    plan: Plan,
  ): Promise<void> {
    const { clock, events } = this.#dependencies;
    const { service, tenant } = scope;
    const isNew = service.status?.loadBalancer?.ingress === undefined;
    // The status stays unchanged while a change is in progress.
    if (!isNew && plan.kind !== 'done') return;
    await patchServedStatus(scope, served, clock.now());
    if (isNew) events.normal(tenant, service, 'EnsuredLoadBalancer', 'Ensured load balancer');
    if (served.problem !== undefined) events.warning(tenant, service, 'SyncLoadBalancerFailed', served.problem);
  }

  /** The oldest load balancer; the others were created by requests that were assumed lost. */
  async #oldest(scope: PresentServiceScope, present: readonly LoadBalancer[]): Promise<LoadBalancer | undefined> {
    const [first, ...extra] = present;
    for (const { id, provisioning_status: state } of extra) {
      if (!state.startsWith('PENDING_')) await deleteLoadBalancer(scope, id, this.#dependencies.memory);
    }
    return first;
  }
}

/**
 * Adds the operator's settings for new load balancers, and the settings that are applied later. OVN has neither flavors
 * nor zones.
 */
function withDefaults(desired: DesiredLoadBalancer, settings: LoadBalancerSettings): DesiredLoadBalancer {
  const { flavorID, availabilityZone } = isOvn(desired.provider) ? {} : settings;
  return {
    ...desired,
    flavorID: desired.flavorID ?? flavorID,
    availabilityZone: desired.availabilityZone ?? availabilityZone,
    ports: settings.isSerial ? [] : desired.ports,
  };
}
