import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { FAIRWAY_TAG, serviceOwner, sharersOf, sharerTag } from '@fairway/tenancy/cloud/ownership';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import type { CloudProviderDependencies } from '../dependencies.ts';
import type { AddressFamilies } from './address-families.ts';
import { ANNOTATION } from './annotation-names.ts';
import { changeTags } from './change-tree.ts';
import type { DesiredLoadBalancer } from './desired.ts';
import { canonical, reachedAt } from './families.ts';
import { releaseFloatingIps, sharedAddress } from './floating-ip.ts';
import { keptOf } from './kept-floating-ip.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LivingScope } from './service-scope.ts';
import { wishesOf } from './service-wishes.ts';
import { OWN_ID_ANNOTATION, type Served, tellServed } from './service-writer.ts';
import type { LoadBalancerSettings } from './settings.ts';
import type { SharedBalancer } from './sharing.ts';
import { ingressOf } from './status.ts';
import type { TreeKeeper, TreeKeeperDependencies } from './tree-keeper.ts';
import type { Wishes } from './wishes.ts';

export interface SharedKeeperDependencies extends TreeKeeperDependencies, Pick<CloudProviderDependencies, 'clock'> {
  readonly trees: TreeKeeper;
  readonly families: AddressFamilies;
}

/** What whoever has a load balancer decides for all who use it. */
const OF_THE_HOST = [
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

/** Keeps what a Service has in a load balancer that was not made for it. Of the load balancer itself nothing is changed but its tags: they say who uses it. */
export class SharedKeeper {
  readonly #dependencies: SharedKeeperDependencies;

  constructor(dependencies: SharedKeeperDependencies) {
    this.#dependencies = dependencies;
  }

  /** One step. Rejects with ServiceRefused for what the Service asks for and can't have here. */
  async keep(scope: LivingScope, shared: SharedBalancer, settings: LoadBalancerSettings): Promise<void> {
    const { families, memory, trees, watch } = this.#dependencies;
    const { cloud, key, owner, projectID } = scope;
    const { loadBalancer, hostKey } = shared;
    const { provisioning_status: state } = loadBalancer;
    if (state === 'ERROR') throw broken(shared);
    if (state !== 'ACTIVE') return watch.expectEnd(cloud, key, loadBalancer);
    const hosted = { ...scope, hostKey };
    const host = serviceOwner(loadBalancer, projectID);
    const floating = await sharedAddress(scope, host, loadBalancer.vip_port_id);
    const asked = this.#wishes(scope, shared, settings);
    const { wishes, vips, memberSubnets, problem } = await families.fit(scope, asked, loadBalancer);
    const addresses = reachedAt(vips, floating);
    if (vips.some(({ family }) => family === 4)) requireSamePublicity(wishes, loadBalancer, floating);
    requireSameAddress(scope, loadBalancer, addresses);
    const { clusterName } = settings;
    const desired = asGuest(trees.desired(scope, wishes, { clusterName, flavorID: undefined, memberSubnets }));
    if (!loadBalancer.tags.includes(sharerTag(owner))) {
      requireRoom(scope, loadBalancer, settings.maxShared);
      await trees.requireFree(hosted, loadBalancer, desired);
      const tags = [...new Set([...loadBalancer.tags, FAIRWAY_TAG, sharerTag(owner)])];
      await changeTags(hosted, loadBalancer, tags, memory);
      watch.settle(key, 'update');
      return watch.expect(cloud, key, 'update', loadBalancer);
    }
    const plan = await trees.bringNearer(hosted, loadBalancer, desired);
    await releaseFloatingIps(scope, keptOf(scope));
    const served = { addresses, ingress: ingressOf(wishes, addresses), problem };
    if (plan.kind === 'done') await this.#tell(scope, shared, served);
  }

  #wishes(scope: LivingScope, shared: SharedBalancer, settings: LoadBalancerSettings): Wishes {
    const { events } = this.#dependencies;
    const { service, tenant } = scope;
    const given = { ...service.metadata.annotations };
    const idle = OF_THE_HOST.filter((name) => given[name]);
    for (const name of idle) delete given[name];
    if (idle.length > 0) {
      const message = `${idle.join(', ')}: no effect, as load balancer ${shared.loadBalancer.id} was made for ${nameOf(shared)}`;
      events.warning(tenant, service, 'LoadBalancerUnchanged', message);
    }
    const asked = { ...service, metadata: { ...service.metadata, annotations: given } };
    const provider = shared.loadBalancer.provider ?? undefined;
    const { wishes, warnings } = wishesOf(asked, { ...settings, provider });
    for (const { reason, message } of warnings) events.warning(tenant, service, reason, message, message);
    return wishes;
  }

  async #tell(
    scope: LivingScope,
    shared: SharedBalancer,
    { addresses, ingress, problem }: Pick<Served, 'ingress' | 'problem'> & { readonly addresses: readonly string[] },
  ): Promise<void> {
    const { clock, events, watch } = this.#dependencies;
    const { key, service, tenant } = scope;
    const { id } = shared.loadBalancer;
    watch.settle(key, 'any');
    // Until the other one has noted its new one, nobody else does: who shared the one before is found by it.
    if (shared.host && shared.host.metadata.annotations?.[OWN_ID_ANNOTATION] !== id) return;
    const isNew = service.status?.loadBalancer?.ingress === undefined;
    const [address = shared.loadBalancer.vip_address] = addresses;
    await tellServed(scope, { loadBalancerID: id, isOwn: false, address, ingress, problem }, clock.now());
    if (isNew) events.normal(tenant, service, 'EnsuredLoadBalancer', 'Ensured load balancer');
    if (problem !== undefined) events.warning(tenant, service, 'SyncLoadBalancerFailed', problem);
  }
}

