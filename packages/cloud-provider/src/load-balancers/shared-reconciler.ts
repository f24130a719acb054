import { OWN_ID_ANNOTATION } from '@fairway/api/limits/service-limits';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { FAIRWAY_TAG, serviceOwner, sharersOf, sharerTag } from '@fairway/tenancy/cloud/ownership';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { AddressFamilies } from './address-families.ts';
import { ANNOTATION } from './annotation-names.ts';
import { changeTags } from './change-tree.ts';
import type { DesiredLoadBalancer } from './desired.ts';
import { canonicalAddress, clientAddresses } from './families.ts';
import { releaseFloatingIps, sharedAddress } from './floating-ip.ts';
import { keptFloatingIPName } from './kept-floating-ip.ts';
import type { LoadBalancerSpec } from './load-balancer-spec.ts';
import type { NetworkOwnership } from './network-ownership.ts';
import { ServiceRefused } from './service-refused.ts';
import type { PresentServiceScope } from './service-scope.ts';
import { patchServedStatus, type ServedStatus } from './service-writer.ts';
import type { LoadBalancerSettings } from './settings.ts';
import type { SharedLoadBalancer } from './sharing.ts';
import { specFromService } from './spec-from-service.ts';
import { ingressOf } from './status.ts';
import type { LoadBalancerTreeReconciler, LoadBalancerTreeReconcilerDependencies } from './tree-reconciler.ts';

export interface SharedLoadBalancerReconcilerDependencies
  extends LoadBalancerTreeReconcilerDependencies,
    Pick<CloudProviderDependencies, 'clock'> {
  readonly trees: LoadBalancerTreeReconciler;
  readonly families: AddressFamilies;
  readonly networkOwnership: NetworkOwnership;
}

/** Annotations that are read only from the load balancer's owner. */
const HOST_ONLY_ANNOTATIONS = [
  ANNOTATION.subnetID,
  ANNOTATION.networkID,
  ANNOTATION.portID,
  ANNOTATION.floatingNetworkID,
  ANNOTATION.floatingSubnetID,
  ANNOTATION.floatingSubnet,
  ANNOTATION.floatingSubnetTags,
  ANNOTATION.flavorID,
  ANNOTATION.ovhFlavor,
  ANNOTATION.availabilityZone,
  ANNOTATION.provider,
];

/**
 * Reconciles a Service's parts in a shared load balancer. On the load balancer itself, only the tags are changed,
 * because they identify its users.
 */
export class SharedLoadBalancerReconciler {
  readonly #dependencies: SharedLoadBalancerReconcilerDependencies;

  constructor(dependencies: SharedLoadBalancerReconcilerDependencies) {
    this.#dependencies = dependencies;
  }

  /** Takes one step. Rejects with ServiceRefused for a spec that shared load balancers do not support. */
  async ensurePorts(
    scope: PresentServiceScope,
    shared: SharedLoadBalancer,
    settings: LoadBalancerSettings,
  ): Promise<void> {
    const { families, memory, networkOwnership, trees, watch } = this.#dependencies;
    const { cloud, key, owner, projectID } = scope;
    const { loadBalancer, hostKey } = shared;
    const { provisioning_status: state } = loadBalancer;
    if (state === 'ERROR') throw brokenSharedError(shared);
    if (state !== 'ACTIVE') return watch.expectPendingChange(cloud, key, loadBalancer);
    const hostScope = { ...scope, hostKey };
    const host = serviceOwner(loadBalancer, projectID);
    const floating = await sharedAddress(scope, host, loadBalancer.vip_port_id);
    const requestedSpec = this.#desiredSpec(scope, shared, settings);
    await networkOwnership.require(scope, requestedSpec);
    const { balancerSpec, vips, memberSubnets, problem } = await families.fitToVips(scope, requestedSpec, loadBalancer);
    const addresses = clientAddresses(vips, floating);
    if (vips.some(({ family }) => family === 4)) requireSameScheme(balancerSpec, loadBalancer, floating);
    requireSameAddress(scope, loadBalancer, addresses);
    const { clusterName } = settings;
    const desired = withoutPlacement(
      trees.desired(scope, balancerSpec, { clusterName, flavorID: undefined, memberSubnets }),
    );
    if (!loadBalancer.tags.includes(sharerTag(owner))) {
      requireCapacity(scope, loadBalancer, settings.maxShared);
      await trees.requireFreePorts(hostScope, loadBalancer, desired);
      const tags = [...new Set([...loadBalancer.tags, FAIRWAY_TAG, sharerTag(owner)])];
      await changeTags(hostScope, loadBalancer, tags, memory);
      watch.settle(key, 'update');
      return watch.expect(cloud, key, 'update', loadBalancer);
    }
    const plan = await trees.applyNextChange(hostScope, loadBalancer, desired);
    await releaseFloatingIps(scope, keptFloatingIPName(scope));
    const served = { addresses, ingress: ingressOf(balancerSpec, addresses), problem };
    if (plan.kind === 'done') await this.#writeStatus(scope, shared, served);
  }

