import { ensureFinalizer } from '@fairway/kube/controller/finalizers';
import { Services } from '@fairway/kube/kinds/resources';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { sharerTag } from '@fairway/tenancy/cloud/ownership';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { AddressFamilies, type Placed } from './address-families.ts';
import type { BalancerCure } from './balancer-cure.ts';
import { createBalancer, deleteBalancer } from './change-tree.ts';
import { createBody, type DesiredLoadBalancer } from './desired.ts';
import { reachedAt } from './families.ts';
import { ensureFloatingIp } from './floating-ip.ts';
import { keptOf } from './kept-floating-ip.ts';
import { leaveBalancer } from './leave-balancer.ts';
import { seeBalancers, seeShared } from './observation.ts';
import { keptFields, type Plan } from './plan.ts';
import { isOvn } from './provider-limits.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LivingScope } from './service-scope.ts';
import { wishesOf } from './service-wishes.ts';
import { tellServed } from './service-writer.ts';
import type { LoadBalancerSettings } from './settings.ts';
import { SharedKeeper } from './shared-keeper.ts';
import { type Place, placeOf, sharersOfFormer } from './sharing.ts';
import { ingressOf } from './status.ts';
import type { TakingOver } from './taking-over.ts';
import { CLEANUP_FINALIZER } from './tenant-services.ts';
import { requireTlsContainer } from './tls-container.ts';
import { TreeKeeper, type TreeKeeperDependencies } from './tree-keeper.ts';
import { isOfUpstream } from './unmarked-parts.ts';
import type { Wishes } from './wishes.ts';

export interface KeeperDependencies extends TreeKeeperDependencies, Pick<CloudProviderDependencies, 'clock'> {
  readonly cure: BalancerCure;
  readonly takingOver: TakingOver;
}

/** Makes the load balancer that a Service asks for, and keeps it so. */
export class BalancerKeeper {
  readonly #dependencies: KeeperDependencies;
  readonly #trees: TreeKeeper;
  readonly #shared: SharedKeeper;
  readonly #families: AddressFamilies;

  constructor(dependencies: KeeperDependencies) {
    this.#dependencies = dependencies;
    this.#trees = new TreeKeeper(dependencies);
    this.#families = new AddressFamilies(dependencies.events);
    this.#shared = new SharedKeeper({ ...dependencies, trees: this.#trees, families: this.#families });
  }

