import { OWN_ID_ANNOTATION } from '@fairway/api/limits/service-limits';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { clusterOfTags, FAIRWAY_TAG, serviceTags, sharerTag } from '@fairway/tenancy/cloud/ownership';
import { ProblemError } from '@fairway/tenancy/reconcile/problem-error';
import { ANNOTATION } from './annotation-names.ts';
import { changeTags } from './change-tree.ts';
import { claimFloatingIps } from './floating-ip.ts';
import type { LoadBalancerEvents } from './load-balancer-events.ts';
import type { LoadBalancerWatch } from './load-balancer-watch.ts';
import { loadBalancerName } from './names.ts';
import { ServiceRefused } from './service-refused.ts';
import type { PresentServiceScope } from './service-scope.ts';
import { requireUuid } from './spec-from-service.ts';
import { servicesByLoadBalancer, servicesOf } from './tenant-services.ts';
import type { TreeMemory } from './tree-memory.ts';
import { isUpstreamFloatingIp, isUpstreamTag, notUpstreamReason, type UpstreamMarks } from './upstream-marks.ts';

export interface TakeoverDependencies {
  readonly watch: LoadBalancerWatch;
  readonly memory: TreeMemory;
  readonly events: LoadBalancerEvents;
}

/**
 * Takes over, in place, the load balancer that openstack-cloud-controller-manager created for a Service. The operator
 * must have declared upstream's cluster name to be this cluster's. The Service must refer to the load balancer by ID,
 * and the load balancer's name, description and tags must match the Service. One call adds Fairway's mark; reconciling
 * does the rest. The floating IP is marked first, because nothing would identify it if the load balancer were deleted.
 * Listeners, pools and monitors are marked as they are reconciled: see `unmarked-parts.ts`.
 */
export class Takeover {
  readonly #dependencies: TakeoverDependencies;

  constructor(dependencies: TakeoverDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Takes one step. Resolves with true while the Service must wait, and with false if there is nothing to take over.
   * Rejects with ServiceRefused for a load balancer that looks like upstream's but does not belong to this cluster
   * alone.
   */
  async step(scope: PresentServiceScope): Promise<boolean> {
    const { upstream, service, cloud, projectID } = scope;
    const { [ANNOTATION.loadBalancerID]: named, [OWN_ID_ANNOTATION]: own } = service.metadata.annotations ?? {};
    const id = named?.trim();
    if (upstream === undefined || !id || own === id) return false;
    requireUuid(ANNOTATION.loadBalancerID, id);
    if (cloud.cache.loadBalancers.snapshot().items.has(id)) return false;
    const loadBalancer = await findLoadBalancer(scope, id);
    if (loadBalancer === undefined || !isUpstreamTag(loadBalancer.name ?? '')) return false;
    this.#dependencies.watch.begin(cloud, scope.key);
    if (clusterOfTags(loadBalancer, projectID) !== undefined) {
      // The list is outdated.
      cloud.cache.loadBalancers.invalidate();
      return this.#wait(scope);
    }
    const users = requireOwned(scope, loadBalancer, upstream);
    requireActive(loadBalancer);
    const [host, ...guests] = sortHostFirst(users, loadBalancer, upstream);
    // The first Service takes it over for all users. The next list then enqueues the others.
    if (host?.metadata.uid !== service.metadata.uid) return true;
    return this.#claim(scope, loadBalancer, guests);
  }

  /**
   * Reports load balancers that upstream was still creating for a Service. Nothing proves that they belong to the
   * Service, because upstream had not recorded their IDs.
   */
  async reportUnfinishedLoadBalancers({
    cloud,
    service,
    signal,
    tenant,
    upstream,
  }: PresentServiceScope): Promise<void> {
    if (upstream === undefined) return;
    const { loadBalancers } = cloud.client.loadBalancing;
    for await (const { id, tags } of loadBalancers.list({ name: upstream.tag }, { signal })) {
      if (tags.includes(FAIRWAY_TAG)) continue;
      const message = `load balancer ${id} has the name that openstack-cloud-controller-manager gives to a load balancer of this Service; if it belongs to no other cluster, delete it with \`openstack loadbalancer delete --cascade ${id}\``;
      this.#dependencies.events.warning(tenant, service, 'LoadBalancerLeft', message, id);
    }
  }

  async #claim(scope: PresentServiceScope, loadBalancer: LoadBalancer, guests: readonly Service[]): Promise<boolean> {
    const { events, memory } = this.#dependencies;
    const { owner, service, tenant } = scope;
    await claimFloatingIps(scope, loadBalancer.vip_port_id ?? '', ({ description }) =>
      isUpstreamFloatingIp(description),
    );
    const sharers = guests.map(({ metadata: { uid = '' } }) => sharerTag({ ...owner, serviceUid: uid }));
    const tags = [...new Set([...loadBalancer.tags, ...serviceTags(owner), ...sharers])];
    const isDone = await changeTags(scope, loadBalancer, tags, memory);
    if (isDone) {
      const message = `load balancer ${loadBalancer.id} of openstack-cloud-controller-manager is now managed by Fairway and retains its address`;
      events.normal(tenant, service, 'LoadBalancerTakenOver', message);
    }
    return this.#wait(scope);
  }

