import { lastFailure } from '@fairway/kube/controller/attempts';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Listener, LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { serviceOwner } from '@fairway/tenancy/cloud/ownership';
import { type Action, slotOf } from './plan.ts';
import { ServiceRefused } from './service-refused.ts';
import type { LivingScope } from './service-scope.ts';
import { servicesByUid, servicesOf } from './tenant-services.ts';

/** Throws ServiceRefused: somebody else's listener has the port. */
export function refuseOccupied({ owner, projectID, tenant }: LivingScope, listener: Listener): never {
  const whose = serviceOwner(listener, projectID);
  const service =
    whose?.clusterUid === owner.clusterUid ? servicesOf(tenant).find(servicesByUid, whose.serviceUid)[0] : undefined;
  const by = service && `Service ${service.metadata.namespace}/${service.metadata.name}`;
  const cure = by ? 'choose another one' : `delete it with \`openstack loadbalancer listener delete ${listener.id}\``;
  throw new ServiceRefused(
    `spec.ports: ${slotOf(listener)} of the load balancer is taken by ${by ?? `listener ${listener.id}`}; ${cure}`,
  );
}

/** Makes a change. Where it makes a listener whose port is taken by one that no list of Fairway's shows, it rejects with ServiceRefused that names it. */
export async function orRefuseOccupied(
  scope: LivingScope,
  action: Action,
  { id }: LoadBalancer,
  change: () => Promise<void>,
): Promise<void> {
  try {
    await change();
  } catch (error) {
    if (action.kind !== 'createListener' || !isOpenStackError(lastFailure(error), 'conflict')) throw error;
    const { listeners } = scope.cloud.client.loadBalancing;
    for await (const listener of listeners.list({ loadbalancer_id: id }, { signal: scope.signal })) {
      const isOwn = serviceOwner(listener, scope.projectID)?.serviceUid === scope.owner.serviceUid;
      if (!isOwn && slotOf(listener) === slotOf(action.listener)) refuseOccupied(scope, listener);
    }
    throw error;
  }
}
