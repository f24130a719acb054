import type { Service } from '@fairway/kube/kinds/generated/types';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { clusterOfTags, serviceOwner, sharersOf } from '@fairway/tenancy/cloud/ownership';
import type { TenantCluster } from '@fairway/tenancy/connection/tenant-clusters';
import { ANNOTATION } from './annotation-names.ts';
import { hostKeyOf, listenersIn, seeHosted, seeShared } from './observation.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LivingScope, ServiceScope } from './service-scope.ts';
import { requireUuid } from './service-wishes.ts';
import { OWN_ID_ANNOTATION } from './service-writer.ts';
import { servicesByBalancer, servicesByUid, servicesOf, wantsLoadBalancer } from './tenant-services.ts';

/** A load balancer that a Service uses which was not made for it. */
export interface SharedBalancer {
  readonly loadBalancer: LoadBalancer;
  readonly hostKey: string;
  /** What it was made for; undefined: for nothing in a cluster of Fairway's. */
  readonly host: Service | undefined;
}

export type Place =
  | { readonly kind: 'own' }
  /** The one that is shared is being made anew. */
  | { readonly kind: 'wait' }
  | ({ readonly kind: 'shared' } & SharedBalancer);

/**
 * Which load balancer a Service is to use. It may name another Service's of its cluster, which marks prove; where the operator allows it also one of the project that
 * no Fairway has made. Throws ServiceRefused for any other. What Fairway itself has noted of one that is gone does not count.
 */
export async function placeOf(scope: LivingScope, own: readonly LoadBalancer[]): Promise<Place> {
  const { cloud, service } = scope;
  const namedID = service.metadata.annotations?.[ANNOTATION.loadBalancerID]?.trim();
  if (!namedID || own.some(({ id }) => id === namedID)) return { kind: 'own' };
  requireUuid(ANNOTATION.loadBalancerID, namedID);
  const listed = cloud.cache.loadBalancers.snapshot().items.get(namedID);
  if (listed) return sharedPlace(scope, listed);
  if (service.metadata.annotations?.[OWN_ID_ANNOTATION] === namedID) return { kind: 'own' };
  const isOfCluster = (each: LoadBalancer) => clusterOfTags(each, scope.projectID) === scope.owner.clusterUid;
  const successor = seeShared(scope).find(isOfCluster);
  if (successor) return sharedPlace(scope, successor);
  const named = servicesOf(scope.tenant).find(servicesByBalancer, namedID);
  const isHost = (each: Service) =>
    each.metadata.uid !== service.metadata.uid &&
    each.metadata.annotations?.[OWN_ID_ANNOTATION] === namedID &&
    wantsLoadBalancer(each);
  if (named.some(isHost)) return { kind: 'wait' };
  return sharedPlace(scope, await unlisted(scope, namedID));
}

/** Heirs of a load balancer, the longest served first: Services that use it beside the one that it was made for. */
export function heirsOf(scope: ServiceScope, loadBalancer: LoadBalancer): readonly Service[] {
  const { owner, projectID, tenant } = scope;
  const since = new Map<string, string>();
  for (const listener of listenersIn(scope, loadBalancer)) {
    const uid = serviceOwner(listener, projectID)?.serviceUid ?? '';
    const madeAt = listener.created_at ?? '';
    if (madeAt < (since.get(uid) ?? '~')) since.set(uid, madeAt);
  }
  const rank = ({ metadata: { uid = '' } }: Service) => `${since.get(uid) ?? '~'} ${uid}`;
  return sharersOf(loadBalancer, projectID)
    .filter(({ clusterUid }) => clusterUid === owner.clusterUid)
    .flatMap(({ serviceUid }) => servicesOf(tenant).find(servicesByUid, serviceUid))
    .filter((each) => wantsLoadBalancer(each) && isNaming(each, loadBalancer))
    .toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

function isNaming({ metadata }: Service, { id }: LoadBalancer): boolean {
  return metadata.annotations?.[ANNOTATION.loadBalancerID]?.trim() === id;
}

/** Services that used the one before, of which notes alone are left: at most as many as may share one, those that were served first. */
export function sharersOfFormer({ service, tenant, cloud }: LivingScope): readonly Service[] {
  const { annotations = {}, uid } = service.metadata;
  const formerIDs = new Set([annotations[ANNOTATION.loadBalancerID], annotations[OWN_ID_ANNOTATION]]);
  return [...formerIDs]
    .flatMap((id) => (id === undefined ? [] : servicesOf(tenant).find(servicesByBalancer, id)))
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

function sharedPlace(scope: LivingScope, loadBalancer: LoadBalancer): Place {
  const { cloud, projectID, tenant } = scope;
  requireSharable(scope, loadBalancer);
  const hostKey = hostKeyOf(loadBalancer, projectID);
  const current = seeHosted(cloud, hostKey, loadBalancer);
  if (current === undefined) return { kind: 'wait' };
  return { kind: 'shared', loadBalancer: current, hostKey, host: hostOf(tenant, loadBalancer, projectID) };
}

function hostOf(tenant: TenantCluster, loadBalancer: LoadBalancer, projectID: string): Service | undefined {
  const owner = serviceOwner(loadBalancer, projectID);
  return owner && servicesOf(tenant).find(servicesByUid, owner.serviceUid)[0];
}

function requireSharable({ cloud, owner, projectID }: LivingScope, loadBalancer: LoadBalancer): void {
  const clusterUid = clusterOfTags(loadBalancer, projectID);
  if (clusterUid === owner.clusterUid && serviceOwner(loadBalancer, projectID)) return;
  if (clusterUid === owner.clusterUid) refuse(loadBalancer.id, 'is an Ingress’s, which serves nothing else');
  if (clusterUid !== undefined) refuse(loadBalancer.id, 'is not of this cluster');
  if (loadBalancer.project_id !== projectID || !cloud.loadBalancers.sharesOthers) refuseUnknown(loadBalancer.id);
}

/** One that no list of Fairway's shows. */
async function unlisted({ cloud, signal }: LivingScope, id: string): Promise<LoadBalancer> {
  if (!cloud.loadBalancers.sharesOthers) refuseUnknown(id);
  try {
    return await cloud.client.loadBalancing.loadBalancers.get(id, { signal });
  } catch (error) {
    if (isOpenStackError(error, 'notFound') || isOpenStackError(error, 'forbidden')) refuseUnknown(id);
    throw error;
  }
}

function refuseUnknown(id: string): never {
  refuse(id, 'is none that a Service of this cluster has');
}

function refuse(id: string, why: string): never {
  throw new ServiceRefused(
    `annotation ${ANNOTATION.loadBalancerID}: load balancer ${id} ${why}; name one of another Service of this cluster, or remove the annotation`,
  );
}