  #wait({ cloud, key }: PresentServiceScope): true {
    this.#dependencies.watch.expect(cloud, key, 'update');
    return true;
  }
}

/** The Services that use the load balancer. Throws ServiceRefused unless all its marks refer to this cluster. */
function requireOwned(
  { projectID, service, tenant }: PresentServiceScope,
  loadBalancer: LoadBalancer,
  { clusterName, tag }: UpstreamMarks,
): readonly Service[] {
  const foreign = notUpstreamReason(loadBalancer, clusterName, projectID);
  if (foreign)
    refuse(
      loadBalancer,
      `was not created by openstack-cloud-controller-manager for cluster "${clusterName}": ${foreign}`,
    );
  const { tags, id } = loadBalancer;
  const named = servicesOf(tenant).find(servicesByLoadBalancer, id);
  const users = named.filter(({ metadata }) => tags.includes(loadBalancerName(clusterName, metadata)));
  const known = new Set(users.map(({ metadata }) => loadBalancerName(clusterName, metadata)));
  const foreignTag = tags.find((each) => isUpstreamTag(each) && !known.has(each));
  if (foreignTag !== undefined) {
    const recovery = `remove its tag with \`openstack loadbalancer unset --tag ${foreignTag} ${id}\` if that Service no longer exists`;
    refuse(
      loadBalancer,
      `is also used by ${foreignTag}, which is not a Service of this cluster that refers to it; ${recovery}`,
    );
  }
  if (!known.has(tag) && users.length === 0) {
    refuse(loadBalancer, `does not have the tag of Service ${service.metadata.namespace}/${service.metadata.name}`);
  }
  return users;
}

function refuse({ id }: LoadBalancer, cause: string): never {
  throw new ServiceRefused(
    `annotation ${ANNOTATION.loadBalancerID}: load balancer ${id} cannot be taken over: it ${cause}`,
  );
}

/**
 * Puts first the Service for which upstream created the load balancer; if that Service no longer exists, the order is
 * stable.
 */
function sortHostFirst(
  users: readonly Service[],
  { name }: LoadBalancer,
  { clusterName }: UpstreamMarks,
): readonly Service[] {
  const rank = ({ metadata }: Service) =>
    `${loadBalancerName(clusterName, metadata) === name ? 0 : 1} ${metadata.uid ?? ''}`;
  return users.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/**
 * Throws a ProblemError if the load balancer is pending or in ERROR: Octavia then rejects all changes, even to tags.
 */
function requireActive({ id, provisioning_status: state }: LoadBalancer): void {
  if (state === 'ACTIVE') return;
  const message = `load balancer ${id} is in ${state}, and cannot be taken over until it is ACTIVE`;
  if (state !== 'ERROR') throw new ProblemError({ reason: 'Provisioning', message });
  const advice = `try \`openstack loadbalancer failover ${id}\``;
  throw new ProblemError({ reason: 'CloudUnavailable', message: `${message}: ${advice}` });
}

/** Reads a load balancer that is not in Fairway's lists. Undefined if the load balancer is not visible. */
export async function findLoadBalancer(
  { cloud, signal }: Pick<PresentServiceScope, 'cloud' | 'signal'>,
  id: string,
): Promise<LoadBalancer | undefined> {
  try {
    return await cloud.client.loadBalancing.loadBalancers.get(id, { signal });
  } catch (error) {
    if (isOpenStackError(error, 'notFound') || isOpenStackError(error, 'forbidden')) return undefined;
    throw error;
  }
}
