import type { ApiRequest, ApiResponse, Route } from '../http/api.ts';
import { PROVIDER } from '../identity-provider/records.ts';
import type { World } from '../world.ts';
import { claimsFor } from './authenticate.ts';
import { notFound, unauthorized } from './problem.ts';
import { requireMethods } from './receipts.ts';
import { issued } from './token-routes.ts';

const TEMPLATE = '/v3/OS-FEDERATION/identity_providers/{provider}/protocols/{protocol}/auth';

/**
 * Where a token of the identity provider becomes an unscoped one of Keystone. As with a mapping to local users: the provider's user and
 * Keystone's of the same name are one.
 */
export function federationRoutes(world: World): Route[] {
  return ['GET', 'POST'].map((method) => ({
    method,
    template: TEMPLATE,
    open: true,
    handle: (request) => exchange(world, request),
  }));
}

function exchange(world: World, request: ApiRequest): ApiResponse {
  const { provider = '', protocol = '' } = request.params;
  if (provider !== PROVIDER.id || protocol !== PROVIDER.protocol) {
    throw notFound('federation protocol', `${provider}/${protocol}`);
  }
  const [, token = ''] = /^Bearer (.+)$/.exec(request.headers.authorization ?? '') ?? [];
  const userId = world.providerKey.subject(token, world.clock.now());
  const user = userId === undefined ? undefined : world.tables.users.get(userId);
  if (user?.enabled !== true) throw unauthorized();
  requireMethods(user, [protocol]);
  const identity = { user, methods: [protocol], identityProvider: provider };
  return issued(world, request, claimsFor(world, identity, 'unscoped'));
}
