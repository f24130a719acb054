import { OWN_ID_ANNOTATION } from '@fairway/api/limits/service-limits';
import type { Service } from '@fairway/kube/kinds/generated/types';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { clusterOfTags, serviceOwner, sharersOf } from '@fairway/tenancy/cloud/ownership';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ANNOTATION } from './annotation-names.ts';
import { hostKeyOf, listenersOn, observeHostedBy, observeShared } from './observation.ts';
import { ServiceRefused } from './service-refused.ts';
import type { PresentServiceScope, ServiceScope } from './service-scope.ts';
import { requireUuid } from './spec-from-service.ts';
import { servicesByLoadBalancer, servicesByUid, servicesOf, wantsLoadBalancer } from './tenant-services.ts';

/** A load balancer that a Service uses but another owner owns. */
export interface SharedLoadBalancer {
  readonly loadBalancer: LoadBalancer;
  readonly hostKey: string;
  /** Its owner; undefined if it belongs to none of Fairway's clusters. */
  readonly host: Service | undefined;
}

export type Placement =
  | { readonly kind: 'own' }
  /** The shared load balancer is being recreated. */
  | { readonly kind: 'wait' }
  | ({ readonly kind: 'shared' } & SharedLoadBalancer);

/**
 * The load balancer that a Service should use. The Service may refer to a load balancer of another Service in its
 * cluster, as proven by tags, or, if the operator allows it, to a load balancer in the project that Fairway did not
 * create. Throws ServiceRefused for any other load balancer. Records of a deleted load balancer are ignored.
 */
export async function placementOf(scope: PresentServiceScope, own: readonly LoadBalancer[]): Promise<Placement> {
  const { cloud, service } = scope;
  const namedID = service.metadata.annotations?.[ANNOTATION.loadBalancerID]?.trim();
  if (!namedID || own.some(({ id }) => id === namedID)) return { kind: 'own' };
  requireUuid(ANNOTATION.loadBalancerID, namedID);
  const listed = cloud.cache.loadBalancers.snapshot().items.get(namedID);
  if (listed) return sharedPlacement(scope, listed);
  if (service.metadata.annotations?.[OWN_ID_ANNOTATION] === namedID) return { kind: 'own' };
  const isOfCluster = (each: LoadBalancer) => clusterOfTags(each, scope.projectID) === scope.owner.clusterUid;
  const successor = observeShared(scope).find(isOfCluster);
  if (successor) return sharedPlacement(scope, successor);
  const named = servicesOf(scope.tenant).find(servicesByLoadBalancer, namedID);
  const isHost = (each: Service) =>
    each.metadata.uid !== service.metadata.uid &&
    each.metadata.annotations?.[OWN_ID_ANNOTATION] === namedID &&
    wantsLoadBalancer(each);
  if (named.some(isHost)) return { kind: 'wait' };
  return sharedPlacement(scope, await fetchUnlisted(scope, namedID));
}

/** Successors of a load balancer's owner: the Services that share the load balancer, longest served first. */
export function successorsOf(scope: ServiceScope, loadBalancer: LoadBalancer): readonly Service[] {
  const { owner, projectID, tenant } = scope;
  const since = new Map<string, string>();
  for (const listener of listenersOn(scope, loadBalancer)) {
    const uid = serviceOwner(listener, projectID)?.serviceUid ?? '';
    const createdAt = listener.created_at ?? '';
    if (createdAt < (since.get(uid) ?? '~')) since.set(uid, createdAt);
  }
  const rank = ({ metadata: { uid = '' } }: Service) => `${since.get(uid) ?? '~'} ${uid}`;
  return sharersOf(loadBalancer, projectID)
    .filter(({ clusterUid }) => clusterUid === owner.clusterUid)
    .flatMap(({ serviceUid }) => servicesOf(tenant).find(servicesByUid, serviceUid))
    .filter((each) => wantsLoadBalancer(each) && refersTo(each, loadBalancer))
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

function refersTo({ metadata }: Service, { id }: LoadBalancer): boolean {
  return metadata.annotations?.[ANNOTATION.loadBalancerID]?.trim() === id;
}

/**
 * Services that used the previous load balancer, according to their annotations, longest served first. Returns at most
 * as many as may share a load balancer.
 */
export function sharersOfPrevious({ service, tenant, cloud }: PresentServiceScope): readonly Service[] {
  const { annotations = {}, uid } = service.metadata;
  const previousIDs = new Set([annotations[ANNOTATION.loadBalancerID], annotations[OWN_ID_ANNOTATION]]);
  return [...previousIDs]
    .flatMap((id) => (id === undefined ? [] : servicesOf(tenant).find(servicesByLoadBalancer, id)))
    .filter(
      (each) =>
        each.metadata.uid !== uid &&
        each.metadata.annotations?.[OWN_ID_ANNOTATION] === undefined &&
        wantsLoadBalancer(each) &&
        each.status?.loadBalancer?.ingress !== undefined,
    )
    .toSorted((a, b) => ((a.metadata.uid ?? '') < (b.metadata.uid ?? '') ? -1 : 1))
    .slice(0, cloud.loadBalancers.maxShared - 1);
}

function sharedPlacement(scope: PresentServiceScope, loadBalancer: LoadBalancer): Placement {
  const { cloud, projectID, tenant } = scope;
  requireSharable(scope, loadBalancer);
  const hostKey = hostKeyOf(loadBalancer, projectID);
  const current = observeHostedBy(cloud, hostKey, loadBalancer);
  if (current === undefined) return { kind: 'wait' };
  return { kind: 'shared', loadBalancer: current, hostKey, host: hostOf(tenant, loadBalancer, projectID) };
}

function hostOf(tenant: TenantCluster, loadBalancer: LoadBalancer, projectID: string): Service | undefined {
  const owner = serviceOwner(loadBalancer, projectID);
  return owner && servicesOf(tenant).find(servicesByUid, owner.serviceUid)[0];
}

function requireSharable({ cloud, owner, projectID }: PresentServiceScope, loadBalancer: LoadBalancer): void {
  const clusterUid = clusterOfTags(loadBalancer, projectID);
  if (clusterUid === owner.clusterUid && serviceOwner(loadBalancer, projectID)) return;
  if (clusterUid === owner.clusterUid) refuse(loadBalancer.id, 'belongs to an Ingress and cannot be shared');
  if (clusterUid !== undefined) refuse(loadBalancer.id, 'belongs to another cluster');
  if (loadBalancer.project_id !== projectID || !cloud.loadBalancers.sharesOthers) refuseMissing(loadBalancer.id);
}

/** Fetches a load balancer that is not in Fairway's lists. */
async function fetchUnlisted({ cloud, signal }: PresentServiceScope, id: string): Promise<LoadBalancer> {
  if (!cloud.loadBalancers.sharesOthers) refuseMissing(id);
  try {
    return await cloud.client.loadBalancing.loadBalancers.get(id, { signal });
  } catch (error) {
    if (isOpenStackError(error, 'notFound') || isOpenStackError(error, 'forbidden')) refuseMissing(id);
    throw error;
  }
}

function refuseMissing(id: string): never {
  refuse(id, 'does not belong to a Service of this cluster');
}

function refuse(id: string, cause: string): never {
  throw new ServiceRefused(
    `annotation ${ANNOTATION.loadBalancerID}: load balancer ${id} ${cause}; specify one of another Service of this cluster, or remove the annotation`,
  );
}
