import { ensureFinalizer } from '@fairway/kube/controller/finalizers';
import { Ingresses } from '@fairway/kube/kinds/resources';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { machinesByCluster } from '@fairway/tenancy/cache-indexes';
import { ingressTags } from '@fairway/tenancy/cloud/ownership';
import { ofTenant } from '@fairway/tenancy/connection/tenant-problem';
import type { CloudProviderDependencies } from '../dependencies.ts';
import { BACKEND_HINT, placeOf } from '../l7/backends.ts';
import { staysWhereItIs } from '../l7/balancer-place.ts';
import type { DesiredRouting } from '../l7/desired-routing.ts';
import type { PolicyLists } from '../l7/policy-lists.ts';
import type { Backend } from '../l7/route.ts';
import { ALL_NODES, improveRouting, makeRouted, theOne } from '../l7/routed-balancer.ts';
import type { BalancerCure } from '../load-balancers/balancer-cure.ts';
import type { BalancerEvents } from '../load-balancers/balancer-events.ts';
import type { BalancingWatch } from '../load-balancers/balancing-watch.ts';
import { ensureFloatingIp } from '../load-balancers/floating-ip.ts';
import { memberNodes } from '../load-balancers/member-nodes.ts';
import { memberAddresses } from '../load-balancers/members.ts';
import { seeBalancers } from '../load-balancers/observation.ts';
import type { LoadBalancerSettings } from '../load-balancers/settings.ts';
import { servicesOf } from '../load-balancers/tenant-services.ts';
import type { TreeMemory } from '../load-balancers/tree-memory.ts';
import type { Certificates, KeptCertificates } from '../tls/kept-certificates.ts';
import type { TenantSecrets } from '../tls/tenant-secrets.ts';
import { desiredIngress } from './desired.ts';
import { ensureIngressCertificates } from './ingress-certificates.ts';
import type { LivingIngress } from './ingress-scope.ts';
import { backendsOf, type IngressWishes, ingressWishesOf } from './ingress-wishes.ts';
import { tellAddress } from './ingress-writer.ts';
import { CLEANUP_FINALIZER } from './tenant-ingresses.ts';

export interface IngressKeeperDependencies extends Pick<CloudProviderDependencies, 'cache' | 'clock' | 'conventions'> {
  readonly watch: BalancingWatch;
  readonly memory: TreeMemory;
  readonly policies: PolicyLists;
  readonly cure: BalancerCure;
  readonly events: BalancerEvents;
  readonly secrets: TenantSecrets;
  readonly certificates: KeptCertificates;
}

/** Makes the load balancer that an Ingress asks for, and keeps it so. */
export class IngressKeeper {
  readonly #dependencies: IngressKeeperDependencies;
  /** Keys of those that are being changed. */
  readonly #changing = new Set<string>();

  constructor(dependencies: IngressKeeperDependencies) {
    this.#dependencies = dependencies;
  }

