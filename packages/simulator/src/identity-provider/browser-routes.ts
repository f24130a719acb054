import type { ApiRequest, ApiResponse, Route } from '../http/api.ts';
import type { User } from '../identity/records.ts';
import { SERVICE_LIST } from '../service-list.ts';
import type { World } from '../world.ts';
import { OAuthError } from './oauth-error.ts';
import { page, signInPage } from './pages.ts';
import { PROVIDER, PUBLIC_CLIENT } from './records.ts';

const CODE_LIFETIME_MS = 60_000;

/** Pages for users: sign-in for an application on the user's machine, and confirmation of a device. */
export function browserRoutes(world: World): Route[] {
  const { prefix } = PROVIDER;
  return [
    {
      method: 'GET',
      template: '/authorize',
      open: true,
      handle: ({ query }) => {
        requireLocalRedirect(query);
        return signInPage(`${prefix}/authorize`, Object.fromEntries(query));
      },
    },
    { method: 'POST', template: '/authorize', open: true, handle: (request) => authorize(world, request) },
    {
      method: 'GET',
      template: '/device',
      open: true,
      handle: ({ query }) => signInPage(`${prefix}/device`, Object.fromEntries(query)),
    },
    { method: 'POST', template: '/device', open: true, handle: (request) => confirmCode(world, request) },
    {
      method: 'GET',
      template: '/websso',
      open: true,
      handle: ({ query }) => signInPage(`${prefix}/websso`, Object.fromEntries(query)),
    },
    { method: 'POST', template: '/websso', open: true, handle: (request) => signInForKeystone(world, request) },
  ];
}

/** The fields of a form. */
export function formOf({ rawBody }: ApiRequest): URLSearchParams {
  return new URLSearchParams(rawBody.toString());
}

function authorize(world: World, request: ApiRequest): ApiResponse {
  const form = formOf(request);
  const redirectUri = requireLocalRedirect(form);
  const target = new URL(redirectUri);
  const state = form.get('state');
  if (state !== null) target.searchParams.set('state', state);
  target.searchParams.set('iss', `${request.origin}${PROVIDER.prefix}`);
  const leave = (): ApiResponse => ({ status: 302, headers: { Location: target.href } });
  if (form.has('deny')) {
    target.searchParams.set('error', 'access_denied');
    return leave();
  }
  const user = signedInUser(world, form);
  if (user === undefined) {
    const kept = [...form].filter(([name]) => name !== 'username' && name !== 'password');
    return signInPage(`${PROVIDER.prefix}/authorize`, Object.fromEntries(kept), 'The name or the password is wrong.');
  }
  const code = world.ids.secret(40);
  world.tables.providerGrants.put({
    id: code,
    kind: 'code',
    clientId: form.get('client_id') ?? '',
    scope: form.get('scope') ?? '',
    expiresMs: world.clock.now() + CODE_LIFETIME_MS,
    challenge: form.get('code_challenge'),
    userId: user.id,
    redirectUri,
    nonce: form.get('nonce'),
  });
  target.searchParams.set('code', code);
  return leave();
}

/** Sign-in for the web server in front of Keystone, which redirects users here and back. */
function signInForKeystone(world: World, request: ApiRequest): ApiResponse {
  const form = formOf(request);
  const dashboard = form.get('origin') ?? '';
  const user = signedInUser(world, form);
  if (user === undefined) {
    return signInPage(`${PROVIDER.prefix}/websso`, { origin: dashboard }, 'The name or the password is wrong.');
  }
  const code = world.ids.secret(40);
  world.tables.providerGrants.put({
    id: code,
    kind: 'code',
    clientId: 'keystone',
    scope: 'openid',
    expiresMs: world.clock.now() + CODE_LIFETIME_MS,
    challenge: null,
    userId: user.id,
    redirectUri: dashboard,
    nonce: null,
  });
  const query = new URLSearchParams({ origin: dashboard, code });
  const path = `${SERVICE_LIST.identity.prefix}/v3/auth/OS-FEDERATION/websso/${PROVIDER.protocol}`;
  return { status: 302, headers: { Location: `${request.origin}${path}?${query.toString()}` } };
}

/** Any loopback port, as RFC 8252 (7.3) requires. */
function requireLocalRedirect(parameters: URLSearchParams): string {
  const text = parameters.get('redirect_uri') ?? '';
  const isLocal = URL.canParse(text) && /^http:\/\/(127\.0\.0\.1|localhost|\[::1\])[:/]/.test(text);
  if (!isLocal) throw new OAuthError('invalid_request', 'redirect_uri is not registered');
  if (parameters.get('response_type') !== 'code') {
    throw new OAuthError('unsupported_response_type', 'response_type must be code');
  }
  const hasPkce = parameters.get('code_challenge_method') === 'S256' && parameters.has('code_challenge');
  if (parameters.get('client_id') === PUBLIC_CLIENT && !hasPkce) {
    throw new OAuthError('invalid_request', 'a public client needs PKCE with S256');
  }
  return text;
}

function confirmCode(world: World, request: ApiRequest): ApiResponse {
  const form = formOf(request);
  const userCode = (form.get('user_code') ?? '').toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
  const grant = world.tables.providerGrants.find((g) => g.kind === 'device' && g.userCode === userCode);
  if (grant?.kind !== 'device' || grant.expiresMs <= world.clock.now()) {
    return signInPage(`${PROVIDER.prefix}/device`, {}, 'There is no such code.');
  }
  if (form.has('deny')) {
    world.tables.providerGrants.put({ ...grant, isDenied: true });
    return page('<p>Declined.</p>');
  }
  const user = signedInUser(world, form);
  if (user === undefined) {
    return signInPage(`${PROVIDER.prefix}/device`, { user_code: userCode }, 'The name or the password is wrong.');
  }
  world.tables.providerGrants.put({ ...grant, userId: user.id });
  return page('<p>Signed in. You can close this window.</p>');
}

/** The user with the name and password in the form. The provider has the same users as the cloud. */
export function signedInUser(world: World, form: URLSearchParams): User | undefined {
  const user = world.tables.users.find(({ name }) => name === form.get('username'));
  return user?.enabled === true && user.password === form.get('password') ? user : undefined;
}
