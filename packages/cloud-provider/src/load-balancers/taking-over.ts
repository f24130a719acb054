import type { Service } from '@fairway/kube/kinds/generated/types';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { clusterOfTags, FAIRWAY_TAG, serviceTags, sharerTag } from '@fairway/tenancy/cloud/ownership';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { ANNOTATION } from './annotation-names.ts';
import type { BalancerEvents } from './balancer-events.ts';
import type { BalancingWatch } from './balancing-watch.ts';
import { changeTags } from './change-tree.ts';
import { claimFloatingIps } from './floating-ip.ts';
import { loadBalancerName } from './names.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LivingScope } from './service-scope.ts';
import { requireUuid } from './service-wishes.ts';
import { OWN_ID_ANNOTATION } from './service-writer.ts';
import { servicesByBalancer, servicesOf } from './tenant-services.ts';
import type { TreeMemory } from './tree-memory.ts';
import { foreignness, isUpstreamFloatingIp, isUpstreamTag, type UpstreamMarks } from './upstream-marks.ts';

export interface TakingOverDependencies {
  readonly watch: BalancingWatch;
  readonly memory: TreeMemory;
  readonly events: BalancerEvents;
}

/**
 * Takes over, in place, the load balancer that openstack-cloud-controller-manager made for a Service, where the operator has said that upstream's cluster name was
 * this cluster's: the Service names it by its id, and its name, its description and its tags are those of the Service. It gets Fairway's mark, by one call that all
 * else follows from; its floating IP gets its own before, as nothing would lead to it if the load balancer went. Listeners, pools and monitors are marked as they are
 * brought to what the Service asks for: see `unmarked-parts.ts`.
 */
export class TakingOver {
  readonly #dependencies: TakingOverDependencies;

  constructor(dependencies: TakingOverDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * One step. Resolves with whether there is something to be waited for; false: there is nothing to take over. Rejects with ServiceRefused for a load balancer that
   * looks like upstream's and is not this cluster's, or not its alone.
   */
  async step(scope: LivingScope): Promise<boolean> {
    const { upstream, service, cloud, projectID } = scope;
    const { [ANNOTATION.loadBalancerID]: named, [OWN_ID_ANNOTATION]: own } = service.metadata.annotations ?? {};
    const id = named?.trim();
    if (upstream === undefined || !id || own === id) return false;
    requireUuid(ANNOTATION.loadBalancerID, id);
    if (cloud.cache.loadBalancers.snapshot().items.has(id)) return false;
    const loadBalancer = await seen(scope, id);
    if (loadBalancer === undefined || !isUpstreamTag(loadBalancer.name ?? '')) return false;
    this.#dependencies.watch.begin(cloud, scope.key);
    if (clusterOfTags(loadBalancer, projectID) !== undefined) {
      // The list is behind.
      cloud.cache.loadBalancers.invalidate();
      return this.#wait(scope);
    }
    const users = requireOwn(scope, loadBalancer, upstream);
    requireActive(loadBalancer);
    const [host, ...guests] = hostFirst(users, loadBalancer, upstream);
    // Whoever it was made for takes it over, for all: the list that shows it then brings the others here.
    if (host?.metadata.uid !== service.metadata.uid) return true;
    return this.#take(scope, loadBalancer, guests);
  }

  /** Tells of what upstream was making for a Service when it ended: nothing says that it is this one's, as it had not noted its id. */
  async tellUnnamed({ cloud, service, signal, tenant, upstream }: LivingScope): Promise<void> {
    if (upstream === undefined) return;
    const { loadBalancers } = cloud.client.loadBalancing;
    for await (const { id, tags } of loadBalancers.list({ name: upstream.tag }, { signal })) {
      if (tags.includes(FAIRWAY_TAG)) continue;
      const message = `load balancer ${id} has the name of this Service's at openstack-cloud-controller-manager; if it is, and no other cluster's, delete it with \`openstack loadbalancer delete --cascade ${id}\``;
      this.#dependencies.events.warning(tenant, service, 'LoadBalancerLeft', message, id);
    }
  }

  async #take(scope: LivingScope, loadBalancer: LoadBalancer, guests: readonly Service[]): Promise<boolean> {
    const { events, memory } = this.#dependencies;
    const { owner, service, tenant } = scope;
    await claimFloatingIps(scope, loadBalancer.vip_port_id ?? '', ({ description }) =>
      isUpstreamFloatingIp(description),
    );
    const sharers = guests.map(({ metadata: { uid = '' } }) => sharerTag({ ...owner, serviceUid: uid }));
    const tags = [...new Set([...loadBalancer.tags, ...serviceTags(owner), ...sharers])];
    const isDone = await changeTags(scope, loadBalancer, tags, memory);
    if (isDone) {
      const message = `load balancer ${loadBalancer.id} of openstack-cloud-controller-manager is Fairway's from now on, with its address`;
      events.normal(tenant, service, 'LoadBalancerTakenOver', message);
    }
    return this.#wait(scope);
  }

