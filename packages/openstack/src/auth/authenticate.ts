import { trimmedEnd } from '@fairway/base/trim';
import type { HttpCall, HttpClient } from '../http/http-client.ts';
import { isOpenStackError, OpenStackError } from '../http/openstack-error.ts';
import { parseBody } from '../http/parse-body.ts';
import { type HttpMethod, type HttpResponse, headerOf } from '../http/transport.ts';
import { keystoneTimeMs, TokenResponse } from '../types/identity.ts';
import { toAuthRequest } from './auth-request.ts';
import type { Credential } from './credential.ts';
import { asFactorsRequired } from './factors-required-error.ts';
import type { IssuedToken } from './token-source.ts';

const TEMPLATE = '/v3/auth/tokens';

/**
 * `POST /v3/auth/tokens`. `queue` identifies the caller for fair queueing: the project of the token, if known from an
 * earlier token. Throws a `FactorsRequiredError` if Keystone requires more factors than the credential has.
 */
export async function authenticate(
  http: HttpClient,
  authUrl: string,
  credential: Credential,
  queue: Pick<HttpCall, 'project' | 'owner'> = {},
): Promise<IssuedToken> {
  const call = { service: 'identity', method: 'POST', template: TEMPLATE } as const;
  const response = await http
    .call({
      ...call,
      ...queue,
      url: `${identityRoot(authUrl)}/auth/tokens`,
      body: toAuthRequest(credential),
      ...(credential.kind === 'totp' &&
        credential.receipt !== undefined && { headers: { 'openstack-auth-receipt': credential.receipt } }),
      refusal: asFactorsRequired,
      // An unused token does no harm.
      idempotent: true,
      isReading: true,
    })
    .catch((error: unknown) => {
      throw asRefusal(error);
    });
  return issuedToken(response, call);
}

/** The token in a response. Throws an OpenStackError if there is none. */
export function issuedToken(
  response: HttpResponse,
  call: { readonly service: string; readonly method: HttpMethod; readonly template: string },
): IssuedToken {
  const { token } = parseBody(TokenResponse, response, call);
  const id = headerOf(response, 'x-subject-token');
  if (id === undefined) {
    const message = 'the response has no X-Subject-Token header: is this Keystone v3?';
    throw new OpenStackError({ kind: 'unavailable', ...call, message, status: response.status, outcome: 'notDone' });
  }
  return { id, token, expiresAtMs: keystoneTimeMs(token.expires_at) };
}

/** Keystone returns 404 for a deleted application credential and for an invalid token; both are treated like a 401. */
function asRefusal(error: unknown): unknown {
  if (!isOpenStackError(error, 'notFound') || !/^could not (find|recognize) /i.test(error.detail)) return error;
  const { service, method, template, status, requestId, detail: message } = error;
  const call = { service, method, template, status, requestId, message };
  return new OpenStackError({ ...call, kind: 'unauthorized', outcome: 'notDone', cause: error });
}

/** The URL of Keystone's v3 API. Auth URLs may contain this version, another version, or no version. */
export function identityRoot(authUrl: string): string {
  return `${trimmedEnd(authUrl, '/').replace(/\/v(2\.0|3)$/, '')}/v3`;
}