  /** One step. Rejects with ServiceRefused for what the Ingress asks for and can't have, and with what the cloud or the cluster answers. */
  async keep(scope: LivingIngress): Promise<void> {
    const { certificates: store, conventions, events, watch } = this.#dependencies;
    const { cloud, cluster, ingress, key, tenant } = scope;
    const settings = conventions.loadBalancersOf(cluster, cloud);
    if (settings === undefined) return;
    const { wishes, warnings } = ingressWishesOf(ingress, settings);
    for (const { reason, message } of warnings) events.warning(tenant, ingress, reason, message, message);
    await ofTenant(ensureFinalizer(tenant.client.resource(Ingresses), ingress, CLEANUP_FINALIZER));
    const { present, going } = await seeBalancers(scope);
    const loadBalancer = await theOne(scope, present, this.#dependencies.memory);
    watch.begin(cloud, key);
    if (loadBalancer === undefined && going > 0) return watch.expect(cloud, key, 'deletion');
    this.#warnOfBackends(scope, wishes);
    const certificates = await ensureIngressCertificates(scope, wishes.tls, this.#dependencies);
    // It comes again when they are read.
    if (certificates === 'unread') return;
    const desired = this.#desired(scope, wishes, settings, certificates);
    if (loadBalancer === undefined) {
      store.serves(key, certificates ?? []);
      return this.#make(scope, wishes, desired);
    }
    await this.#improve(scope, loadBalancer, wishes, desired, certificates ?? []);
  }

  forget(key: string): void {
    this.#changing.delete(key);
  }

  async #make(scope: LivingIngress, wishes: IngressWishes, desired: DesiredRouting): Promise<void> {
    const { events } = this.#dependencies;
    const { ingress, tenant } = scope;
    events.normal(tenant, ingress, 'Creating', 'Creating load balancer');
    const made = await makeRouted(scope, desired, this.#dependencies, (reason, message) =>
      events.warning(tenant, ingress, reason, message),
    );
    if (made.vip_port_id) await ensureFloatingIp(scope, wishes, made.vip_port_id);
  }

  async #improve(
    scope: LivingIngress,
    loadBalancer: LoadBalancer,
    wishes: IngressWishes,
    desired: DesiredRouting,
    used: readonly string[],
  ): Promise<void> {
    const { certificates, clock, cure, events, watch } = this.#dependencies;
    const { cloud, ingress, key, tenant } = scope;
    const stays = staysWhereItIs(wishes.place, loadBalancer);
    if (stays) events.warning(tenant, ingress, 'LoadBalancerUnchanged', stays);
    const isNew = ingress.status?.loadBalancer?.ingress === undefined;
    const state = loadBalancer.provisioning_status;
    if (state === 'ERROR') {
      watch.expect(cloud, key, 'build', loadBalancer);
      return cure.treat(scope, loadBalancer, !isNew);
    }
    if (state === 'ACTIVE') cure.isWell(key, clock.now());
    const progress = await improveRouting(scope, loadBalancer, desired, this.#dependencies);
    if (progress === 'changed') this.#changing.add(key);
    if (progress === 'done') certificates.serves(key, used);
    const portID = loadBalancer.vip_port_id ?? undefined;
    const floating = portID === undefined ? undefined : await ensureFloatingIp(scope, wishes, portID);
    if (progress === 'done') await this.#tell(scope, floating ?? loadBalancer.vip_address, isNew);
  }

  async #tell(scope: LivingIngress, address: string, isNew: boolean): Promise<void> {
    const { events, watch } = this.#dependencies;
    const { ingress, key, tenant } = scope;
    watch.settle(key, 'any');
    await tellAddress(scope, address);
    const isChanged = this.#changing.delete(key);
    if (isNew) events.normal(tenant, ingress, 'Created', `Load balancer is reached at ${address}`);
    else if (isChanged) events.normal(tenant, ingress, 'Updated', 'Load balancer is as the Ingress says');
  }

  #desired(
    scope: LivingIngress,
    wishes: IngressWishes,
    settings: LoadBalancerSettings,
    certificates: Certificates | undefined,
  ): DesiredRouting {
    const { machines } = this.#dependencies.cache;
    const { ingress, owner, tenant } = scope;
    const nodes = memberNodes(scope, machines.find(machinesByCluster, tenant.clusterKey));
    return desiredIngress(wishes, {
      settings,
      ingress: ingress.metadata,
      members: memberAddresses(nodes, ALL_NODES),
      tags: ingressTags(owner),
      placeOf: (backend) => placeOf(backend, serviceOf(scope, backend)),
      certificates,
    });
  }

  #warnOfBackends(scope: LivingIngress, wishes: IngressWishes): void {
    const { ingress, tenant } = scope;
    for (const backend of backendsOf(wishes)) {
      const place = placeOf(backend, serviceOf(scope, backend));
      if (!('problem' in place)) continue;
      const message = `${place.problem}; ${BACKEND_HINT}`;
      this.#dependencies.events.warning(tenant, ingress, 'BackendNotReady', message, message);
    }
  }
}

function serviceOf({ ingress, tenant }: LivingIngress, { service }: Backend) {
  return servicesOf(tenant).get(`${ingress.metadata.namespace}/${service}`);
}