  #desiredSpec(
    scope: PresentServiceScope,
    shared: SharedLoadBalancer,
    settings: LoadBalancerSettings,
  ): LoadBalancerSpec {
    const { events } = this.#dependencies;
    const { service, tenant } = scope;
    const ownAnnotations = { ...service.metadata.annotations };
    const ignoredAnnotations = HOST_ONLY_ANNOTATIONS.filter((name) => ownAnnotations[name]);
    for (const name of ignoredAnnotations) delete ownAnnotations[name];
    if (ignoredAnnotations.length > 0) {
      const message = `${ignoredAnnotations.join(', ')}: no effect, because load balancer ${shared.loadBalancer.id} was created for ${nameOf(shared)}`;
      events.warning(tenant, service, 'LoadBalancerUnchanged', message);
    }
    const requestedSpec = { ...service, metadata: { ...service.metadata, annotations: ownAnnotations } };
    const provider = shared.loadBalancer.provider ?? undefined;
    const { balancerSpec, warnings } = specFromService(requestedSpec, { ...settings, provider });
    for (const { reason, message } of warnings) events.warning(tenant, service, reason, message, message);
    return balancerSpec;
  }

  async #writeStatus(
    scope: PresentServiceScope,
    shared: SharedLoadBalancer,
    {
      addresses,
      ingress,
      problem,
    }: Pick<ServedStatus, 'ingress' | 'problem'> & { readonly addresses: readonly string[] },
  ): Promise<void> {
    const { clock, events, watch } = this.#dependencies;
    const { key, service, tenant } = scope;
    const { id } = shared.loadBalancer;
    watch.settle(key, 'any');
    // Wait until the owner has recorded its new load balancer: the owner's records are needed to find users of the
    // previous one.
    if (shared.host && shared.host.metadata.annotations?.[OWN_ID_ANNOTATION] !== id) return;
    const isNew = service.status?.loadBalancer?.ingress === undefined;
    const [address = shared.loadBalancer.vip_address] = addresses;
    await patchServedStatus(scope, { loadBalancerID: id, isOwn: false, address, ingress, problem }, clock.now());
    if (isNew) events.normal(tenant, service, 'EnsuredLoadBalancer', 'Ensured load balancer');
    if (problem !== undefined) events.warning(tenant, service, 'SyncLoadBalancerFailed', problem);
  }
}

function withoutPlacement(desired: DesiredLoadBalancer): DesiredLoadBalancer {
  const { subnetID: _, ...vip } = desired.vip;
  return { ...desired, provider: undefined, vip: { ...vip, subnetID: undefined, address: undefined } };
}

function nameOf({ host, loadBalancer }: SharedLoadBalancer): string {
  return host ? `Service ${host.metadata.namespace}/${host.metadata.name}` : `another owner (${loadBalancer.name})`;
}

function brokenSharedError(shared: SharedLoadBalancer): ProblemError {
  const message = `load balancer ${shared.loadBalancer.id}, created for ${nameOf(shared)}, is in ERROR`;
  return new ProblemError({ reason: 'CloudUnavailable', message });
}

/** All users of a load balancer share its exposure: no Service may make another's internal load balancer public, or become public through it. */
function requireSameScheme({ floatingIP }: LoadBalancerSpec, { id }: LoadBalancer, floating: string | undefined): void {
  const where = `annotation ${ANNOTATION.internal}`;
  if (floatingIP !== undefined && floating === undefined) {
    throw new ServiceRefused(
      `${where}: load balancer ${id} is internal; set it to "true" here too, or specify another one`,
    );
  }
  if (floatingIP === undefined && floating !== undefined) {
    throw new ServiceRefused(
      `${where}: load balancer ${id} is public, at ${floating}; remove it here, or specify another one`,
    );
  }
}

/** All users of a load balancer share its addresses. */
function requireSameAddress(
  { service }: PresentServiceScope,
  { id }: LoadBalancer,
  addresses: readonly string[],
): void {
  const { loadBalancerIP: requestedSpec } = service.spec;
  if (!requestedSpec || addresses.includes(canonicalAddress(requestedSpec) ?? requestedSpec)) return;
  throw new ServiceRefused(
    `spec.loadBalancerIP: load balancer ${id} has the address ${addresses.join(' and ')}; remove it, or specify another one`,
  );
}

function requireCapacity({ projectID }: PresentServiceScope, loadBalancer: LoadBalancer, maxServices: number): void {
  const isFairwayOwned = serviceOwner(loadBalancer, projectID) !== undefined;
  const count = sharersOf(loadBalancer, projectID).length + (isFairwayOwned ? 1 : 0);
  if (count < maxServices) return;
  throw new ServiceRefused(
    `annotation ${ANNOTATION.loadBalancerID}: load balancer ${loadBalancer.id} is used by ${count} Services, but the cloud operator allows ${maxServices}; specify another one`,
  );
}
