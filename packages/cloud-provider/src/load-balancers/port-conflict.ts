import { lastFailure } from '@fairway/kube/controller/attempts';
import { isOpenStackError } from '@fairway/openstack/http/openstack-error';
import type { Listener, LoadBalancer } from '@fairway/openstack/types/load-balancer';
import { serviceOwner } from '@fairway/tenancy/cloud/ownership';
import { type Action, listenerSlot } from './plan.ts';
import { ServiceRefused } from './service-refused.ts';
import type { PresentServiceScope } from './service-scope.ts';
import { servicesByUid, servicesOf } from './tenant-services.ts';

/** Throws ServiceRefused because another owner's listener uses the port. */
export function refuseOccupiedPort({ owner, projectID, tenant }: PresentServiceScope, listener: Listener): never {
  const ownerText = serviceOwner(listener, projectID);
  const service =
    ownerText?.clusterUid === owner.clusterUid
      ? servicesOf(tenant).find(servicesByUid, ownerText.serviceUid)[0]
      : undefined;
  const by = service && `Service ${service.metadata.namespace}/${service.metadata.name}`;
  const recovery = by ? 'use another port' : `delete it with \`openstack loadbalancer listener delete ${listener.id}\``;
  throw new ServiceRefused(
    `spec.ports: ${listenerSlot(listener)} of the load balancer is already used by ${by ?? `listener ${listener.id}`}; ${recovery}`,
  );
}

/**
 * Applies a change. If an unlisted listener occupies the port of a new listener, rejects with a ServiceRefused that
 * identifies it.
 */
export async function rejectOccupiedPort(
  scope: PresentServiceScope,
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
      if (!isOwn && listenerSlot(listener) === listenerSlot(action.listener)) refuseOccupiedPort(scope, listener);
    }
    throw error;
  }
}