function asGuest(desired: DesiredLoadBalancer): DesiredLoadBalancer {
  const { subnetID: _, ...vip } = desired.vip;
  return { ...desired, provider: undefined, vip: { ...vip, subnetID: undefined, address: undefined } };
}

function nameOf({ host, loadBalancer }: SharedBalancer): string {
  return host ? `Service ${host.metadata.namespace}/${host.metadata.name}` : `somebody else (${loadBalancer.name})`;
}

function broken(shared: SharedBalancer): ProblemError {
  const message = `load balancer ${shared.loadBalancer.id}, made for ${nameOf(shared)}, is in ERROR`;
  return new ProblemError({ reason: 'CloudUnavailable', message });
}

/** Whoever uses it is as public as it is: nobody makes another's internal load balancer public, or is made public by another's. */
function requireSamePublicity({ floatingIP }: Wishes, { id }: LoadBalancer, floating: string | undefined): void {
  const where = `annotation ${ANNOTATION.internal}`;
  if (floatingIP !== undefined && floating === undefined) {
    throw new ServiceRefused(
      `${where}: load balancer ${id} is internal; set it to "true" here too, or name another one`,
    );
  }
  if (floatingIP === undefined && floating !== undefined) {
    throw new ServiceRefused(
      `${where}: load balancer ${id} is public, at ${floating}; remove it here, or name another one`,
    );
  }
}

/** Whoever uses it has its addresses. */
function requireSameAddress({ service }: LivingScope, { id }: LoadBalancer, addresses: readonly string[]): void {
  const { loadBalancerIP: asked } = service.spec;
  if (!asked || addresses.includes(canonical(asked) ?? asked)) return;
  throw new ServiceRefused(
    `spec.loadBalancerIP: load balancer ${id} has the address ${addresses.join(' and ')}; leave it out, or name another one`,
  );
}

function requireRoom({ projectID }: LivingScope, loadBalancer: LoadBalancer, most: number): void {
  const isMade = serviceOwner(loadBalancer, projectID) !== undefined;
  const count = sharersOf(loadBalancer, projectID).length + (isMade ? 1 : 0);
  if (count < most) return;
  throw new ServiceRefused(
    `annotation ${ANNOTATION.loadBalancerID}: load balancer ${loadBalancer.id} is used by ${count} Services, and the cloud’s operator allows ${most}; name another one`,
  );
}
