import { createHash } from 'node:crypto';
import type { ApiRequest, ApiResponse } from '../http/api.ts';
import type { User } from '../identity/records.ts';
import type { World } from '../world.ts';
import { formOf, signedInUser } from './browser-routes.ts';
import { OAuthError } from './oauth-error.ts';
import { PROVIDER, type ProviderGrant, PUBLIC_CLIENT } from './records.ts';

const TOKEN_LIFETIME_S = 300;
const DEVICE_LIFETIME_S = 600;
const INTERVAL_S = 5;
const USER_CODE_LENGTH = 8;

/** `POST /device_authorization` from RFC 8628. */
export function authorizeDevice(world: World, request: ApiRequest): ApiResponse {
  const form = formOf(request);
  const { clientId } = requireClient(world, request, form);
  const now = world.clock.now();
  const userCode = world.ids.secret(USER_CODE_LENGTH).toUpperCase();
  const deviceCode = world.ids.secret(40);
  world.tables.providerGrants.put({
    id: deviceCode,
    kind: 'device',
    clientId,
    scope: form.get('scope') ?? '',
    expiresMs: now + DEVICE_LIFETIME_S * 1000,
    challenge: form.get('code_challenge'),
    userId: null,
    userCode,
    isDenied: false,
    nextPollMs: now + INTERVAL_S * 1000,
  });
  const page = `${request.origin}${PROVIDER.prefix}/device`;
  return jsonResponse({
    device_code: deviceCode,
    user_code: `${userCode.slice(0, 4)}-${userCode.slice(4)}`,
    verification_uri: page,
    verification_uri_complete: `${page}?user_code=${userCode}`,
    expires_in: DEVICE_LIFETIME_S,
    interval: INTERVAL_S,
  });
}

/** `POST /token`. */
export function issueToken(world: World, request: ApiRequest): ApiResponse {
  const form = formOf(request);
  const { clientId, account } = requireClient(world, request, form);
  const scope = form.get('scope') ?? '';
  switch (form.get('grant_type') ?? '') {
    case 'password': {
      const user = signedInUser(world, form);
      if (user === undefined) throw new OAuthError('invalid_grant', 'the name or the password is wrong');
      return tokensFor(world, request, { user, clientId, scope });
    }
    case 'client_credentials':
      if (account === undefined) throw new OAuthError('unauthorized_client', 'the client has no account of its own');
      return tokensFor(world, request, { user: account, clientId, scope, withIdToken: false });
    case 'authorization_code': {
      const grant = takeGrant(world, form.get('code'), 'code', clientId);
      if (grant.kind !== 'code' || grant.redirectUri !== form.get('redirect_uri')) {
        throw new OAuthError('invalid_grant', 'the code was for another redirect_uri');
      }
      return tokensFor(world, request, {
        ...redeemCode(world, grant, form),
        ...(grant.nonce && { nonce: grant.nonce }),
      });
    }
    case 'urn:ietf:params:oauth:grant-type:device_code':
      return pollDevice(world, request, form, clientId);
    default:
      throw new OAuthError('unsupported_grant_type', 'there is no such grant');
  }
}

function pollDevice(world: World, request: ApiRequest, form: URLSearchParams, clientId: string): ApiResponse {
  const grant = world.tables.providerGrants.get(form.get('device_code') ?? '');
  const now = world.clock.now();
  if (grant?.kind !== 'device' || grant.clientId !== clientId) throw new OAuthError('invalid_grant', 'no such code');
  if (grant.expiresMs <= now) throw new OAuthError('expired_token', 'the code has ended');
  if (grant.isDenied) throw new OAuthError('access_denied', 'it was declined');
  if (grant.userId === null) {
    const isTooEarly = now < grant.nextPollMs;
    world.tables.providerGrants.put({ ...grant, nextPollMs: now + INTERVAL_S * 1000 });
    // Returned, not thrown, because the recorded poll must not be rolled back.
    const error = isTooEarly ? 'slow_down' : 'authorization_pending';
    return { status: 400, body: { error, error_description: 'nobody has signed in yet' } };
  }
  return tokensFor(world, request, redeemCode(world, takeGrant(world, grant.id, 'device', clientId), form));
}

/** A grant can be used once. */
function takeGrant(world: World, id: string | null, kind: ProviderGrant['kind'], clientId: string): ProviderGrant {
  const grant = world.tables.providerGrants.get(id ?? '');
  if (grant?.kind !== kind || grant.clientId !== clientId || grant.expiresMs <= world.clock.now()) {
    throw new OAuthError('invalid_grant', 'no such code');
  }
  world.tables.providerGrants.delete(grant.id);
  return grant;
}

function redeemCode(
  world: World,
  { userId, clientId, scope, challenge }: ProviderGrant,
  form: URLSearchParams,
): { readonly user: User; readonly clientId: string; readonly scope: string } {
  const verifier = form.get('code_verifier') ?? '';
  if (challenge !== null && createHash('sha256').update(verifier).digest('base64url') !== challenge) {
    throw new OAuthError('invalid_grant', 'code_verifier does not belong to the challenge');
  }
  const user = world.tables.users.get(userId ?? '');
  if (user === undefined) throw new OAuthError('invalid_grant', 'the user is gone');
  return { user, clientId, scope };
}

function tokensFor(
  world: World,
  { origin }: ApiRequest,
  grant: {
    readonly user: User;
    readonly clientId: string;
    readonly scope: string;
    readonly nonce?: string;
    readonly withIdToken?: boolean;
  },
): ApiResponse {
  const iat = Math.floor(world.clock.now() / 1000);
  const claims = {
    iss: `${origin}${PROVIDER.prefix}`,
    sub: grant.user.id,
    aud: grant.clientId,
    iat,
    exp: iat + TOKEN_LIFETIME_S,
  };
  const isOpenId = grant.scope.split(' ').includes('openid') && grant.withIdToken !== false;
  const idClaims = { ...claims, name: grant.user.name, ...(grant.nonce !== undefined && { nonce: grant.nonce }) };
  return jsonResponse({
    access_token: world.providerKey.sign({ ...claims, scope: grant.scope, jti: world.ids.uuid() }),
    token_type: 'Bearer',
    expires_in: TOKEN_LIFETIME_S,
    ...(isOpenId && { id_token: world.providerKey.sign(idClaims) }),
  });
}

/** The client that sent a request, and its account if it has a secret. */
function requireClient(
  world: World,
  { headers }: ApiRequest,
  form: URLSearchParams,
): { readonly clientId: string; readonly account?: User } {
  const [, basicCredentials] = /^Basic (.+)$/i.exec(headers.authorization ?? '') ?? [];
  const [id = '', secret = ''] =
    basicCredentials === undefined
      ? [form.get('client_id') ?? '', form.get('client_secret') ?? '']
      : Buffer.from(basicCredentials, 'base64').toString().split(':').map(decodeURIComponent);
  if (id === PUBLIC_CLIENT && secret === '') return { clientId: id };
  const account = world.tables.users.find(({ name }) => name === id);
  if (account?.password !== secret) throw new OAuthError('invalid_client', 'there is no such client', 401);
  return { clientId: id, account };
}

function jsonResponse(body: object): ApiResponse {
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, body };
}
