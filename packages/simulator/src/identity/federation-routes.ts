import { ApiError, type ApiRequest, type ApiResponse, type Route } from '../http/api.ts';
import { escaped } from '../identity-provider/pages.ts';
import { PROVIDER } from '../identity-provider/records.ts';
import type { World } from '../world.ts';
import { claimsFor } from './authenticate.ts';
import { notFound, unauthorized } from './problem.ts';
import { requireMethods } from './receipts.ts';
import { encodeToken } from './token.ts';
import { tokenResponse } from './token-routes.ts';

const WEB_TEMPLATE = '/v3/auth/OS-FEDERATION/websso/{protocol}';
const TEMPLATE = '/v3/OS-FEDERATION/identity_providers/{provider}/protocols/{protocol}/auth';

/**
 * Exchanges a token from the identity provider for an unscoped Keystone token. Users are mapped to local Keystone users
 * by name.
 */
export function federationRoutes(world: World): Route[] {
  return [
    ...['GET', 'POST'].map(
      (method): Route => ({ method, template: TEMPLATE, open: true, handle: (request) => exchange(world, request) }),
    ),
    { method: 'GET', template: WEB_TEMPLATE, open: true, handle: (request) => signInFor(world, request) },
  ];
}

/**
 * Single sign-on for dashboards. In front of a real Keystone, a web server redirects users to the identity provider,
 * and after sign-in back to the same address; here the provider redirects back with a code.
 */
function signInFor(world: World, { params, query, origin }: ApiRequest): ApiResponse {
  const { protocol = '' } = params;
  if (protocol !== PROVIDER.protocol) throw notFound('federation protocol', protocol);
  const dashboard = query.get('origin');
  if (dashboard === null) throw new ApiError(400, 'Request must have an origin query parameter.');
  if (!world.trustedDashboards.has(dashboard)) {
    throw new ApiError(401, `${dashboard} is not a trusted dashboard host`);
  }
  const code = query.get('code');
  if (code === null) {
    const target = new URL(`${origin}${PROVIDER.prefix}/websso`);
    target.searchParams.set('origin', dashboard);
    return { status: 302, headers: { Location: target.href } };
  }
  const grant = world.tables.providerGrants.get(code);
  world.tables.providerGrants.delete(code);
  const user =
    grant?.kind === 'code' && grant.redirectUri === dashboard && grant.expiresMs > world.clock.now()
      ? world.tables.users.get(grant.userId ?? '')
      : undefined;
  if (user?.enabled !== true) throw unauthorized();
  requireMethods(user, [protocol]);
  const identity = { user, methods: [protocol], identityProvider: PROVIDER.id };
  return { status: 200, body: callbackPage(dashboard, encodeToken(world, claimsFor(world, identity, 'unscoped'))) };
}

/** The part of Keystone's `sso_callback_template.html` that dashboards use. */
function callbackPage(dashboard: string, token: string): string {
  return `<!doctype html><title>Keystone WebSSO redirect</title>
<form id="sso" name="sso" action="${escaped(dashboard)}" method="post">Please wait...
<input type="hidden" name="token" id="token" value="${escaped(token)}"></form>
<script>window.onload = () => document.forms['sso'].submit();</script>`;
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
  return tokenResponse(world, request, claimsFor(world, identity, 'unscoped'));
}
