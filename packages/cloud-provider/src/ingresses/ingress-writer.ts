import { isDeepStrictEqual } from 'node:util';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { isBeingDeleted, removeFinalizer } from '@fairway/kube/controller/finalizers';
import type { IngressLoadBalancerIngress } from '@fairway/kube/kinds/generated/types';
import { Ingresses } from '@fairway/kube/kinds/resources';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { IngressWriteScope } from './ingress-scope.ts';
import { CLEANUP_FINALIZER } from './tenant-ingresses.ts';

/** Writes the Ingress's address to its status if it differs. */
export async function patchIngressStatus(place: IngressWriteScope, ip: string): Promise<void> {
  const ingress: IngressLoadBalancerIngress[] = [{ ip }];
  if (isDeepStrictEqual(place.ingress.status?.loadBalancer?.ingress, ingress)) return;
  await patchStatus(place, ingress);
}

/** Clears the status, then removes the finalizer. */
export async function releaseIngress(place: IngressWriteScope): Promise<void> {
  const { ingress, tenant, signal } = place;
  if (!isBeingDeleted(ingress) && ingress.status?.loadBalancer?.ingress) await patchStatus(place, null);
  const client = tenant.client.resource(Ingresses);
  const { name = '', namespace = '', uid } = ingress.metadata;
  const current = await wrapTenantError(client.get(name, { namespace, signal }));
  if (current.metadata.uid === uid) await wrapTenantError(removeFinalizer(client, current, CLEANUP_FINALIZER));
}

async function patchStatus(
  { ingress, tenant, signal }: IngressWriteScope,
  addresses: readonly IngressLoadBalancerIngress[] | null,
): Promise<void> {
  const { name = '', namespace = '', uid } = ingress.metadata;
  const value = { metadata: { uid }, status: { loadBalancer: { ingress: addresses } } };
  const client = tenant.client.resource(Ingresses);
  const options = { namespace, signal, subresource: 'status' };
  await wrapTenantError(ignoreDeleted(client.patch(name, { type: 'merge', value }, options)));
}