  /** One step. Rejects with ServiceRefused for what the Service asks for and can't have, and with what the cloud or the cluster answers. */
  async keep(scope: LivingScope): Promise<void> {
    const { conventions, watch } = this.#dependencies;
    const { cloud, cluster, key, service, tenant } = scope;
    const settings = conventions.loadBalancersOf(cluster, cloud);
    if (settings === undefined) return;
    await ofTenant(ensureFinalizer(tenant.client.resource(Services), service, CLEANUP_FINALIZER));
    const { present, going } = await seeBalancers(scope);
    watch.begin(cloud, key);
    if (present.length + going === 0 && (await this.#dependencies.takingOver.step(scope))) return;
    const place = await placeOf(scope, present);
    if (await this.#leave(scope, place, present)) return;
    if (place.kind === 'wait') return watch.expect(cloud, key, 'build');
    if (place.kind === 'shared') return this.#shared.keep(scope, place, settings);
    const loadBalancer = await this.#theOne(scope, present);
    const wishes = this.#wishes(scope, settings, loadBalancer);
    if (loadBalancer === undefined && going > 0) return watch.expect(cloud, key, 'deletion');
    if (loadBalancer === undefined) return this.#make(scope, wishes, settings);
    await this.#improve(scope, loadBalancer, wishes, settings.clusterName);
  }

  /** One that exists has the provider that it was made with, whatever the cloud's default is now. */
  #wishes(scope: LivingScope, settings: LoadBalancerSettings, loadBalancer: LoadBalancer | undefined): Wishes {
    const provider = loadBalancer ? (loadBalancer.provider ?? undefined) : settings.provider;
    const { wishes, warnings } = wishesOf(scope.service, { ...settings, provider });
    for (const { reason, message } of warnings) {
      this.#dependencies.events.warning(scope.tenant, scope.service, reason, message, message);
    }
    return wishes;
  }

  /** Leaves load balancers that are not the Service's any more, one step. Resolves with whether there was one. */
  async #leave(scope: LivingScope, place: Place, own: readonly LoadBalancer[]): Promise<boolean> {
    const { memory, watch } = this.#dependencies;
    if (place.kind === 'wait') return false;
    const shared = seeShared(scope).filter(({ id }) => place.kind === 'own' || place.loadBalancer.id !== id);
    const [loadBalancer] = [...(place.kind === 'shared' ? own : []), ...shared];
    if (loadBalancer === undefined) return false;
    const awaited = await leaveBalancer(scope, loadBalancer, keptOf(scope), memory);
    if (awaited === 'update') watch.settle(scope.key, 'update');
    watch.expect(scope.cloud, scope.key, awaited, loadBalancer);
    return true;
  }

  async #make(scope: LivingScope, wishes: Wishes, settings: LoadBalancerSettings): Promise<void> {
    const { events, memory, watch } = this.#dependencies;
    const { cloud, key, owner, service, tenant } = scope;
    events.normal(tenant, service, 'EnsuringLoadBalancer', 'Ensuring load balancer');
    if (wishes.tlsContainerRef !== undefined) await requireTlsContainer(scope, wishes.tlsContainerRef, settings);
    const flavorID = await flavorOf(scope, wishes);
    await this.#dependencies.takingOver.tellUnnamed(scope);
    const sharers = sharersOfFormer(scope).map(({ metadata: { uid = '' } }) =>
      sharerTag({ ...owner, serviceUid: uid }),
    );
    const { clusterName } = settings;
    const bodyOf = ({ wishes: placed, place, memberSubnets }: Placed) => {
      const desired = this.#trees.desired(scope, placed, { clusterName, flavorID, place, memberSubnets });
      const body = createBody(withDefaults(desired, settings));
      return { ...body, tags: [...(body.tags ?? []), ...sharers] };
    };
    const placed = await this.#families.place(scope, wishes);
    const otherwise = async (error: unknown) => bodyOf(await this.#families.placeOne(scope, placed, error));
    const made = await createBalancer(scope, bodyOf(placed), memory, otherwise);
    // Its floating IP comes with the next look: of many Services each has its load balancer begun before any has that.
    watch.expect(cloud, key, 'build', made);
  }

  async #improve(scope: LivingScope, loadBalancer: LoadBalancer, asked: Wishes, clusterName: string): Promise<void> {
    const { clock, cure, watch } = this.#dependencies;
    const { cloud, key } = scope;
    const state = loadBalancer.provisioning_status;
    if (state === 'ERROR') {
      watch.expect(cloud, key, 'build', loadBalancer);
      return cure.treat(scope, loadBalancer, (scope.service.status?.loadBalancer?.ingress?.length ?? 0) > 0);
    }
    if (state === 'ACTIVE') cure.isWell(key, clock.now());
    const flavorID = asked.flavor && 'id' in asked.flavor ? asked.flavor.id : undefined;
    const { wishes, vips, memberSubnets, problem } = await this.#families.fit(scope, asked, loadBalancer);
    const desired = this.#trees.desired(scope, wishes, { clusterName, flavorID, memberSubnets });
    this.#warnOfKept(scope, keptFields(desired, loadBalancer));
    const plan = await this.#trees.bringNearer(scope, loadBalancer, desired);
    if (plan.kind === 'recreate') return;
    const portID = loadBalancer.vip_port_id ?? undefined;
    const floating = portID === undefined ? undefined : await ensureFloatingIp(scope, wishes, portID);
    if (state !== 'ACTIVE') return;
    const addresses = reachedAt(vips, floating);
    const [address = loadBalancer.vip_address] = addresses;
    const ingress = ingressOf(wishes, addresses);
    const served = { loadBalancerID: loadBalancer.id, isOwn: true, address, ingress, problem };
    if (plan.kind === 'done') watch.settle(key, 'any');
    // One that was made without listeners serves nobody yet, and one that is taken over is not all Fairway's.
    const isWhole = loadBalancer.listeners.length >= desired.ports.length && !isOfUpstream(scope, loadBalancer);
    if (isWhole || plan.kind === 'done') await this.#tell(scope, served, plan);
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
    if (served.problem !== undefined) events.warning(tenant, service, 'SyncLoadBalancerFailed', served.problem);
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

/** What a load balancer gets of the operator's when it is made, and what it leaves to be made after it. OVN has neither flavors nor zones. */
function withDefaults(desired: DesiredLoadBalancer, settings: LoadBalancerSettings): DesiredLoadBalancer {
  const { flavorID, availabilityZone } = isOvn(desired.provider) ? {} : settings;
  return {
    ...desired,
    flavorID: desired.flavorID ?? flavorID,
    availabilityZone: desired.availabilityZone ?? availabilityZone,
    ports: settings.isSerial ? [] : desired.ports,
  };
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
