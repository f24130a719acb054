import { ok, type Service } from '../http/api.ts';
import type { World } from '../world.ts';
import { browserRoutes } from './browser-routes.ts';
import { renderOAuthProblem } from './oauth-error.ts';
import { PROVIDER } from './records.ts';
import { authorizeDevice, issueToken } from './token-endpoint.ts';

/**
 * An OpenID Connect provider that Keystone trusts, with the cloud's users and passwords. It is not an OpenStack service, so it is not in the catalog.
 */
export function identityProviderService(world: World): Service {
  return {
    name: 'identity-provider',
    prefix: PROVIDER.prefix,
    readsRawBodies: true,
    routes: [
      {
        method: 'GET',
        template: '/.well-known/openid-configuration',
        open: true,
        handle: ({ serviceUrl }) => ok(metadata(serviceUrl)),
      },
      { method: 'GET', template: '/jwks', open: true, handle: () => ok(world.providerKey.jwks) },
      {
        method: 'POST',
        template: '/device_authorization',
        open: true,
        handle: (request) => authorizeDevice(world, request),
      },
      { method: 'POST', template: '/token', open: true, handle: (request) => issueToken(world, request) },
      ...browserRoutes(world),
    ],
    renderProblem: renderOAuthProblem,
  };
}

function metadata(issuer: string): object {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    device_authorization_endpoint: `${issuer}/device_authorization`,
    jwks_uri: `${issuer}/jwks`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['ES256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['none', 'client_secret_basic', 'client_secret_post'],
    authorization_response_iss_parameter_supported: true,
  };
}
