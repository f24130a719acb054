import { isDeepStrictEqual } from 'node:util';
import { ignoreDeleted } from '@fairway/kube/client/ignore-not-found';
import { removeFinalizer } from '@fairway/kube/controller/finalizers';
import { wrapTenantError } from '@fairway/tenancy/connection/tenant-problem';
import type { GatewayWriteScope } from './gateway-scope.ts';
import { Gateways, type HttpRoute, HttpRoutes } from './kinds.ts';
import type { GatewayStatus, RouteParentStatus } from './schemas.ts';
import { CLEANUP_FINALIZER } from './tenant-gateways.ts';

/** Writes the status of a Gateway if it differs. */
export async function patchGatewayStatus(
  { gateway, tenant, signal }: GatewayWriteScope,
  status: GatewayStatus,
): Promise<void> {
  if (isDeepStrictEqual(gateway.status, status)) return;
  const { name = '', namespace = '', uid } = gateway.metadata;
  const value = { metadata: { uid }, status: { ...status, addresses: status.addresses ?? null } };
  const options = { namespace, signal, subresource: 'status' };
  await wrapTenantError(ignoreDeleted(tenant.client.resource(Gateways).patch(name, { type: 'merge', value }, options)));
}

/** Removes the finalizer. */
export async function releaseGateway({ gateway, tenant, signal }: GatewayWriteScope): Promise<void> {
  const client = tenant.client.resource(Gateways);
  const { name = '', namespace = '', uid } = gateway.metadata;
  const current = await wrapTenantError(client.get(name, { namespace, signal }));
  if (current.metadata.uid === uid) await wrapTenantError(removeFinalizer(client, current, CLEANUP_FINALIZER));
}

/**
 * Writes the parent status of a route. Other controllers write to the same list, so a route that has changed since it
 * was read is skipped and reconciled again.
 */
export async function patchRouteStatus(
  { tenant, signal }: Pick<GatewayWriteScope, 'tenant' | 'signal'>,
  route: HttpRoute,
  parents: readonly RouteParentStatus[],
): Promise<void> {
  if (isDeepStrictEqual(route.parents, parents)) return;
  const { name = '', namespace = '', uid, resourceVersion } = route.metadata;
  const value = { metadata: { uid, resourceVersion }, status: { parents } };
  const options = { namespace, signal, subresource: 'status' };
  await wrapTenantError(
    ignoreDeleted(tenant.client.resource(HttpRoutes).patch(name, { type: 'merge', value }, options)),
  );
}