  #wait({ cloud, key }: LivingScope): true {
    this.#dependencies.watch.expect(cloud, key, 'update');
    return true;
  }
}

/** The Services that use it. Throws ServiceRefused unless all that it says of itself is of this cluster. */
function requireOwn(
  { projectID, service, tenant }: LivingScope,
  loadBalancer: LoadBalancer,
  { clusterName, tag }: UpstreamMarks,
): readonly Service[] {
  const foreign = foreignness(loadBalancer, clusterName, projectID);
  if (foreign) refuse(loadBalancer, `is none that upstream made for cluster "${clusterName}": ${foreign}`);
  const { tags, id } = loadBalancer;
  const named = servicesOf(tenant).find(servicesByBalancer, id);
  const users = named.filter(({ metadata }) => tags.includes(loadBalancerName(clusterName, metadata)));
  const known = new Set(users.map(({ metadata }) => loadBalancerName(clusterName, metadata)));
  const stranger = tags.find((each) => isUpstreamTag(each) && !known.has(each));
  if (stranger !== undefined) {
    const cure = `remove its tag with \`openstack loadbalancer unset --tag ${stranger} ${id}\` if it is no more`;
    refuse(loadBalancer, `is used by ${stranger} too, which is no Service of this cluster that names it; ${cure}`);
  }
  if (!known.has(tag) && users.length === 0) {
    refuse(loadBalancer, `does not have the tag of Service ${service.metadata.namespace}/${service.metadata.name}`);
  }
  return users;
}

function refuse({ id }: LoadBalancer, why: string): never {
  throw new ServiceRefused(
    `annotation ${ANNOTATION.loadBalancerID}: load balancer ${id} can't be taken over: it ${why}`,
  );
}

/** Whom upstream made it for; where that is gone, always the same one of those that use it. */
function hostFirst(
  users: readonly Service[],
  { name }: LoadBalancer,
  { clusterName }: UpstreamMarks,
): readonly Service[] {
  const rank = ({ metadata }: Service) =>
    `${loadBalancerName(clusterName, metadata) === name ? 0 : 1} ${metadata.uid ?? ''}`;
  return users.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** Octavia takes no change of what is in ERROR or pending, its tags included. Throws a ProblemError then. */
function requireActive({ id, provisioning_status: state }: LoadBalancer): void {
  if (state === 'ACTIVE') return;
  const message = `load balancer ${id} is in ${state}, and can't be taken over before it is ACTIVE`;
  if (state !== 'ERROR') throw new ProblemError({ reason: 'Provisioning', message });
  const advice = `try \`openstack loadbalancer failover ${id}\``;
  throw new ProblemError({ reason: 'CloudUnavailable', message: `${message}: ${advice}` });
}

/** Of no list of Fairway's. Undefined where the cloud shows none. */
export async function seen(
  { cloud, signal }: Pick<LivingScope, 'cloud' | 'signal'>,
  id: string,
): Promise<LoadBalancer | undefined> {
  try {
    return await cloud.client.loadBalancing.loadBalancers.get(id, { signal });
  } catch (error) {
    if (isOpenStackError(error, 'notFound') || isOpenStackError(error, 'forbidden')) return undefined;
    throw error;
  }
}
